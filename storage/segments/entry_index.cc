#include "storage/segments/entry_index.h"

#include <algorithm>
#include <cassert>

namespace wharf {

void EntryIndex::BeginAt(const LogPlace& start) {
  start_ = start;
  places_.clear();
  terms_.clear();
}

void EntryIndex::Add(const LogPlace& entry, EntryPlace place) {
  assert(entry.index > start_.index && entry.index <= last() + 1);
  CutFrom(entry.index);
  places_.push_back(place);
  if (terms_.empty() || terms_.back().term != entry.term) {
    terms_.push_back({entry.index, entry.term});
  }
}

void EntryIndex::CutFrom(std::uint64_t index) {
  places_.resize(index - start_.index - 1);
  while (!terms_.empty() && terms_.back().first >= index) terms_.pop_back();
}

void EntryIndex::CutUpTo(std::uint64_t index) {
  const LogPlace start{index, TermOf(index)};
  const auto count = static_cast<std::ptrdiff_t>(index - start_.index);
  places_.erase(places_.begin(), places_.begin() + count);
  start_ = start;
  while (terms_.size() > 1 && terms_[1].first <= index + 1) terms_.pop_front();
  if (places_.empty()) terms_.clear();
}

std::uint64_t EntryIndex::TermOf(std::uint64_t index) const {
  assert(index >= start_.index && index <= last());
  if (index == start_.index) return start_.term;
  const auto behind =
      std::upper_bound(terms_.begin(), terms_.end(), index,
                       [](std::uint64_t at, const TermRun& run) { return at < run.first; });
  return std::prev(behind)->term;
}

}  // namespace wharf
