// QueueChanger: makes queues, uses them and deletes them again, under few names; and writes a
// rising number into the properties of a queue that stays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class QueueChanger final : public Worker {
 public:
  explicit QueueChanger(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

  // The queue that is there now, if it is known to be. When nobody runs.
  std::optional<QueueIndex> queue() const { return is_certain_ ? queue_ : std::nullopt; }
  // Finds out what became of a create or delete that had no answer.
  Status Resolve(RecordedClient& client);

 private:
  Status Step(Life& life, RecordedClient& client, Dice& dice);
  Status Create(Life& life, RecordedClient& client, Dice& dice);
  Status Use(Life& life, RecordedClient& client, Dice& dice);
  Status Delete(RecordedClient& client);

  MessageMaker messages_;
  std::uint64_t version_ = 0;
  std::optional<QueueIndex> queue_;
  bool is_certain_ = true;
};

}  // namespace wharf::crash
