#include "broker/engine/delivery/session_waiters.h"

#include <limits>

namespace wharf {

SessionWaiters::Waiter SessionWaiters::Add(SessionWaiter given) {
  const Waiter waiter = std::make_shared<SessionWaiter>(std::move(given));
  Line& line = lines_[waiter->lane];
  List& list = waiter->many ? line.of_many : line.of_one;
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
  Line& line = lines_.at(waiter.lane);
  line.ends.erase({waiter.wait_until, waiter.ticket});
  waiter.wait_until = end;
  line.ends.emplace(std::pair(end, waiter.ticket), &waiter);
}

// A deadline that was its own stays: then the lane is looked at once for nothing.
SessionWaiters::Waiter SessionWaiters::TakeOut(Line& line, SessionWaiter& waiter) {
  const Waiter taken = *waiter.place;
  (waiter.many ? line.of_many : line.of_one).erase(waiter.place);
  if (waiter.receiver != HolderId()) receivers_.erase(waiter.receiver);
  line.ends.erase({waiter.wait_until, waiter.ticket});
  return taken;
}

SessionWaiters::Waiter SessionWaiters::TakeOut(HolderId receiver) {
  const auto found = receivers_.find(receiver);
  if (found == receivers_.end()) return nullptr;
  SessionWaiter& waiter = *found->second;
  Waiter taken = TakeOut(lines_.at(waiter.lane), waiter);
  ForgetIfEmpty(taken->lane);
  return taken;
}

std::vector<SessionWaiters::Waiter> SessionWaiters::TakeAll(LaneId lane) {
  std::vector<Waiter> all;
  Line* line = Find(lane);
  if (line == nullptr) return all;
  while (!line->of_one.empty()) all.push_back(TakeOut(*line, *line->of_one.front()));
  while (!line->of_many.empty()) all.push_back(TakeOut(*line, *line->of_many.front()));
  ForgetIfEmpty(lane);
  return all;
}

std::vector<SessionWaiters::Waiter> SessionWaiters::TakeOver(LaneId lane, Timestamp now) {
  std::vector<Waiter> over;
  Line* line = Find(lane);
  if (line == nullptr) return over;
  while (!line->ends.empty() && line->ends.begin()->first.first <= now) {
    over.push_back(TakeOut(*line, *line->ends.begin()->second));
  }
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
  if (!waiter.many) return TakeOut(line, waiter);
  const auto place = round.many++;
  line.of_many.splice(line.of_many.end(), line.of_many, place);
  waiter.ticket = ++last_ticket_;
  if (round.many == line.of_many.end()) round.many = place;
  return *place;
}

void SessionWaiters::ForgetIfEmpty(LaneId lane) {
  const auto found = lines_.find(lane);
  const bool is_empty =
      found != lines_.end() && found->second.of_one.empty() && found->second.of_many.empty();
  if (!is_empty) return;
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

std::optional<LaneId> SessionWaiters::first_lane() const {
  return lines_.empty() ? std::nullopt : std::optional(lines_.begin()->first);
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
