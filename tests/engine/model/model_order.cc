// Which message may be the next: levels and partitions.

#include <algorithm>

#include "tests/engine/model/model.h"

namespace wharf {
namespace {

constexpr int kPassedOverMax = 16;

}  // namespace

std::size_t ModelQueue::CountAvailable(LaneKind kind) const {
  return static_cast<std::size_t>(
      std::count_if(messages(kind).begin(), messages(kind).end(),
                    [](const auto& entry) { return entry.second.is_available(); }));
}

ModelQueue::Heads ModelQueue::HeadsOfLevels() const {
  Heads heads;
  for (const auto& [number, message] : main_) {
    if (message.is_available()) heads.emplace(message.priority, number);
  }
  return heads;
}

std::optional<std::uint64_t> ModelQueue::OldestBelow(const Heads& heads) {
  std::optional<std::uint64_t> oldest;
  for (auto head = std::next(heads.begin()); head != heads.end(); ++head) {
    oldest = std::min(oldest.value_or(head->second), head->second);
  }
  return oldest;
}

// PRI-1, PRI-2, PAR-4. A level of which the broker does not know yet that it is empty counts as
// passed over, so a lower one may come early, but never before its turn could have come.
ModelQueue::Numbers ModelQueue::AllowedNext(LaneKind kind) const {
  if (description_.enable_priority && kind == LaneKind::kMain) {
    const Heads heads = HeadsOfLevels();
    if (heads.empty()) return {};
    const auto lower = OldestBelow(heads);
    Numbers allowed;
    if (!lower || passed_over_ < kPassedOverMax) allowed.push_back(heads.begin()->second);
    if (lower && since_lower_ >= kPassedOverMax) allowed.push_back(*lower);
    return allowed;
  }
  std::map<std::uint64_t, std::uint64_t> lowest;
  for (const auto& [number, message] : messages(kind)) {
    const std::uint64_t part = description_.enable_partitioning ? number >> 48 : 0;
    if (message.is_available()) lowest.emplace(part, number);
  }
  Numbers allowed;
  for (const auto& [part, number] : lowest) allowed.push_back(number);
  return allowed;
}

void ModelQueue::NoteDelivery(LaneKind kind, std::uint64_t number) {
  if (!description_.enable_priority || kind != LaneKind::kMain) return;
  const Heads heads = HeadsOfLevels();
  const bool is_top = heads.begin()->second == number;
  passed_over_ = is_top && heads.size() > 1 ? passed_over_ + 1 : 0;
  since_lower_ = is_top ? since_lower_ + 1 : 0;
}

}  // namespace wharf
