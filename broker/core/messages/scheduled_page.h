// A page of scheduled messages, and where it begins.
//
// Plain values; asked for by doors, made by readers.
#pragma once

#include <compare>
#include <optional>
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
  // Where to go on; nothing if there is no more.
  std::optional<ScheduledTime> next;
};

}  // namespace wharf
