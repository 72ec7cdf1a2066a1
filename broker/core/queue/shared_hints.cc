#include "broker/core/queue/shared_hints.h"

#include <algorithm>

#include "broker/core/order/partition.h"

namespace wharf {
namespace {

// Of a hint that begins with the message.
SequenceNumber EndOf(const StoredMessage& message) {
  return SequenceNumber(message.number.value() + SharedHints::kNumbersMax);
}

}  // namespace

// The sweeper takes up what is due at the instant that it is, and reads what came before: whoever
// comes at that instant or later has another hint.
bool SharedHints::IsOpenAt(const Open& open, Timestamp now) {
  return now < open.shared.hint.time && now <= open.shared.came_until;
}

bool SharedHints::IsOpenFor(const Open& open, const StoredMessage& message) {
  return IsOpenAt(open, message.enqueued_at) &&
         PartitionOf(open.shared.hint.number) == PartitionOf(message.number);
}

bool SharedHints::HasOpen(Timestamp now) const {
  return std::any_of(open_.begin(), open_.end(),
                     [now](const Open& open) { return IsOpenAt(open, now); });
}

SharedHints::Open SharedHints::Begin(const Shelf& shelf, const StoredMessage& message) const {
  const Timestamp time = message.facts.expires_at;
  Timestamp until = After(time, length_);
  for (const Open& other : open_) {
    const Timestamp begin = other.shared.hint.time;
    if (begin > time && IsOpenFor(other, message)) until = std::min(until, begin - Duration(1));
  }
  const DueHint hint{time, DueKind::kExpireShared, shelf, message.number};
  return {{hint, EndOf(message), After(message.enqueued_at, length_), until}, time};
}

bool SharedHints::Take(const Shelf& shelf, const StoredMessage& message, Changes& changes) {
  const Timestamp time = message.facts.expires_at;
  if (time == kNever) return false;
  const auto open = std::find_if(open_.begin(), open_.end(), [&](const Open& each) {
    return each.shared.hint.time <= time && time <= each.shared.expire_until &&
           IsOpenFor(each, message);
  });
  if (open == open_.end()) {
    Open begun = Begin(shelf, message);
    if (open_.size() == kOpenMax) open_.pop_back();
    open_.insert(open_.begin(), begun);
    return false;
  }
  if (time < open->last) return false;
  if (!open->is_written || message.number >= open->shared.end) {
    open->is_written = true;
    open->shared.hint.time = time;
    open->shared.hint.number = message.number;
    open->shared.end = EndOf(message);
    changes.push_back(HintShared{open->shared});
  }
  open->last = time;
  std::rotate(open_.begin(), open, open + 1);
  return true;
}

}  // namespace wharf
