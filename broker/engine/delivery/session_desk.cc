#include "broker/engine/delivery/session_desk.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "broker/reading/session_reader.h"
#include "storage/base/log_fields.h"

namespace wharf {
namespace {

// Sessions of one lane that are accepted in a turn.
constexpr std::size_t kAcceptedPerTurn = 256;
// Sessions that are looked at because they may be the next. The next caller finds one that is
// known, instead of waiting for a commit and a read.
constexpr std::size_t kLooksAhead = 128;

Status NoSession(const Queue& queue) {
  return {ErrorCode::kServiceTimeout,
          fmt::format("no session of '{}' had a message to deliver in the time given",
                      queue.description().name)};
}

}  // namespace

Session* SessionDesk::Find(const LineId& line) {
  Queue* queue = context_.catalog.Find(line.lane.entity);
  if (queue == nullptr) return nullptr;
  SessionBook* sessions = queue->lane(line.lane.kind).sessions();
  return sessions == nullptr ? nullptr : sessions->Find(line.session);
}

// --- accepting

SessionDesk::Wait SessionDesk::Accept(LaneId lane, const SessionChoice& choice, ActorPtr actor,
                                      Accepted accepted, Turn& turn) {
  if (choice.id) {
    AcceptNamed(lane, {.actor = std::move(actor)}, choice, std::move(accepted), turn);
    return {};
  }
  const std::size_t waiting = waiters_.size(lane);
  if (waiting >= kCallsWaitingMax) {
    std::move(accepted)(turn, Status(ErrorCode::kQuotaExceeded,
                                     fmt::format("{} calls wait for a session already", waiting)));
    return {};
  }
  return StandInLine({.lane = lane,
                      .actor = std::move(actor),
                      .accepted = std::move(accepted),
                      .wait_until = After(turn.now, choice.wait),
                      .held_by = choice.held_by});
}

void SessionDesk::Seat(HolderId receiver, LaneId lane, const SessionChoice& choice, Turn& turn) {
  if (choice.id) return AcceptNamed(lane, {receiver}, choice, SeatedBy(receiver), turn);
  StandInLine({.lane = lane,
               .receiver = receiver,
               .accepted = SeatedBy(receiver),
               .wait_until = After(turn.now, choice.wait),
               .held_by = choice.held_by});
}

void SessionDesk::Seat(HolderId receiver, LaneId lane, const ManySessions& many, Turn&) {
  StandInLine({.lane = lane, .receiver = receiver, .accepted = SeatedBy(receiver), .many = many});
}

SessionDesk::Wait SessionDesk::StandInLine(SessionWaiter waiter) {
  context_.touched.Touch(waiter.lane);
  waiter.since = clock_.Now();
  return waiters_.Add(std::move(waiter));
}

void SessionDesk::EndWait(const Wait& wait, Turn& turn) {
  const std::shared_ptr<SessionWaiter> waiter = wait.lock();
  if (waiter == nullptr) return;
  waiters_.SetEnd(*waiter, turn.now);
  context_.touched.Touch(waiter->lane);
}

bool SessionDesk::HasWaiting(EntityId entity) const {
  return waiters_.HasOne({entity, LaneKind::kMain});
}

// A receiver that gets no session has nothing to do.
SessionDesk::Accepted SessionDesk::SeatedBy(HolderId receiver) {
  return [this, receiver](Turn& turn, const Result<AcceptedSession>& session) {
    if (!session.ok()) dispatcher_.End(receiver, session.status(), turn);
  };
}

// One whose lock is over is accepted when its messages are back.
void SessionDesk::AcceptNamed(LaneId lane, const Taker& taker, const SessionChoice& choice,
                              Accepted accepted, Turn& turn) {
  const std::string& id = *choice.id;
  const Result<Queue*> queue = finder_.FindOpen(lane.entity);
  Status refused = queue.ok() ? (*queue)->sessions().CheckAccept(lane.kind, id) : queue.status();
  if (!refused.ok()) return std::move(accepted)(turn, std::move(refused));
  Session* known = (*queue)->lane(lane.kind).sessions()->Find(id);
  const bool is_over = known != nullptr && known->is_held() &&
                       (known->is_ending() || known->until() <= turn.now || IsLeft(lane, *known));
  if (is_over) return AcceptWhenBack(lane, taker, choice, *known, std::move(accepted), turn);
  context_.touched.Touch(lane);
  const Result<Session*> session =
      (*queue)->sessions().Accept(id, choice.held_by, turn.now, turn.changes);
  if (!session.ok()) return std::move(accepted)(turn, session.status());
  std::move(accepted)(turn, Hand(**queue, **session, taker, std::nullopt, turn));
}

bool SessionDesk::IsLeft(LaneId lane, const Session& session) const {
  return IsOfLink(session.token()) && !owned_.contains({lane, session.serial()});
}

// Who has left a session has not failed with what was delivered (CNT-9, CNT-10).
SessionEndCause SessionDesk::CauseOf(LaneId lane, const Session& session) const {
  return IsLeft(lane, session) ? SessionEndCause::kReleased : SessionEndCause::kExpired;
}

void SessionDesk::AcceptWhenBack(LaneId lane, const Taker& taker, const SessionChoice& choice,
                                 Session& session, Accepted accepted, Turn& turn) {
  const bool is_call = taker.receiver == HolderId();
  if (is_call && calls_named_[lane] >= kCallsWaitingMax) {
    return std::move(accepted)(
        turn, Status(ErrorCode::kServiceBusy,
                     fmt::format("{} calls wait for sessions that are on their way back already",
                                 kCallsWaitingMax)));
  }
  if (is_call) ++calls_named_[lane];
  End(
      lane, session, CauseOf(lane, session), SessionLockLost(),
      [this, lane, taker, is_call, choice, accepted = std::move(accepted)](
          Turn& later, const Status& ended) mutable {
        if (is_call && --calls_named_.at(lane) == 0) calls_named_.erase(lane);
        if (!ended.ok()) return std::move(accepted)(later, ended);
        AcceptNamed(lane, taker, choice, std::move(accepted), later);
      },
      turn);
}

AcceptedSession SessionDesk::Hand(Queue& queue, Session& session, const Taker& taker,
                                  const std::optional<ManySessions>& many, Turn& turn) {
  const LineId line{{queue.id(), LaneKind::kMain}, session.serial()};
  AcceptedSession accepted{session.id(), session.token(), session.until(),
                           queue.description().lock_duration};
  session.NoteHolder(taker.actor);
  const HolderId receiver = taker.receiver;
  if (receiver == HolderId()) return accepted;
  const std::shared_ptr<Receiver> seated = dispatcher_.FindShared(receiver);
  if (seated == nullptr) {
    // It left while its session came back from another holder.
    GiveBackLater(line);
    return accepted;
  }
  session.NoteHolder(seated->options().actor);
  owned_[line] = {receiver, many};
  owned_by_[receiver].insert(line);
  const bool has_turns = many && many->messages_per_turn > 0;
  dispatcher_.TakeSeat(receiver, line,
                       has_turns ? many->messages_per_turn : Seat::kUnlimitedDeliveries);
  turn.OnCommitted([seated, accepted](const Status& committed, Tellings& tellings) {
    if (!committed.ok() || seated->is_detached) return;
    tellings.Add([seated, accepted](const Status&) { seated->sink().OnSessionAccepted(accepted); });
  });
  return accepted;
}

bool SessionDesk::WantsMore(const SessionWaiter& waiter) const {
  const Receiver* receiver = dispatcher_.Find(waiter.receiver);
  if (receiver == nullptr || receiver->is_stopped || receiver->is_draining) return false;
  if (!receiver->CanTake(1)) return false;
  const auto owned = owned_by_.find(waiter.receiver);
  return (owned == owned_by_.end() ? 0 : owned->second.size()) < waiter.many->concurrent_max;
}

void SessionDesk::AcceptWaiting(Queue& queue, LaneId lane, Turn& turn) {
  SessionWaiters::Line* line = waiters_.Find(lane);
  if (line == nullptr) return;
  if (dispatcher_.IsEnding(lane)) return context_.touched.TouchLater(lane);
  // What waits uses the entity until now, also if this is the end of the wait (ADI-9).
  if (HasWaiting(lane.entity)) queue.NoteActivity(turn.now);
  const Given given = GiveNext(queue, *line, turn);
  if (given.sessions == kAcceptedPerTurn) context_.touched.Touch(lane);
  if (given.is_wanted && queue.sessions().MayAcceptNext()) LookAhead(queue, lane, turn);
  waiters_.ForgetIfEmpty(lane);
  EndWaits(queue, lane, turn);
}

// In the order in which they came; a receiver of many goes to the end of the line with each.
SessionDesk::Given SessionDesk::GiveNext(Queue& queue, SessionWaiters::Line& line, Turn& turn) {
  Given given;
  SessionWaiters::Round round{line, line.of_many.begin()};
  const auto wants_more = [this](const SessionWaiter& waiter) { return WantsMore(waiter); };
  while (given.sessions < kAcceptedPerTurn) {
    SessionWaiter* next = SessionWaiters::Next(round, wants_more);
    if (next == nullptr) break;
    given.is_wanted = true;
    Session* session = FindNext(queue, line, next->held_by, turn);
    if (session == nullptr) break;
    ++given.sessions;
    const auto served = waiters_.Serve(round, *next);
    accept_latency_.Note(clock_.Now() - std::max(*line.may_find_since, served->since));
    HandNext(queue, *served, *session, turn);
  }
  return given;
}

Session* SessionDesk::FindNext(Queue& queue, SessionWaiters::Line& line, HeldBy held_by,
                               Turn& turn) {
  if (!queue.sessions().MayAcceptNext()) {
    line.may_find_since.reset();
    return nullptr;
  }
  if (!line.may_find_since) line.may_find_since = clock_.Now();
  return queue.sessions().AcceptNext(held_by, turn.now, turn.changes);
}

void SessionDesk::HandNext(Queue& queue, SessionWaiter& waiter, Session& session, Turn& turn) {
  waiter.since = clock_.Now();
  const Taker taker{waiter.receiver, waiter.actor};
  AcceptedSession accepted = Hand(queue, session, taker, waiter.many, turn);
  if (!waiter.many) std::move(waiter.accepted)(turn, std::move(accepted));
}

void SessionDesk::LookAhead(Queue& queue, LaneId lane, Turn& turn) {
  SessionBook& sessions = *queue.lane(lane.kind).sessions();
  auto looks = sessions.NextLooks(kLooksAhead);
  std::optional<ReadOffers> offers = sessions.NextOffersRead();
  if (looks.empty() && !offers) return;
  ReadSessions(queue.lane(lane.kind).shelf(), std::move(looks), std::move(offers), turn);
}

// A wait is not over while something may be found.
void SessionDesk::EndWaits(Queue& queue, LaneId lane, Turn& turn) {
  if (queue.sessions().MayAcceptNext()) return;
  for (; turn.may_end_more(); ++turn.endings) {
    const SessionWaiters::Waiter waiter = waiters_.TakeOver(lane, turn.now);
    if (waiter == nullptr) return;
    std::move(waiter->accepted)(turn, NoSession(queue));
  }
  if (waiters_.HasOver(lane, turn.now)) context_.touched.TouchLater(lane);
}

void SessionDesk::OnEntityChanged(Queue& queue, Turn& turn) {
  const Status allowed = queue.receiving().Check(LaneKind::kMain);
  if (!allowed.ok()) Refuse(queue.id(), allowed);
  TellRefused(turn);
}

void SessionDesk::OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) {
  Refuse(entity, reason);
  TellRefused(turn);
}

