#include "broker/requests/entity_numbers.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

// That are looked at under one lock: some microseconds.
constexpr std::size_t kCellsAtATime = 128;

std::int64_t GivenOf(const LaneCounters& counters) {
  auto given = static_cast<std::int64_t>(counters.next_number.value()) - 1;
  for (const SequenceNumber next : counters.next_numbers) {
    // Behind the 16 bits of its partition.
    given += static_cast<std::int64_t>(next.value() & ((std::uint64_t{1} << 48) - 1)) - 1;
  }
  return given;
}

}  // namespace

void EntityNumbers::Add(EntityId id, const std::string& path) {
  auto cell = std::make_shared<Cell>();
  cell->id = id;
  cell->path = path;
  by_id_.insert_or_assign(id, cell);
  MutexLock lock(mutex_);
  if (const auto before = by_path_.find(path); before != by_path_.end()) by_path_.erase(before);
  by_path_.insert(std::move(cell));
}

void EntityNumbers::Remove(EntityId id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  const std::shared_ptr<const Cell> cell = std::move(found->second);
  by_id_.erase(found);
  MutexLock lock(mutex_);
  const auto named = by_path_.find(cell);
  if (named != by_path_.end() && *named == cell) by_path_.erase(named);
}

void EntityNumbers::Note(const LaneId& lane, const LaneCounters& counters) {
  const auto found = by_id_.find(lane.entity);
  if (found == by_id_.end()) return;
  Cell& cell = *found->second;
  const auto store = [&cell](Field field, std::int64_t value) {
    cell.values[field].store(value, std::memory_order_relaxed);
  };
  if (lane.kind == LaneKind::kDeadLetter) {
    store(kDeadLettered, counters.messages());
    cell.bytes[1].store(counters.bytes, std::memory_order_relaxed);
  } else {
    store(kAvailable, counters.fresh + counters.returned);
    store(kLocked, counters.locked);
    store(kDelayed, counters.delayed);
    store(kDeferred, counters.deferred);
    store(kScheduled, counters.scheduled);
    store(kQuarantined, counters.quarantined);
    store(kNumbers, GivenOf(counters));
    store(kAccessedAt, counters.accessed_at.time_since_epoch().count());
    cell.bytes[0].store(counters.all_bytes(), std::memory_order_relaxed);
  }
  store(kBytes, cell.bytes[0].load(std::memory_order_relaxed) +
                    cell.bytes[1].load(std::memory_order_relaxed));
}

void EntityNumbers::NoteOldest(EntityId id, std::optional<Timestamp> came) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  found->second->values[kOldestAt].store(came.value_or(Timestamp()).time_since_epoch().count(),
                                         std::memory_order_relaxed);
}

EntityNumbers::Row EntityNumbers::RowOf(const Cell& cell) {
  Row row{.id = cell.id, .path = cell.path};
  for (std::size_t i = 0; i < kFieldCount; ++i) row.values[i] = cell.values[i];
  return row;
}

bool EntityNumbers::TakeSome(const std::string& after, std::size_t count_max, Slice& cells) const {
  cells.clear();
  MutexLock lock(mutex_);
  auto next = by_path_.upper_bound(after);
  for (; next != by_path_.end() && cells.size() < count_max; ++next) {
    cells.push_back(*next);
  }
  return next != by_path_.end();
}

EntityNumbers::Look EntityNumbers::Read(std::size_t bytes_max, std::size_t row_bytes) const {
  Look look;
  std::size_t bytes = 0;
  Slice cells;
  std::string after;
  for (bool has_more = true; has_more;) {
    has_more = TakeSome(after, kCellsAtATime, cells);
    if (!cells.empty()) after = cells.back()->path;
    for (const auto& cell : cells) {
      ++look.count;
      bytes += cell->path.size() + row_bytes;
      if (bytes > bytes_max) continue;
      look.rows.push_back(RowOf(*cell));
    }
  }
  return look;
}

EntityNumbers::Page EntityNumbers::ReadPage(const std::string& after, std::size_t rows_max) const {
  Page page{.rows = {}, .has_more = true};
  std::string last = after;
  Slice cells;
  while (page.has_more && page.rows.size() < rows_max) {
    page.has_more = TakeSome(last, std::min(kCellsAtATime, rows_max - page.rows.size()), cells);
    for (const auto& cell : cells) page.rows.push_back(RowOf(*cell));
    if (!cells.empty()) last = cells.back()->path;
  }
  return page;
}

}  // namespace wharf
