// RestReceiver: takes one message after another over HTTP and settles each by the address of its
// lock, or receives and deletes. Now and then it settles a lock that somebody else holds, often of
// the life before.
#pragma once

#include "tools/crash/load/worker.h"
#include "tools/crash/rest/recorded_rest.h"

namespace wharf::crash {

class RestReceiver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

 private:
  static Status ReceiveOne(Life& life, RecordedRest& client, Dice& dice);
  static Status SettleHeld(Life& life, RecordedRest& client, Dice& dice);
};

}  // namespace wharf::crash
