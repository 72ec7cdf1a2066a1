#include "tools/wharf/top/frame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace wharf::tool {
namespace {

constexpr std::array<std::string_view, kTopColumnCount> kNames = {
    "name",        "available", "locked", "delayed", "deferred", "scheduled",
    "dead-letter", "in",        "out",    "oldest",  "size"};

// What a counter rose by, a second; nothing if it fell: then it is another one.
std::optional<double> Rate(std::int64_t before, std::int64_t now, double seconds) {
  if (now < before || seconds <= 0) return std::nullopt;
  return static_cast<double>(now - before) / seconds;
}

const v1::DurationHistogram* FindHistogram(const v1::BrokerStatistics& broker,
                                           std::string_view name) {
  for (const v1::DurationHistogram& histogram : broker.histograms()) {
    if (histogram.name() == name) return &histogram;
  }
  return nullptr;
}

// The bound under which this part of what came since lies; of what is longer than all bounds, the
// last of them.
std::optional<double> Quantile(const v1::DurationHistogram& before,
                               const v1::DurationHistogram& now, double part) {
  const auto grown = static_cast<double>(now.count() - before.count());
  if (grown <= 0 || before.buckets_size() != now.buckets_size()) return std::nullopt;
  double below = 0;
  double bound = 0;
  for (int i = 0; i < now.buckets_size(); ++i) {
    below += static_cast<double>(now.buckets(i).count() - before.buckets(i).count());
    if (std::isfinite(now.buckets(i).at_most_seconds())) bound = now.buckets(i).at_most_seconds();
    if (below >= part * grown) return bound;
  }
  return bound;
}

void AddRates(const TopSample& before, const TopSample& now, TopFrame& frame) {
  const double seconds = std::chrono::duration<double>(now.taken - before.taken).count();
  const v1::BrokerStatistics& then = before.broker;
  const v1::BrokerStatistics& broker = now.broker;
  frame.sent = Rate(then.sent_message_count(), broker.sent_message_count(), seconds);
  frame.delivered = Rate(then.delivered_message_count(), broker.delivered_message_count(), seconds);
  frame.settled = Rate(then.settled_message_count(), broker.settled_message_count(), seconds);
  frame.syncs = Rate(then.sync_count(), broker.sync_count(), seconds);
  const auto* old_syncs = FindHistogram(then, "wharf_sync_seconds");
  const auto* syncs = FindHistogram(broker, "wharf_sync_seconds");
  if (old_syncs == nullptr || syncs == nullptr) return;
  frame.sync_p50 = Quantile(*old_syncs, *syncs, 0.5);
  frame.sync_p99 = Quantile(*old_syncs, *syncs, 0.99);
}

void AddRates(const TopSample& before, double seconds, std::vector<EntityRow>& rows) {
  std::unordered_map<std::string_view, const EntitySample*> known;
  for (const EntitySample& sample : before.entities) known[sample.path] = &sample;
  for (EntityRow& row : rows) {
    const auto found = known.find(row.path);
    if (found == known.end()) continue;
    const EntitySample& old = *found->second;
    row.in = Rate(old.numbered, row.numbered, seconds);
    // Numbers may be a commit apart.
    const std::int64_t gone = row.numbered - old.numbered - (row.messages() - old.messages());
    if (row.in) row.out = static_cast<double>(std::max<std::int64_t>(gone, 0)) / seconds;
  }
}

double NumberOf(const EntityRow& row, TopColumn column) {
  switch (column) {
    case TopColumn::kName:
      return 0;
    case TopColumn::kAvailable:
      return static_cast<double>(row.available);
    case TopColumn::kLocked:
      return static_cast<double>(row.locked);
    case TopColumn::kDelayed:
      return static_cast<double>(row.delayed);
    case TopColumn::kDeferred:
      return static_cast<double>(row.deferred);
    case TopColumn::kScheduled:
      return static_cast<double>(row.scheduled);
    case TopColumn::kDead:
      return static_cast<double>(row.dead);
    case TopColumn::kIn:
      return row.in.value_or(-1);
    case TopColumn::kOut:
      return row.out.value_or(-1);
    case TopColumn::kOldest:
      return row.age.value_or(-1);
    case TopColumn::kSize:
      return static_cast<double>(row.bytes);
  }
  return 0;
}

}  // namespace

TopFrame MakeFrame(const TopSample* before, TopSample now) {
  TopFrame frame;
  frame.entities.reserve(now.entities.size());
  for (EntitySample& sample : now.entities) frame.entities.push_back({std::move(sample)});
  if (before != nullptr) {
    AddRates(*before, now, frame);
    AddRates(*before, std::chrono::duration<double>(now.taken - before->taken).count(),
             frame.entities);
  }
  frame.broker = std::move(now.broker);
  return frame;
}

std::string_view NameOf(TopColumn column) { return kNames[static_cast<std::size_t>(column)]; }

std::optional<TopColumn> TopColumnOf(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TopColumn>(found - kNames.begin());
}

void Sort(std::vector<EntityRow>& rows, TopColumn column, bool is_reversed) {
  std::sort(rows.begin(), rows.end(), [&](const EntityRow& a, const EntityRow& b) {
    const double number_a = NumberOf(a, column);
    const double number_b = NumberOf(b, column);
    if (number_a != number_b) return (number_a > number_b) != is_reversed;
    return column == TopColumn::kName && is_reversed ? a.path > b.path : a.path < b.path;
  });
}

std::vector<EntityRow> Filtered(const std::vector<EntityRow>& rows, std::string_view text) {
  if (text.empty()) return rows;
  const std::string wanted = absl::AsciiStrToLower(std::string(text));
  std::vector<EntityRow> kept;
  for (const EntityRow& row : rows) {
    if (absl::StrContains(absl::AsciiStrToLower(row.path), wanted)) kept.push_back(row);
  }
  return kept;
}

}  // namespace wharf::tool
