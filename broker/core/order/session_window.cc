#include "broker/core/order/session_window.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace wharf {
namespace {

std::size_t HeldBytes(const WaitingMessage& waiting) {
  return waiting.message ? static_cast<std::size_t>(waiting.facts.held_size()) : 0;
}

}  // namespace

const WaitingMessage* SessionWindow::deliverable() const {
  const WaitingMessage* head = first();
  return head != nullptr && head->message && !is_blocked() ? head : nullptr;
}

bool SessionWindow::is_exhausted() const { return waiting_.empty() && end_ == kNumberEnd; }

SequenceNumber SessionWindow::lower_bound() const {
  return waiting_.empty() ? end_ : waiting_.begin()->first;
}

WaitingMessage SessionWindow::PopFirst() {
  assert(!waiting_.empty());
  WaitingMessage popped = std::move(waiting_.begin()->second);
  waiting_.erase(waiting_.begin());
  bytes_ -= HeldBytes(popped);
  return popped;
}

void SessionWindow::Add(WaitingMessage message, const SessionWindowLimits& limits) {
  if (message.message && !message.message->is_deliverable()) message.message = nullptr;
  if (message.number < end_) {
    Insert(std::move(message), limits);
  } else if (is_reading_) {
    added_meanwhile_.push_back(std::move(message));
  }
}

// Beyond the bound the highest goes: it is the last that anyone will want.
void SessionWindow::Insert(WaitingMessage message, const SessionWindowLimits& limits) {
  const SequenceNumber number = message.number;
  Erase(number);
  bytes_ += HeldBytes(message);
  waiting_.emplace(number, std::move(message));
  while (waiting_.size() > 1 &&
         (waiting_.size() > limits.messages_max || bytes_ > limits.bytes_max)) {
    const auto last = std::prev(waiting_.end());
    end_ = last->first;
    bytes_ -= HeldBytes(last->second);
    waiting_.erase(last);
    ++epoch_;
  }
}

void SessionWindow::Erase(SequenceNumber number) {
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return;
  bytes_ -= HeldBytes(found->second);
  waiting_.erase(found);
}

void SessionWindow::Remove(SequenceNumber number) {
  Erase(number);
  if (!is_reading_) return;
  removed_meanwhile_.insert(number);
  std::erase_if(added_meanwhile_,
                [number](const WaitingMessage& added) { return added.number == number; });
}

MessageRun SessionWindow::ReadyRun(Timestamp now, MessageRun::Between between,
                                   const RunLimits& limits) const {
  MessageRun run{.limits = limits};
  for (const auto& [number, waiting] : waiting_) {
    const bool fits = waiting.standing == Standing::kFresh && MessageRun::Fits(waiting.facts, now);
    if (!fits || !run.Extend(number, waiting.facts.size, between)) break;
  }
  return run;
}

void SessionWindow::RemoveSpan(const Span& span) {
  for (auto it = waiting_.lower_bound(span.first);
       it != waiting_.end() && it->first <= span.last;) {
    if (!span.Covers(it->first)) {
      ++it;
      continue;
    }
    bytes_ -= HeldBytes(it->second);
    it = waiting_.erase(it);
  }
  std::erase_if(added_meanwhile_,
                [&span](const WaitingMessage& added) { return span.Covers(added.number); });
}

void SessionWindow::RemoveThrough(SequenceNumber through) {
  while (!waiting_.empty() && waiting_.begin()->first <= through) Erase(waiting_.begin()->first);
  std::erase_if(added_meanwhile_,
                [through](const WaitingMessage& added) { return added.number <= through; });
  if (end_ > through) return;
  end_ = through.Next();
  ++epoch_;
}

void SessionWindow::RemoveAll() {
  waiting_.clear();
  added_meanwhile_.clear();
  bytes_ = 0;
  end_ = kNumberEnd;
  ++epoch_;
}

void SessionWindow::Drop() {
  end_ = lower_bound();
  waiting_.clear();
  bytes_ = 0;
  ++epoch_;
}

void SessionWindow::Restart() {
  Drop();
  end_ = SequenceNumber();
}

std::optional<SessionRead> SessionWindow::NextRead(const std::string& session,
                                                   const SessionWindowLimits& limits) {
  if (is_reading_) return std::nullopt;
  std::optional<SessionRead> read = NextContentRead(limits);
  const bool is_low = waiting_.size() <= limits.messages_max / 2 && bytes_ <= limits.bytes_max / 2;
  if (!read && end_ != kNumberEnd && is_low) {
    read = ReadSession{session, end_, limits.messages_max - waiting_.size(),
                       limits.bytes_max - bytes_};
  }
  if (!read) return read;
  is_reading_ = true;
  reading_epoch_ = epoch_;
  return read;
}

// The head whatever its size, and what has room behind it.
std::optional<SessionRead> SessionWindow::NextContentRead(const SessionWindowLimits& limits) const {
  if (waiting_.empty() || waiting_.begin()->second.message) return std::nullopt;
  ReadContent read;
  std::size_t bytes = bytes_;
  for (const auto& [number, waiting] : waiting_) {
    const bool is_head = read.numbers.empty();
    if (read.numbers.size() == limits.content_ahead || (!is_head && bytes >= limits.bytes_max)) {
      break;
    }
    if (waiting.message) continue;
    read.numbers.push_back(number);
    bytes += static_cast<std::size_t>(waiting.facts.held_size());
  }
  return read;
}

std::vector<UnreadableMessage> SessionWindow::Take(SessionReadBatch batch,
                                                   const SessionWindowLimits& limits) {
  is_reading_ = false;
  std::vector<UnreadableMessage> unreadable;
  if (auto* content = std::get_if<ContentBatch>(&batch)) {
    TakeContent(*content);
    unreadable = std::move(content->unreadable);
  } else {
    auto& messages = std::get<SessionBatch>(batch);
    if (reading_epoch_ == epoch_ && messages.from == end_) {
      TakeMessages(messages, limits);
      unreadable = std::move(messages.unreadable);
    }
  }
  std::erase_if(unreadable, [this](const UnreadableMessage& each) {
    return removed_meanwhile_.contains(each.number);
  });
  added_meanwhile_.clear();
  removed_meanwhile_.clear();
  return unreadable;
}

void SessionWindow::TakeMessages(SessionBatch& batch, const SessionWindowLimits& limits) {
  end_ = batch.covered;
  for (WaitingMessage& message : batch.messages) {
    // The bound may be reached before the batch is in.
    if (message.number >= end_) break;
    if (!removed_meanwhile_.contains(message.number)) Insert(std::move(message), limits);
  }
  for (WaitingMessage& message : added_meanwhile_) {
    if (message.number < end_) Insert(std::move(message), limits);
  }
}

// The content of a number never changes, so it is right whenever it comes.
void SessionWindow::TakeContent(ContentBatch& batch) {
  std::erase_if(batch.unreadable, [this](UnreadableMessage& each) {
    const auto found = waiting_.find(each.number);
    if (found == waiting_.end() || found->second.message) return true;
    each.standing = found->second.standing;
    each.delivery = found->second.delivery;
    each.facts = found->second.facts;
    return false;
  });
  for (const MessagePtr& message : batch.messages) {
    const auto found = waiting_.find(message->number);
    if (found == waiting_.end() || found->second.message) continue;
    found->second.message = message;
    bytes_ += HeldBytes(found->second);
  }
}

}  // namespace wharf
