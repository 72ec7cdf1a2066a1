// MessageMaker: the messages of one client, numbered from 1.
//
// Used by its worker's thread only.
#pragma once

#include <cstdint>

#include "tools/crash/history/message_id.h"
#include "tools/crash/runs/dice.h"
#include "wharf/v1/message.pb.h"

namespace wharf::crash {

class MessageMaker {
 public:
  explicit MessageMaker(std::uint32_t client) { next_.client = client; }

  // Mostly small; now and then one that is stored apart from its properties, or a few hundred KiB.
  v1::Message Make(Dice& dice);
  // One that is stored with its properties.
  v1::Message MakeSmall(Dice& dice);

 private:
  v1::Message MakeOf(std::size_t bytes);

  MessageId next_;
};

}  // namespace wharf::crash
