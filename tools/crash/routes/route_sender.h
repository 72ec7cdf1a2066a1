// RouteSender: sends to the topic or to a queue, on streams and in atomic batches.
//
// Lives through all lives of the daemon; Run is called anew for each, on a thread of its own, and
// returns when the daemon is gone.
#pragma once

#include "tools/crash/routes/route_life.h"
#include "tools/crash/routes/route_message_maker.h"

namespace wharf::crash {

class RouteSender {
 public:
  RouteSender(std::uint32_t client, Target target) : messages_(client), target_(target) {}

  void Run(RouteLife& life, Dice& dice);

 private:
  // Both return false when the daemon is gone.
  bool RunStream(RouteLife& life, client::Client& client, Dice& dice);
  bool SendBatch(RouteLife& life, client::Client& client, Dice& dice);

  RouteMessageMaker messages_;
  const Target target_;
};

}  // namespace wharf::crash
