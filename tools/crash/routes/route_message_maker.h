// RouteMessageMaker: the messages that one worker sends, numbered from 1.
//
// Used by its worker's thread only.
#pragma once

#include <cstdint>

#include "tools/crash/history/message_id.h"
#include "tools/crash/routes/route_ledger.h"
#include "tools/crash/runs/dice.h"

namespace wharf::crash {

class RouteMessageMaker {
 public:
  explicit RouteMessageMaker(std::uint32_t client) { next_.client = client; }

  // Bodies that are stored in the message's row, and apart from it; red and blue ones.
  v1::Message Make(Dice& dice);
  // A body that is stored in several chunks.
  v1::Message MakeLarge(Dice& dice);

 private:
  v1::Message Make(std::size_t size, Dice& dice);

  MessageId next_;
};

RoutedMessage Routed(Target target, const v1::Message& message);

}  // namespace wharf::crash