void SessionDesk::Refuse(EntityId entity, const Status& reason) {
  const LaneId lane{entity, LaneKind::kMain};
  round_.erase(lane);
  waiters_.Refuse(lane, reason);
}

// Also when the shard is closed: then nothing is due any more, but tasks are planned.
void SessionDesk::TellRefused(Turn& turn) {
  for (; turn.may_end_more(); ++turn.endings) {
    const std::optional<SessionWaiters::Refused> next = waiters_.TakeRefused();
    if (!next) return;
    std::move(next->waiter->accepted)(turn, next->reason);
  }
  if (!waiters_.has_refused() || std::exchange(tells_refused_, true)) return;
  tasks_.Post([this](Turn& later) {
    tells_refused_ = false;
    TellRefused(later);
  });
}

void SessionDesk::RefuseAll(const Status& reason, Turn& turn) {
  waiters_.RefuseAll(reason);
  TellRefused(turn);
}

// --- one turn

bool SessionDesk::Match(Queue& queue, Turn& turn) {
  const LaneId lane{queue.id(), LaneKind::kMain};
  SessionBook& sessions = *queue.lane(lane.kind).sessions();
  AcceptWaiting(queue, lane, turn);
  std::vector<SessionSerial> stirred = sessions.TakeStirred();
  for (const SessionSerial session : dispatcher_.TakeStirred(lane)) {
    stirred.push_back(session);
  }
  std::sort(stirred.begin(), stirred.end());
  stirred.erase(std::unique(stirred.begin(), stirred.end()), stirred.end());
  const bool has_more = Deliver(queue, lane, stirred, turn);
  EndTurns(queue, lane, stirred, turn);
  Refill(queue, lane, stirred, turn);
  CleanExpired(queue, turn);
  return has_more;
}

