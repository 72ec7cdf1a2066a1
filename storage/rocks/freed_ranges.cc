#include "storage/rocks/freed_ranges.h"

#include <algorithm>
#include <iterator>

namespace wharf {
namespace {

// `other` lies within `into` from then on.
void Join(FreedRange& into, const FreedRange& other) {
  into.range.begin = std::min(into.range.begin, other.range.begin);
  into.range.end = std::max(into.range.end, other.range.end);
  into.noted_at = std::max(into.noted_at, other.noted_at);
  into.is_mixed |= other.is_mixed;
}

}  // namespace

void FreedRanges::Note(FreedRange freed) {
  MutexLock lock(mutex_);
  TakeIn(freed);
  const Place place{freed.table, freed.range.begin};
  ranges_.insert_or_assign(place, std::move(freed));
  if (ranges_.size() > kRangesMax) JoinBeside(place);
}

// What it overlaps or touches: the one that begins before it, and those that begin inside.
void FreedRanges::TakeIn(FreedRange& freed) {
  auto other = ranges_.upper_bound({freed.table, freed.range.begin});
  if (other != ranges_.begin()) {
    const auto before = std::prev(other);
    const bool touches =
        before->first.first == freed.table && before->second.range.end >= freed.range.begin;
    if (touches) other = before;
  }
  while (other != ranges_.end() && other->first.first == freed.table &&
         other->first.second <= freed.range.end) {
    Join(freed, other->second);
    other = ranges_.erase(other);
  }
}

// One that is alone in its table stays, one too many: there are few tables.
void FreedRanges::JoinBeside(const Place& place) {
  const auto found = ranges_.find(place);
  const auto behind = std::next(found);
  if (behind != ranges_.end() && behind->first.first == place.first) {
    Join(found->second, behind->second);
    found->second.is_mixed = true;
    ranges_.erase(behind);
  } else if (found != ranges_.begin() && std::prev(found)->first.first == place.first) {
    Join(std::prev(found)->second, found->second);
    std::prev(found)->second.is_mixed = true;
    ranges_.erase(found);
  }
}

std::vector<FreedRange> FreedRanges::All() const {
  MutexLock lock(mutex_);
  std::vector<FreedRange> all;
  all.reserve(ranges_.size());
  for (const auto& [place, freed] : ranges_) all.push_back(freed);
  return all;
}

FreedRange* FreedRanges::FindSame(const FreedRange& freed) {
  const auto found = ranges_.find({freed.table, freed.range.begin});
  const bool is_same = found != ranges_.end() && found->second.noted_at == freed.noted_at;
  return is_same ? &found->second : nullptr;
}

void FreedRanges::Measure(const FreedRange& freed, std::uint64_t bytes) {
  MutexLock lock(mutex_);
  if (FreedRange* same = FindSame(freed)) same->bytes = std::max(same->bytes, bytes);
}

void FreedRanges::Spend(const FreedRange& freed, std::uint64_t bytes) {
  MutexLock lock(mutex_);
  if (FreedRange* same = FindSame(freed)) same->spent_bytes += bytes;
}

void FreedRanges::Forget(const FreedRange& freed) {
  MutexLock lock(mutex_);
  if (FindSame(freed) != nullptr) ranges_.erase({freed.table, freed.range.begin});
}

}  // namespace wharf
