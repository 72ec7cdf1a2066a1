// Exchanger: completes messages of one queue and sends others to another, in a transaction each.
//
// What was under way when the daemon died is asked for in its next life: ExchangeBook.
#pragma once

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/exchange_book.h"
#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class Exchanger final : public Worker {
 public:
  explicit Exchanger(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;
  ExchangeBook& book() { return book_; }

 private:
  Status Run(Life& life, RecordedClient& client, const DeliveryRecord& delivery, Dice& dice);

  MessageMaker messages_;
  ExchangeBook book_;
};

}  // namespace wharf::crash
