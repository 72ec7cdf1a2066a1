// A page of scheduled messages, and where it begins.
//
// Plain values; asked for by doors, made by readers.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/messages/message.h"

namespace wharf {

// A scheduled message and the time that it waits for.
struct ScheduledTime {
  Timestamp time;
  SequenceNumber number;
  friend auto operator<=>(const ScheduledTime&, const ScheduledTime&) = default;
};

struct ScheduledPage {
  std::vector<MessagePtr> messages;
  // Why some of them cannot be read, or their bodies. Of those that cannot only the number and the
  // time are right.
  std::map<SequenceNumber, std::string> unreadable{};
  // Where to go on; nothing if there is no more.
  std::optional<ScheduledTime> next;
};

}  // namespace wharf
