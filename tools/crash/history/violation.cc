#include "tools/crash/history/violation.h"

namespace wharf::crash {

std::string_view TextOf(Rule rule) {
  switch (rule) {
    case Rule::kNothingLost:
      return "I1 nothing acknowledged is lost";
    case Rule::kNoGhost:
      return "I2 every message was sent, byte for byte";
    case Rule::kOnePlace:
      return "47 a message is in one place at any time";
    case Rule::kNoResurrection:
      return "I3 what was completed, cancelled or purged does not come again";
    case Rule::kOneLock:
      return "I4 one valid lock a message, until it ends";
    case Rule::kOrder:
      return "I5 numbers are unique and rise, deliveries follow them";
    case Rule::kExactCounters:
      return "I6 counters equal what is there";
    case Rule::kStartsAgain:
      return "I7 the broker starts again by itself";
    case Rule::kAnswersHold:
      return "I10 no OK is undone, nothing refused takes effect";
    case Rule::kExactCounts:
      return "51 a crash adds nothing to a delivery count";
    case Rule::kStoredOnce:
      return "42 what is sent again is there once";
    case Rule::kInTime:
      return "40 nothing happens before its time";
    case Rule::kAllOrNone:
      return "45, 46 all of what was asked for together, or nothing";
    case Rule::kStopsWhenAsked:
      return "4 a stop under load is orderly and in time";
  }
  return "";
}

}  // namespace wharf::crash
