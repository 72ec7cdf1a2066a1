// DropReceiver: receives and deletes, by single calls or over a stream.
#pragma once

#include "tools/client/receiver.h"
#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class DropReceiver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

 private:
  static void RunCalls(Life& life, RecordedClient& client, const Source& source, Dice& dice);
  static void RunStream(Life& life, RecordedClient& client, const Source& source, Dice& dice);
};

}  // namespace wharf::crash
