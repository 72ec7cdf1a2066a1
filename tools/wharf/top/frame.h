// TopFrame: what is shown of two samples: how many there are, and how many come and go in a second.
//
// Pure functions over values; used by `wharf top`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/wharf/top/sample.h"

namespace wharf::tool {

struct EntityRow : EntitySample {
  // Messages a second that got a number there, and that are no more under one: settled, expired,
  // moved on. Absent: it was not there a sample before.
  std::optional<double> in{};
  std::optional<double> out{};
};

struct TopFrame {
  v1::BrokerStatistics broker{};
  std::vector<EntityRow> entities{};
  // Of the broker, a second; absent in the first frame, and behind a restart of the broker.
  std::optional<double> sent{};
  std::optional<double> delivered{};
  std::optional<double> settled{};
  std::optional<double> syncs{};
  // Of the syncs since the sample before: half of them, and 99 of 100, took at most so long, in
  // seconds. Absent: there was none.
  std::optional<double> sync_p50{};
  std::optional<double> sync_p99{};
};

// `before`: the sample before it; null if there is none.
TopFrame MakeFrame(const TopSample* before, TopSample now);

// By what rows are sorted.
enum class TopColumn : std::uint8_t {
  kName,
  kAvailable,
  kLocked,
  kDelayed,
  kDeferred,
  kScheduled,
  kDead,
  kIn,
  kOut,
  kOldest,
  kSize,
};
inline constexpr std::size_t kTopColumnCount = 11;

// "available": as --sort names it. Empty word: no such column.
std::string_view NameOf(TopColumn column);
std::optional<TopColumn> TopColumnOf(std::string_view name);

// Names from a to z, numbers from the largest; `is_reversed`: the other way. Where they are equal,
// by name.
void Sort(std::vector<EntityRow>& rows, TopColumn column, bool is_reversed);
// Those with `text` in their names, without case; all, if it is empty.
std::vector<EntityRow> Filtered(const std::vector<EntityRow>& rows, std::string_view text);

}  // namespace wharf::tool
