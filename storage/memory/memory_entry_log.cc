#include "storage/memory/memory_entry_log.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "storage/entry_order.h"

namespace wharf {

Status MemoryEntryLog::Append(std::span<const LogEntry> entries,
                              const std::optional<HardState>& state) {
  WHARF_RETURN_IF_ERROR(CheckAppend(*this, entries));
  if (!entries.empty()) CutTail(PositionOf(entries.front().index));
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  if (state) state_ = *state;
  return {};
}

// What was synced must be there again if the power fails before the next sync.
void MemoryEntryLog::CutTail(std::size_t position) {
  const auto tail = entries_.begin() + static_cast<std::ptrdiff_t>(position);
  if (position < synced_) {
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(synced_);
    cut_.insert(cut_.begin(), std::make_move_iterator(tail), std::make_move_iterator(end));
    synced_ = position;
  }
  entries_.erase(tail, entries_.end());
}

Status MemoryEntryLog::Sync() {
  synced_ = entries_.size();
  cut_.clear();
  synced_state_ = state_;
  return {};
}

std::uint64_t MemoryEntryLog::TermOf(std::uint64_t index) const {
  assert(index >= start_.index && index <= last_index());
  return index == start_.index ? start_.term : entries_[PositionOf(index)].term;
}

Result<std::vector<LogEntry>> MemoryEntryLog::Read(std::uint64_t first, std::uint64_t end,
                                                   std::size_t bytes_max) const {
  WHARF_RETURN_IF_ERROR(CheckRead(*this, first, end));
  std::vector<LogEntry> entries;
  std::size_t bytes = 0;
  for (std::uint64_t index = first; index < end; ++index) {
    const LogEntry& entry = entries_[PositionOf(index)];
    bytes += entry.data.size();
    if (bytes > bytes_max && !entries.empty()) break;
    entries.push_back(entry);
  }
  return entries;
}

Status MemoryEntryLog::CutUpTo(std::uint64_t index) {
  if (index <= start_.index) return {};
  WHARF_RETURN_IF_ERROR(CheckCut(index, start_.index + synced_));
  const LogPlace place{index, TermOf(index)};
  const std::size_t count = index - start_.index;
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count));
  synced_ -= count;
  start_ = place;
  return {};
}

Status MemoryEntryLog::BeginAt(const LogPlace& place, const HardState& state) {
  entries_.clear();
  start_ = place;
  state_ = state;
  return Sync();
}

void MemoryEntryLog::Forget() {
  entries_.resize(synced_);
  std::move(cut_.begin(), cut_.end(), std::back_inserter(entries_));
  state_ = synced_state_;
  static_cast<void>(Sync());
}

}  // namespace wharf