// Goes on behind the session that was served last, so that none waits for the others for ever.
bool SessionDesk::Deliver(Queue& queue, LaneId lane, const std::vector<SessionSerial>& stirred,
                          Turn& turn) {
  SessionBook& sessions = *queue.lane(lane.kind).sessions();
  SessionSerial& round = round_[lane];
  const auto first = std::upper_bound(stirred.begin(), stirred.end(), round);
  std::vector<SessionSerial> order(first, stirred.end());
  order.insert(order.end(), stirred.begin(), first);
  bool has_more = false;
  for (const SessionSerial serial : order) {
    Session* session = sessions.Find(serial);
    if (session == nullptr || !session->is_held() || session->is_ending()) continue;
    if (session->until() <= turn.now) continue;
    if (dispatcher_.Match(queue, {lane, serial}, {lane.kind, session}, turn)) {
      sessions.Stir(*session);
      has_more = true;
    }
    round = serial;
  }
  return has_more;
}

void SessionDesk::Refill(Queue& queue, LaneId lane, const std::vector<SessionSerial>& stirred,
                         Turn& turn) {
  SessionBook& sessions = *queue.lane(lane.kind).sessions();
  std::vector<std::pair<SessionSerial, SessionRead>> reads;
  for (const SessionSerial serial : stirred) {
    Session* session = sessions.Find(serial);
    const bool is_wanted = session != nullptr && session->is_held() && !session->is_ending() &&
                           dispatcher_.IsWanted(LineId{lane, serial});
    if (!is_wanted) continue;
    std::optional<SessionRead> read = sessions.NextRead(*session);
    if (read) reads.emplace_back(serial, *std::move(read));
  }
  if (!reads.empty()) {
    ReadSessions(queue.lane(lane.kind).shelf(), std::move(reads), std::nullopt, turn);
  }
}

