// StreamSender: sends over SendStream, many messages under way at a time.
#pragma once

#include "tools/client/sender.h"
#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class StreamSender final : public Worker {
 public:
  explicit StreamSender(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  // Sends until the stream has had enough, or broke; then false.
  bool RunStream(Life& life, QueueIndex queue, client::Sender& sender, Dice& dice);

  MessageMaker messages_;
};

}  // namespace wharf::crash
