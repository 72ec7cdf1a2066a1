#include "broker/schema/garbage.h"

#include <iterator>
#include <utility>

#include "broker/core/messages/message.h"
#include "broker/core/order/partition.h"
#include "broker/schema/event_record.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

bool IsOfSpans(const WatchedWrite& write) { return write.rows.table == IdOf(Table::kSpans); }

// The key that a message would have behind the last of the span.
std::string KeyBehind(const std::string& key, const Span& span) {
  return MessageKey(*ShelfOfMessageKey(key), span.last.Next());
}

template <typename Rows>
bool EraseRows(Rows& rows, const KeyRange& range) {
  if (range.begin >= range.end) return false;
  const auto begin = rows.lower_bound(range.begin);
  const auto end = rows.lower_bound(range.end);
  if (begin == end) return false;
  rows.erase(begin, end);
  return true;
}

}  // namespace

// What cannot be read is kept: its reader shall hear of it.
bool Garbage::IsForgotten(std::string_view record) const {
  const Result<DuplicateRow> row = DecodeDuplicate(record);
  return row.ok() && row->forget_after <= committed_.load(std::memory_order_relaxed);
}

bool Garbage::IsForgottenOutcome(std::string_view record) const {
  const Result<TransactionRecord> row = DecodeTransaction(TransactionId(), record);
  return row.ok() && row->forget_after <= committed_.load(std::memory_order_relaxed);
}

bool Garbage::IsForgottenEvents(std::string_view record) const {
  const std::optional<Timestamp> forget_after = ForgetAfterOf(record);
  return forget_after && *forget_after <= committed_.load(std::memory_order_relaxed);
}

// As if it were applied now; no view is open that is older.
Status Garbage::Load(const Store& store) {
  BatchNotes notes;
  Status status;
  {
    const auto view = store.View();
    const auto rows = view->Scan(IdOf(Table::kSpans), {std::string(), std::string(1, '\xFF')});
    for (; rows->valid(); rows->Next()) {
      const std::string key(rows->key());
      notes.watched.push_back(
          {{IdOf(Table::kSpans), {key, key + '\0'}}, std::string(rows->value())});
    }
    status = rows->status();
  }
  OnApplied(notes);
  return status.is_damage() ? Status::Ok() : status;
}

void Garbage::OnApplying(const BatchNotes& notes) {
  MutexLock lock(mutex_);
  for (const WatchedWrite& write : notes.watched) {
    if (IsOfSpans(write) && !write.value) Forget(write.rows.range);
  }
}

// In the order of the writes: what is forgotten here was learned from one of them.
void Garbage::OnApplied(const BatchNotes& notes) {
  if (notes.time) committed_.store(*notes.time, std::memory_order_relaxed);
  MutexLock lock(mutex_);
  for (const WatchedWrite& write : notes.watched) {
    if (IsOfSpans(write)) Take(write);
  }
  Believe();
}

void Garbage::Refresh() {
  MutexLock lock(mutex_);
  Believe();
}

void Garbage::Take(const WatchedWrite& write) {
  const std::string& key = write.rows.range.begin;
  if (!write.value) return Forget(write.rows.range);
  const auto first = NumberOfMessageKey(key);
  if (!first || !ShelfOfMessageKey(key)) return;
  Result<Span> span = DecodeSpan(*first, *write.value);
  if (!span.ok()) return;
  next_.spans.insert_or_assign(key, std::make_shared<const Span>(*std::move(span)));
  next_.since = views_.Begin();
}

void Garbage::Forget(const KeyRange& rows) {
  EraseRows(waiting_.spans, rows);
  EraseRows(next_.spans, rows);
  if (EraseRows(known_, rows)) NoteChange();
}

void Garbage::Believe() {
  if (waiting_.spans.empty()) std::swap(waiting_, next_);
  while (!waiting_.spans.empty() && views_.IsReached(waiting_.since)) {
    for (auto& [key, span] : waiting_.spans) known_.insert_or_assign(key, std::move(span));
    waiting_ = std::exchange(next_, {});
    NoteChange();
  }
}

Garbage::Stretch Garbage::StretchAt(std::string_view key) const {
  MutexLock lock(mutex_);
  Stretch stretch{.version = version_.load(std::memory_order_relaxed)};
  const auto next = known_.upper_bound(key);
  if (next != known_.end()) stretch.end = next->first;
  if (next == known_.begin()) return stretch;
  const auto& [first, span] = *std::prev(next);
  std::string behind = KeyBehind(first, *span);
  if (key < behind) {
    stretch.begin = first;
    stretch.end = std::move(behind);
    stretch.span = span;
  } else {
    stretch.begin = std::move(behind);
  }
  return stretch;
}

// For what is rewritten for such a range room is found, and its bytes are counted, as if all of it
// went.
bool Garbage::IsNearlyAllGarbage(const Span& span) {
  return 10 * span.exceptions.size() <= span.last.value() - span.first.value() + 1;
}

std::vector<KeyRange> Garbage::CoveredFrom(std::string_view from, std::size_t count) const {
  MutexLock lock(mutex_);
  std::vector<KeyRange> ranges;
  auto next = known_.upper_bound(from);
  if (next != known_.begin()) --next;
  for (; next != known_.end() && ranges.size() < count; ++next) {
    if (!IsNearlyAllGarbage(*next->second)) continue;
    std::string behind = KeyBehind(next->first, *next->second);
    if (behind > from) ranges.push_back({next->first, std::move(behind)});
  }
  return ranges;
}

// A partition is its own track. Levels have their numbers in common, and partition 0 may be none:
// there an exception may be of any level, and others of its level live as well.
void Garbage::AddInTrack(const Shelf& shelf, std::uint8_t track, SpanRows::const_iterator begin,
                         SpanRows::const_iterator end, std::string_view from, std::size_t count,
                         std::vector<KeyRange>& ranges) {
  MessageFacts facts;
  facts.track = track;
  for (auto row = begin; row != end && ranges.size() < count; ++row) {
    const Span& span = *row->second;
    const PartitionId partition = PartitionOf(span.first);
    const bool may_be_there = partition == 0 ? span.exceptions.empty() : partition == track;
    if (!may_be_there || !IsNearlyAllGarbage(span)) continue;
    std::string behind = OrderKey(shelf, facts.ordering_key(), span.last.Next());
    if (behind <= from) continue;
    ranges.push_back({OrderKey(shelf, facts.ordering_key(), span.first), std::move(behind)});
  }
}

std::vector<KeyRange> Garbage::CoveredInTracksFrom(std::string_view from, std::size_t count) const {
  MutexLock lock(mutex_);
  std::vector<KeyRange> ranges;
  auto begin = known_.lower_bound(from.substr(0, kShelfKeyBytes));
  while (begin != known_.end() && ranges.size() < count) {
    const Shelf shelf = *ShelfOfMessageKey(begin->first);
    const auto end = known_.lower_bound(ShelfRange(shelf).end);
    for (std::uint8_t track = 0; track < kTracksMax; ++track) {
      AddInTrack(shelf, track, begin, end, from, count, ranges);
    }
    begin = end;
  }
  return ranges;
}

}  // namespace wharf