void SessionDesk::ReadSessions(const Shelf& shelf,
                               std::vector<std::pair<SessionSerial, SessionRead>> reads,
                               std::optional<ReadOffers> offers, Turn& turn) {
  context_.reads.ReadAfter(
      turn,
      [this, shelf, reads = std::move(reads), offers = std::move(offers),
       life = context_.catalog.Find(shelf.entity)->lane(shelf.kind).life()](
          const StoreView& view) -> Task {
        SessionReads brought;
        for (const auto& [serial, read] : reads) {
          Result<SessionReadBatch> batch = ReadSessionWindow(view, shelf, read);
          if (!batch.ok()) brought.status = batch.status();
          brought.sessions.emplace_back(serial, batch.ok() ? *std::move(batch) : ContentBatch{});
        }
        if (offers) {
          Result<OfferBatch> batch = ReadSessionOffers(view, shelf, *offers);
          if (!batch.ok()) brought.status = batch.status();
          brought.offers = batch.ok() ? *std::move(batch) : OfferBatch{};
        }
        return [this, shelf, life, brought = std::move(brought)](Turn& later) mutable {
          TakeReads(shelf, life, std::move(brought), later);
        };
      });
}

// What was read of a shelf that was purged meanwhile is thrown away. What cannot be read is never
// served; its waiter hears why.
void SessionDesk::TakeReads(const Shelf& shelf, std::uint32_t life, SessionReads brought,
                            Turn& turn) {
  Queue* queue = context_.catalog.Find(shelf.entity);
  if (queue == nullptr || queue->lane(shelf.kind).life() != life) return;
  Lane& lane = queue->lane(shelf.kind);
  SessionBook& sessions = *lane.sessions();
  const bool is_current = lane.shelf() == shelf;
  for (auto& [serial, batch] : brought.sessions) {
    Session* session = sessions.Find(serial);
    if (session == nullptr) continue;
    auto unreadable = sessions.TakeRead(
        *session, is_current ? std::move(batch) : SessionReadBatch(ContentBatch{}));
    for (UnreadableMessage& each : unreadable) {
      queue->lane(shelf.kind).Quarantine(std::move(each), turn.now, turn.changes);
    }
  }
  if (brought.offers) sessions.TakeOffers(is_current ? *brought.offers : OfferBatch{});
  lane.CheckRead();
  context_.touched.Touch(shelf.lane());
  if (brought.status.ok()) return;
  const LogFields about({{"entity", queue->description().name}});
  spdlog::error("sessions of '{}' cannot be read: {}", queue->description().name,
                brought.status.message());
  dispatcher_.DetachAll(shelf.entity, brought.status, turn);
  Refuse(shelf.entity, brought.status);
  TellRefused(turn);
}

// As many lanes and sessions as waits may end in a turn; the others are due in the next.
void SessionDesk::PlanDue(Turn& turn) {
  for (std::size_t over = 0; over < Turn::kEndingsMax; ++over) {
    const std::optional<LaneId> lane = waiters_.TakeDue(turn.now);
    if (!lane) break;
    context_.touched.Touch(*lane);
  }
  for (std::size_t over = 0; over < Turn::kEndingsMax; ++over) {
    if (deadlines_.empty() || deadlines_.begin()->first > turn.now) return;
    const LineId line = deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    context_.touched.Touch(line.lane);
    Session* session = Find(line);
    Queue* queue = context_.catalog.Find(line.lane.entity);
    if (session != nullptr) queue->lane(line.lane.kind).sessions()->Stir(*session);
  }
}

Timestamp SessionDesk::next_deadline() const {
  const Timestamp turns = deadlines_.empty() ? kNever : deadlines_.begin()->first;
  return std::min(turns, waiters_.next_deadline());
}

}  // namespace wharf
