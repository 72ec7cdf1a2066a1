#include "broker/core/lane.h"

#include <cassert>

namespace wharf {

Lane::Lane(LaneId id, Image image, const WindowLimits& window)
    : id_(id), counters_(image.counters), window_(image.counters, window) {
  for (LockedRow& row : image.locked) locks_.Add(row.token, std::move(row.lock));
}

SequenceNumber Lane::TakeNumber() {
  const SequenceNumber number = counters_.next_number;
  change_counters().next_number = number.Next();
  return number;
}

void Lane::NoteAccess(Timestamp now) {
  constexpr Duration kGrain = std::chrono::minutes(1);
  if (now - counters_.accessed_at >= kGrain) counters_changed_ = true;
  counters_.accessed_at = now;
}

void Lane::Enqueue(MessagePtr message, Changes& changes) {
  window_.AddFresh(message, counters_);
  LaneCounters& counters = change_counters();
  ++counters.fresh;
  counters.bytes += message->facts.size;
  changes.push_back(MessageEnqueued{id_, std::move(message)});
}

ReadyWindow::Head Lane::PopHead() {
  ReadyWindow::Head head = window_.PopHead(counters_);
  LaneCounters& counters = change_counters();
  if (head.was_returned) {
    --counters.returned;
  } else {
    --counters.fresh;
    counters.cursor = head.message->number.Next();
  }
  return head;
}

ReadyWindow::Head Lane::LockHead(const LockToken& token, Timestamp until, HolderId holder,
                                 Changes& changes) {
  ReadyWindow::Head head = PopHead();
  const SequenceNumber number = head.message->number;
  const MessageFacts& facts = head.message->facts;
  ++change_counters().locked;
  locks_.Add(token, Lock{number, until, head.delivery, facts, holder});
  changes.push_back(
      MessageLocked{id_, number, token, until, head.delivery, facts, head.was_returned});
  return head;
}

ReadyWindow::Head Lane::ConsumeHead(Changes& changes) {
  ReadyWindow::Head head = PopHead();
  const MessageFacts& facts = head.message->facts;
  change_counters().bytes -= facts.size;
  changes.push_back(MessageConsumed{id_, head.message->number, facts, head.was_returned});
  return head;
}

void Lane::Renew(const LockToken& token, Timestamp until, Changes& changes) {
  locks_.Renew(token, until);
  const Lock& lock = *locks_.Get(token);
  changes.push_back(LockRenewed{id_, lock.number, token, until, lock.delivery, lock.facts});
}

Lock Lane::RemoveLock(const LockToken& token) {
  Lock lock = locks_.Remove(token);
  --change_counters().locked;
  if (lock.holder != HolderId()) freed_holders_.push_back(lock.holder);
  return lock;
}

Lock Lane::Extract(const LockToken& token) {
  Lock lock = RemoveLock(token);
  LaneCounters& counters = change_counters();
  counters.bytes -= lock.facts.size;
  return lock;
}

void Lane::Complete(const LockToken& token, Changes& changes) {
  const Lock lock = Extract(token);
  changes.push_back(MessageCompleted{id_, lock.number, lock.facts});
}

void Lane::Return(const LockToken& token, Delivery delivery, ReturnCause cause, Changes& changes) {
  const Lock lock = RemoveLock(token);
  window_.AddReturned({lock.number, delivery, lock.facts}, counters_);
  ++change_counters().returned;
  changes.push_back(MessageReturned{id_, lock.number, std::move(delivery), lock.facts, cause});
}

void Lane::Insert(const MessagePtr& message, const Delivery& delivery) {
  window_.AddReturned({message->number, delivery, message->facts}, counters_);
  LaneCounters& counters = change_counters();
  ++counters.returned;
  counters.bytes += message->facts.size;
}

}  // namespace wharf
