// AmqpReceiver: receives by links, locks what it gets and settles it by the link, or receives and
// deletes. Some links end in order; now and then the client just goes, with much on its way.
#pragma once

#include "tools/crash/amqp/recorded_amqp.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class AmqpReceiver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

 private:
  // False: the client is of no use any more.
  static bool RunLink(Life& life, RecordedAmqp& client, Dice& dice);
  static void Decide(Life& life, RecordedAmqp& client, const RecordedAmqp::Receiving& receiving,
                     const RecordedAmqp::Got& got, Dice& dice);
  // What came before the broker knew that it takes no more.
  static Status Finish(Life& life, RecordedAmqp& client, RecordedAmqp::Receiving& receiving,
                       Dice& dice);
};

}  // namespace wharf::crash
