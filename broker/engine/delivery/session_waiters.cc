#include "broker/engine/delivery/session_waiters.h"

#include <cassert>
#include <limits>
#include <utility>

namespace wharf {

SessionWaiters::Waiter SessionWaiters::Add(SessionWaiter given) {
  const Waiter waiter = std::make_shared<SessionWaiter>(std::move(given));
  Line& line = lines_[waiter->lane];
  List& list = waiter->many ? line.of_many : line.of_one;
  waiter->line = &line;
  waiter->ticket = ++last_ticket_;
  waiter->place = list.insert(list.end(), waiter);
  if (waiter->receiver != HolderId()) receivers_.emplace(waiter->receiver, waiter.get());
  if (waiter->wait_until != kNever) {
    line.ends.emplace(std::pair(waiter->wait_until, waiter->ticket), waiter.get());
    if (waiter->wait_until < line.deadline) SetDeadline(waiter->lane, line, waiter->wait_until);
  }
  return waiter;
}

void SessionWaiters::SetEnd(SessionWaiter& waiter, Timestamp end) {
  Line& line = *waiter.line;
  if (!line.refused.ok()) return;
  line.ends.erase({waiter.wait_until, waiter.ticket});
  waiter.wait_until = end;
  line.ends.emplace(std::pair(end, waiter.ticket), &waiter);
}

// A deadline that was its own stays: then the lane is looked at once for nothing.
SessionWaiters::Waiter SessionWaiters::TakeOut(SessionWaiter& waiter) {
  const Waiter taken = *waiter.place;
  Line& line = *waiter.line;
  (waiter.many ? line.of_many : line.of_one).erase(waiter.place);
  if (waiter.receiver != HolderId()) receivers_.erase(waiter.receiver);
  line.ends.erase({waiter.wait_until, waiter.ticket});
  return taken;
}

SessionWaiters::Waiter SessionWaiters::TakeOut(HolderId receiver) {
  const auto found = receivers_.find(receiver);
  if (found == receivers_.end()) return nullptr;
  Waiter taken = TakeOut(*found->second);
  ForgetIfEmpty(taken->lane);
  return taken;
}

// A node keeps its line where it is, so that its waiters find it.
void SessionWaiters::Refuse(LaneId lane, const Status& reason) {
  auto node = lines_.extract(lane);
  if (node.empty()) return;
  deadlines_.Set(lane, kNever);
  node.mapped().refused = reason;
  refused_.push_back(std::move(node));
}

// Once: no waiter comes when the broker has stopped. Lines stay where they are; their deadlines are
// kept, because to take them down would cost as much as there are.
void SessionWaiters::RefuseAll(const Status& reason) {
  assert(stopped_.empty());
  stopped_ = std::exchange(lines_, {});
  stopped_for_ = reason;
  stopped_deadlines_ = std::exchange(deadlines_, {});
}

std::optional<SessionWaiters::Refused> SessionWaiters::TakeRefused() {
  const Line* line = NextRefused();
  if (line == nullptr) return std::nullopt;
  const List& list = line->of_one.empty() ? line->of_many : line->of_one;
  return Refused{TakeOut(*list.front()), line->refused};
}

SessionWaiters::Line* SessionWaiters::NextRefused() {
  while (has_refused()) {
    if (refused_.empty()) {
      refused_.push_back(stopped_.extract(stopped_.begin()));
      refused_.back().mapped().refused = stopped_for_;
    }
    Line& line = refused_.front().mapped();
    if (!line.empty()) return &line;
    refused_.pop_front();
  }
  return nullptr;
}

bool SessionWaiters::HasOver(LaneId lane, Timestamp now) const {
  const auto found = lines_.find(lane);
  if (found == lines_.end()) return false;
  const auto& ends = found->second.ends;
  return !ends.empty() && ends.begin()->first.first <= now;
}

SessionWaiters::Waiter SessionWaiters::TakeOver(LaneId lane, Timestamp now) {
  if (!HasOver(lane, now)) return nullptr;
  Waiter over = TakeOut(*lines_.at(lane).ends.begin()->second);
  ForgetIfEmpty(lane);
  return over;
}

SessionWaiters::Line* SessionWaiters::Find(LaneId lane) {
  const auto found = lines_.find(lane);
  return found == lines_.end() ? nullptr : &found->second;
}

SessionWaiter* SessionWaiters::Next(Round& round, Wants wants) {
  Line& line = round.line;
  while (round.many != line.of_many.end() && !wants(**round.many)) ++round.many;
  SessionWaiter* of_one = line.of_one.empty() ? nullptr : line.of_one.front().get();
  SessionWaiter* of_many = round.many == line.of_many.end() ? nullptr : round.many->get();
  if (of_one == nullptr || of_many == nullptr) return of_one == nullptr ? of_many : of_one;
  return of_one->ticket < of_many->ticket ? of_one : of_many;
}

SessionWaiters::Waiter SessionWaiters::Serve(Round& round, SessionWaiter& waiter) {
  Line& line = round.line;
  if (!waiter.many) return TakeOut(waiter);
  const auto place = round.many++;
  line.of_many.splice(line.of_many.end(), line.of_many, place);
  waiter.ticket = ++last_ticket_;
  if (round.many == line.of_many.end()) round.many = place;
  return *place;
}

void SessionWaiters::ForgetIfEmpty(LaneId lane) {
  const auto found = lines_.find(lane);
  if (found == lines_.end() || !found->second.empty()) return;
  deadlines_.Set(lane, kNever);
  lines_.erase(found);
}

std::size_t SessionWaiters::size(LaneId lane) const {
  const auto found = lines_.find(lane);
  return found == lines_.end() ? 0 : found->second.of_one.size() + found->second.of_many.size();
}

bool SessionWaiters::HasOne(LaneId lane) const {
  const auto found = lines_.find(lane);
  return found != lines_.end() && !found->second.of_one.empty();
}

// Those whose time is over may have to stay, while something may be found for them; they need no
// deadline, and the others have theirs.
std::optional<LaneId> SessionWaiters::TakeDue(Timestamp now) {
  const std::optional<LaneId> lane = deadlines_.TakeDue(now);
  if (!lane) return lane;
  Line& line = lines_.at(*lane);
  const auto next = line.ends.upper_bound({now, std::numeric_limits<std::uint64_t>::max()});
  SetDeadline(*lane, line, next == line.ends.end() ? kNever : next->first.first);
  return lane;
}

void SessionWaiters::SetDeadline(LaneId lane, Line& line, Timestamp deadline) {
  line.deadline = deadline;
  deadlines_.Set(lane, deadline);
}

}  // namespace wharf
