// AmqpExchanger: completes messages of one queue and sends others to another, in a transaction of
// AMQP each; some it rolls back. The broker's next life tells how the others ended: ExchangeBook.
#pragma once

#include "tools/crash/amqp/recorded_amqp.h"
#include "tools/crash/load/exchange_book.h"
#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class AmqpExchanger final : public Worker {
 public:
  explicit AmqpExchanger(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;
  ExchangeBook& book() { return book_; }

 private:
  Status Run(Life& life, RecordedAmqp& client, const RecordedAmqp::Receiving& receiving,
             const RecordedAmqp::Got& got, Dice& dice);

  MessageMaker messages_;
  ExchangeBook book_;
};

}  // namespace wharf::crash
