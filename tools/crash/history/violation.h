// Violation: a promise that the broker broke, and how it shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/crash/history/message_id.h"

namespace wharf::crash {

// The invariants that every fault case is checked against.
enum class Rule : std::uint8_t {
  kNothingLost,     // I1: what was acknowledged is there until it is completed.
  kNoGhost,         // I2: every message was sent, its bytes are equal.
  kOnePlace,        // Case 47: a message is in one place at any time.
  kNoResurrection,  // I3: what was completed, cancelled or purged is not seen again.
  kOneLock,         // I4: one valid lock a message, which holds until it ends.
  kOrder,           // I5: numbers are unique and rise; first deliveries follow them.
  kExactCounters,   // I6: counters equal what is there.
  kStartsAgain,     // I7 and I8: every start ends well, and in time.
  kAnswersHold,     // I10: no OK is undone, nothing refused took effect.
  kExactCounts,     // Case 51: a crash adds nothing to the delivery count.
  kStoredOnce,      // Cases 42 and 49: what is sent again is there once.
  kInTime,          // Case 40: nothing happens before its time.
  kAllOrNone,       // Cases 45 and 46: what was asked for together is there together.
  kStopsWhenAsked,  // Case 4: SIGTERM ends it in time and in order.
};

// "I1 nothing acknowledged is lost".
std::string_view TextOf(Rule rule);

struct Violation {
  Rule rule = Rule::kNothingLost;
  std::string what;
  std::optional<MessageId> message{};
  // The message's whole history, a line for each event.
  std::string story{};
};

using Violations = std::vector<Violation>;

}  // namespace wharf::crash
