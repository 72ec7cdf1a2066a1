// StreamReceiver: locks messages over ReceiveStream and settles them on the same stream.
#pragma once

#include "tools/client/receiver.h"
#include "tools/crash/load/receiving/fate.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class StreamReceiver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

 private:
  // An error if the stream broke.
  Status RunStream(Life& life, const ReceiveRecord& record, client::Receiver& receiver, Dice& dice);
};

}  // namespace wharf::crash
