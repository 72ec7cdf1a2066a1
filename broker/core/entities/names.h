// Names and addresses: what an entity may be called, and which lane of which entity a path means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf {

// A part of an entity with its own messages. The values are on disk.
enum class LaneKind : std::uint8_t { kMain = 0, kDeadLetter = 1 };

// The suffix that makes a path a dead-letter queue's.
inline constexpr std::string_view kDeadLetterSuffix = "/$DeadLetterQueue";

// The form by which paths are compared: lower case, '/' between segments (ADR-10, NAM-1).
std::string FoldPath(std::string_view path);

// A path as it stands in a sentence: in quotes, and cut if it is longer than any of ours.
std::string Quoted(std::string_view path);

// Checks the name of a queue or topic (NAM-1, ADR-12) and returns it with '/' between segments.
Result<std::string> CheckEntityName(std::string_view name);

// What stands between the name of a topic and that of its subscription.
inline constexpr std::string_view kSubscriptionsSegment = "/Subscriptions/";

// "topic/Subscriptions/name".
std::string SubscriptionPath(std::string_view topic, std::string_view name);
// The same taken apart; in `name` nothing if the path is no subscription's.
struct SubscriptionName {
  std::string_view topic;
  std::string_view name;
};
SubscriptionName SplitSubscriptionPath(std::string_view path);
// Checks both names (NAM-1, NAM-2) and returns the path with '/' between segments.
Result<std::string> CheckSubscriptionPath(std::string_view path);
// Checks the name of a rule (NAM-3).
Status CheckRuleName(std::string_view name);

// An address taken apart.
struct Address {
  std::string entity;  // folded
  LaneKind lane = LaneKind::kMain;
};

// Never fails: what is no address of ours is the address of an entity that does not exist.
Address ParseAddress(std::string_view path);

}  // namespace wharf
