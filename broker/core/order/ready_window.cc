#include "broker/core/order/ready_window.h"

#include <algorithm>
#include <cassert>

namespace wharf {
namespace {

// The first number from there on that the span does not cover.
SequenceNumber FirstNotCovered(const Span& span, SequenceNumber from) {
  if (!span.Covers(from)) return from;
  const auto exception = std::upper_bound(span.exceptions.begin(), span.exceptions.end(), from);
  return exception == span.exceptions.end() ? span.last.Next() : *exception;
}

}  // namespace

ReadyWindow::ReadyWindow(const LaneCounters& counters, const WindowLimits& limits)
    : limits_(limits), fresh_end_(counters.cursor) {}

// Only a message that was taken by its number can be returned at or above the cursor.
std::optional<bool> ReadyWindow::IsReturnedFirst(const LaneCounters& counters) const {
  const SequenceNumber lowest = returned_.begin()->first;
  if (lowest < counters.cursor || counters.fresh == 0) return true;
  if (fresh_.empty()) return std::nullopt;
  return lowest < fresh_.begin()->first;
}

const ReadyWindow::Head* ReadyWindow::head(const LaneCounters& counters) const {
  if (counters.returned == 0) return fresh_.empty() ? nullptr : &fresh_.begin()->second;
  if (returned_.empty()) return nullptr;
  const std::optional<bool> is_returned_first = IsReturnedFirst(counters);
  if (!is_returned_first) return nullptr;
  if (!*is_returned_first) return &fresh_.begin()->second;
  const Head& first = returned_.begin()->second.head;
  return first.message ? &first : nullptr;
}

ReadyWindow::Head ReadyWindow::PopHead(const LaneCounters& counters) {
  assert(head(counters) != nullptr);
  Head popped;
  if (counters.returned > 0 && *IsReturnedFirst(counters)) {
    popped = std::move(returned_.begin()->second.head);
    returned_.erase(returned_.begin());
  } else {
    popped = std::move(fresh_.begin()->second);
    fresh_.erase(fresh_.begin());
  }
  bytes_ -= static_cast<std::size_t>(popped.message->facts.held_size());
  return popped;
}

void ReadyWindow::PassHead() {
  assert(!returned_.empty() && returned_.begin()->second.head.message);
  const auto first = returned_.begin();
  bytes_ -= static_cast<std::size_t>(first->second.facts.held_size());
  passed_end_ = std::max(passed_end_, first->first.Next());
  returned_.erase(first);
  ++passed_;
}

std::vector<MessagePtr> ReadyWindow::Ahead(std::size_t count_max) const {
  std::vector<MessagePtr> ahead;
  auto returned = returned_.begin();
  auto fresh = fresh_.begin();
  while (ahead.size() < count_max && (returned != returned_.end() || fresh != fresh_.end())) {
    const bool is_returned_next =
        fresh == fresh_.end() || (returned != returned_.end() && returned->first < fresh->first);
    const Head& next = is_returned_next ? (returned++)->second.head : (fresh++)->second;
    if (next.message) ahead.push_back(next.message);
  }
  return ahead;
}

void ReadyWindow::Remove(SequenceNumber number, Standing from) {
  if (is_reading_) {
    removed_meanwhile_.insert(number);
    std::erase_if(returned_meanwhile_,
                  [number](const ReturnedRow& row) { return row.number == number; });
  }
  if (from == Standing::kFresh) {
    const auto found = fresh_.find(number);
    if (found == fresh_.end()) return;
    bytes_ -= static_cast<std::size_t>(found->second.message->facts.held_size());
    fresh_.erase(found);
    return;
  }
  const auto found = returned_.find(number);
  if (found == returned_.end()) {
    if (passed_ > 0 && number < passed_end_) --passed_;
    return;
  }
  if (found->second.head.message)
    bytes_ -= static_cast<std::size_t>(found->second.facts.held_size());
  returned_.erase(found);
}

void ReadyWindow::AddFresh(const MessagePtr& message, const LaneCounters& counters) {
  if (!HasAllFresh(counters) || !HasRoom() || !message->is_deliverable()) return;
  fresh_.emplace_hint(fresh_.end(), message->number, Head{message, Delivery(), Standing::kFresh});
  fresh_end_ = message->number.Next();
  bytes_ += static_cast<std::size_t>(message->facts.held_size());
}

void ReadyWindow::AddReturned(ReturnedRow row, const LaneCounters& counters) {
  if (HasAllReturned(counters)) returned_end_ = kNumberEnd;
  if (row.number < returned_end_) {
    InsertReturned(std::move(row));
  } else if (is_reading_) {
    returned_meanwhile_.push_back(std::move(row));
  }
}

MessageRun ReadyWindow::ReadyRun(Timestamp now, MessageRun::Between between,
                                 const RunLimits& limits) const {
  MessageRun run{.limits = limits};
  for (const auto& [number, head] : fresh_) {
    const MessageFacts& facts = head.message->facts;
    if (!MessageRun::Fits(facts, now) || !run.Extend(number, facts.size, between)) break;
  }
  return run;
}

// Where the window ended among those that are gone, it ends behind them: at the first that may
// still be there.
void ReadyWindow::RemoveSpan(const Span& span, const LaneCounters& counters) {
  for (auto it = fresh_.lower_bound(span.first); it != fresh_.end() && it->first <= span.last;) {
    if (!span.Covers(it->first)) {
      ++it;
      continue;
    }
    bytes_ -= static_cast<std::size_t>(it->second.message->facts.held_size());
    it = fresh_.erase(it);
  }
  fresh_end_ = FirstNotCovered(span, fresh_end_);
  if (counters.fresh == 0) fresh_end_ = std::max(fresh_end_, counters.next_number);
}

// Beyond the bound the highest goes: it is the last that anyone will want.
void ReadyWindow::InsertReturned(ReturnedRow row) {
  const SequenceNumber number = row.number;
  returned_.emplace(
      number,
      ReturnedEntry{Head{nullptr, std::move(row.delivery), Standing::kReturned}, row.facts});
  if (returned_.size() <= limits_.messages_max) return;
  const auto last = std::prev(returned_.end());
  if (last->second.head.message) bytes_ -= static_cast<std::size_t>(last->second.facts.held_size());
  returned_end_ = last->first;
  returned_.erase(last);
  ++epoch_;
  // What was passed would be read, and counted, once more.
  if (returned_end_ < passed_end_) ForgetReturned();
}

void ReadyWindow::ForgetReturned() {
  for (const auto& [number, entry] : returned_) {
    if (entry.head.message) bytes_ -= static_cast<std::size_t>(entry.facts.held_size());
  }
  returned_.clear();
  returned_end_ = SequenceNumber();
  passed_ = 0;
  passed_end_ = SequenceNumber();
  ++epoch_;
}

std::optional<WindowRead> ReadyWindow::NextRead(const LaneCounters& counters, bool is_wanted) {
  if (is_reading_ || !is_wanted) return std::nullopt;
  std::optional<WindowRead> read = NextContentRead();
  if (!read) read = NextReturnedRead(counters);
  if (!read) read = NextFreshRead(counters);
  if (read) {
    is_reading_ = true;
    reading_epoch_ = epoch_;
  }
  return read;
}

// Reads well ahead, but not a few rows at a time: only when a gap lies near the head.
std::optional<WindowRead> ReadyWindow::NextContentRead() const {
  ReadContent read;
  std::size_t position = 0;
  std::size_t first_gap = limits_.content_ahead + 1;
  std::size_t bytes = bytes_;
  for (const auto& [number, entry] : returned_) {
    const bool is_head = position == 0;
    if (position == limits_.content_ahead || (!is_head && bytes >= limits_.bytes_max)) break;
    ++position;
    if (entry.head.message) continue;
    first_gap = std::min(first_gap, position);
    read.numbers.push_back(number);
    bytes += static_cast<std::size_t>(entry.facts.held_size());
  }
  if (first_gap > (limits_.content_ahead + 1) / 2) return std::nullopt;
  return read;
}

std::optional<WindowRead> ReadyWindow::NextReturnedRead(const LaneCounters& counters) const {
  const bool is_low = returned_.size() <= limits_.messages_max / 2;
  if (HasAllReturned(counters) || !is_low) return std::nullopt;
  return ReadReturned{returned_end_, limits_.messages_max - returned_.size()};
}

std::optional<WindowRead> ReadyWindow::NextFreshRead(const LaneCounters& counters) const {
  const bool is_low = messages() <= limits_.messages_max / 2 && bytes_ <= limits_.bytes_max / 2;
  // Returned messages above the cursor may fill the window and still wait for lower fresh ones.
  const bool is_blocked = fresh_.empty() && !returned_.empty() && !IsReturnedFirst(counters);
  if (HasAllFresh(counters) || (!is_low && !is_blocked)) return std::nullopt;
  return ReadFresh{fresh_end_, counters.next_number,
                   limits_.messages_max - std::min(messages(), limits_.messages_max - 1),
                   limits_.bytes_max - std::min(bytes_, limits_.bytes_max - 1)};
}

std::vector<UnreadableMessage> ReadyWindow::Take(WindowBatch batch, const LaneCounters& counters) {
  is_reading_ = false;
  const bool is_current = reading_epoch_ == epoch_;
  std::vector<UnreadableMessage> unreadable;
  if (auto* content = std::get_if<ContentBatch>(&batch)) {
    TakeContent(*content);
    unreadable = std::move(content->unreadable);
  } else if (auto* fresh = std::get_if<FreshBatch>(&batch)) {
    // Its end may have moved meanwhile, over what is gone.
    if (is_current && fresh->from <= fresh_end_ && fresh_end_ <= fresh->covered) {
      TakeFresh(*fresh, counters);
      unreadable = std::move(fresh->unreadable);
    }
  } else if (auto* returned = std::get_if<ReturnedBatch>(&batch)) {
    if (is_current && returned->from == returned_end_) {
      TakeReturned(*returned);
      unreadable = std::move(returned->unreadable);
    }
  }
  std::erase_if(unreadable, [this](const UnreadableMessage& each) {
    return removed_meanwhile_.contains(each.number);
  });
  returned_meanwhile_.clear();
  removed_meanwhile_.clear();
  return unreadable;
}

std::optional<std::int64_t> ReadyWindow::AllFresh(const LaneCounters& counters) const {
  if (fresh_end_ < counters.next_number) return std::nullopt;
  return static_cast<std::int64_t>(fresh_.size());
}

std::optional<std::int64_t> ReadyWindow::AllReturned() const {
  if (returned_end_ != kNumberEnd) return std::nullopt;
  return static_cast<std::int64_t>(returned_.size() + passed_);
}

void ReadyWindow::TakeFresh(FreshBatch& batch, const LaneCounters& counters) {
  const SequenceNumber begin = std::max(counters.cursor, fresh_end_);
  std::erase_if(batch.unreadable,
                [&](const UnreadableMessage& each) { return each.number < begin; });
  for (MessagePtr& message : batch.messages) {
    if (message->number < begin || removed_meanwhile_.contains(message->number)) continue;
    bytes_ += static_cast<std::size_t>(message->facts.held_size());
    const SequenceNumber number = message->number;
    fresh_.emplace_hint(fresh_.end(), number,
                        Head{std::move(message), Delivery(), Standing::kFresh});
  }
  fresh_end_ = batch.covered;
}

// What returned meanwhile below them may leave no room for all: then the end goes down, and what is
// read of those behind it would stand beyond a gap.
void ReadyWindow::TakeReturned(ReturnedBatch& batch) {
  returned_end_ = batch.covered;
  for (ReturnedRow& row : batch.rows) {
    if (row.number >= returned_end_) break;
    if (!removed_meanwhile_.contains(row.number)) InsertReturned(std::move(row));
  }
  for (ReturnedRow& row : returned_meanwhile_) {
    if (row.number < returned_end_) InsertReturned(std::move(row));
  }
}

// The content of a number never changes, so it is right whenever it comes.
void ReadyWindow::TakeContent(ContentBatch& batch) {
  std::erase_if(batch.unreadable, [this](UnreadableMessage& each) {
    const auto found = returned_.find(each.number);
    if (found == returned_.end() || found->second.head.message) return true;
    each.standing = Standing::kReturned;
    each.delivery = found->second.head.delivery;
    each.facts = found->second.facts;
    return false;
  });
  for (const MessagePtr& message : batch.messages) {
    const auto found = returned_.find(message->number);
    if (found == returned_.end() || found->second.head.message) continue;
    found->second.head.message = message;
    bytes_ += static_cast<std::size_t>(message->facts.held_size());
  }
}

const char* ReadyWindow::Contradiction(const LaneCounters& counters) const {
  if (counters.is_uncertain) return nullptr;
  const auto fresh = static_cast<std::int64_t>(fresh_.size());
  const auto returned = static_cast<std::int64_t>(returned_.size() + passed_);
  if (returned > counters.returned) return "more messages are available again than are counted";
  if (fresh > counters.fresh)
    return "more messages wait that were never delivered than are counted";
  const bool knows_returned = returned_end_ == kNumberEnd;
  if (knows_returned && returned < counters.returned) {
    return "fewer messages are available again than are counted";
  }
  const bool knows_fresh = fresh_end_ >= counters.next_number;
  if (knows_fresh && fresh < counters.fresh) {
    return "fewer messages wait that were never delivered than are counted";
  }
  return nullptr;
}

void ReadyWindow::Drop(const LaneCounters& counters) {
  ForgetReturned();
  fresh_.clear();
  fresh_end_ = counters.cursor;
  bytes_ = 0;
}

}  // namespace wharf
