// How sessions come back: their time is over, their holder left or gave them up, or their turn is
// over; and how those that have expired are emptied.

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "broker/engine/delivery/session_desk.h"
#include "broker/reading/message_reader.h"
#include "broker/reading/session_reader.h"

namespace wharf {
namespace {

// Sessions of a lane that expire in one turn; more do in the next.
constexpr std::size_t kSessionsExpiredPerTurn = 64;
// Messages of a session that come back in one turn.
constexpr std::size_t kMessagesPerTurn = 1024;

Status Unreadable(const Queue& queue) {
  return {ErrorCode::kGeneralError,
          fmt::format("messages of the session cannot be read from the store of '{}'; it stays "
                      "locked until it is released by force, or the broker starts again",
                      queue.description().name)};
}

}  // namespace

Status SessionDesk::SessionLockLost() {
  return {ErrorCode::kSessionLockLost, "the session lock has expired, or was taken away"};
}

void SessionDesk::End(LaneId lane, Session& session, SessionEndCause cause, const Status& reason,
                      Ended ended, Turn& turn) {
  const LineId line{lane, session.serial()};
  const auto [ending, is_new] = ends_.try_emplace(line, Ending{cause, {}});
  if (ended) ending->second.ended.push_back(std::move(ended));
  if (!is_new) return;
  Disown(line);
  dispatcher_.EndLine(line, {session.id(), session.token(), reason}, turn);
  EndStep(line, ReadableContents(), false, turn);
}

void SessionDesk::ExpireDue(LaneId lane, Turn& turn) {
  Queue* queue = context_.catalog.Find(lane.entity);
  if (queue == nullptr || queue->lane(lane.kind).sessions() == nullptr) return;
  SessionBook& sessions = *queue->lane(lane.kind).sessions();
  for (const SessionSerial serial : sessions.EndedBy(turn.now, kSessionsExpiredPerTurn)) {
    Session& session = *sessions.Find(serial);
    End(lane, session, CauseOf(lane, session), SessionLockLost(), nullptr, turn);
  }
}

// A few in each turn: each may have much in flight. Who comes for one meanwhile waits for it.
void SessionDesk::GiveBackOfLinks(const Queue& queue) {
  const LaneId lane = queue.lane(LaneKind::kMain).id();
  const SessionBook* sessions = queue.lane(LaneKind::kMain).sessions();
  if (sessions == nullptr) return;
  sessions->ForEachHeld(std::nullopt, [&](const Session& session) {
    if (IsLeft(lane, session)) GiveBackLater({lane, session.serial()});
    return true;
  });
}

bool SessionDesk::NoteLeft(const Receiver& receiver) {
  const SessionWaiters::Waiter waiter = waiters_.TakeOut(receiver.id());
  const bool has_waited_for_one = waiter != nullptr && !waiter->many;
  const auto found = owned_by_.find(receiver.id());
  if (found == owned_by_.end()) return has_waited_for_one;
  const absl::btree_set<LineId> lines = found->second;
  for (const LineId& line : lines) {
    Disown(line);
    GiveBackLater(line);
  }
  return has_waited_for_one;
}

void SessionDesk::GiveBackLater(const LineId& line) {
  tasks_.Post([this, line](Turn& turn) {
    Session* session = context_.open.is_closed() ? nullptr : Find(line);
    if (session == nullptr || session->is_ending()) return;
    End(line.lane, *session, SessionEndCause::kReleased, Status::Ok(), nullptr, turn);
  });
}

void SessionDesk::Disown(const LineId& line) {
  const auto found = owned_.find(line);
  if (found == owned_.end()) return;
  SetIdleDeadline(line, found->second, kNever);
  const auto owner = owned_by_.find(found->second.receiver);
  owner->second.erase(line);
  if (owner->second.empty()) owned_by_.erase(owner);
  owned_.erase(found);
}

void SessionDesk::SetIdleDeadline(const LineId& line, Ownership& ownership, Timestamp deadline) {
  if (ownership.idle_deadline != kNever) deadlines_.erase({ownership.idle_deadline, line});
  ownership.idle_deadline = deadline;
  if (deadline != kNever) deadlines_.emplace(deadline, line);
}

// --- turns of a receiver with many sessions

void SessionDesk::EndTurns(Queue& queue, LaneId lane, const std::vector<SessionSerial>& stirred,
                           Turn& turn) {
  SessionBook& sessions = *queue.lane(lane.kind).sessions();
  for (const SessionSerial serial : stirred) {
    const LineId line{lane, serial};
    const auto owned = owned_.find(line);
    Session* session = sessions.Find(serial);
    if (owned == owned_.end() || !owned->second.many || session == nullptr) continue;
    if (!IsTurnOver(*session, line, owned->second, turn)) continue;
    End(lane, *session, SessionEndCause::kReleased, Status::Ok(), nullptr, turn);
  }
}

// Only when everything that was delivered is settled.
bool SessionDesk::IsTurnOver(const Session& session, const LineId& line, Ownership& ownership,
                             const Turn& turn) {
  const wharf::Seat* seat = dispatcher_.FirstSeatAt(line);
  const bool has_had_all = seat != nullptr && seat->left == 0;
  if (!session.in_flight().empty() || (!has_had_all && session.window().may_deliver())) {
    SetIdleDeadline(line, ownership, kNever);
    return false;
  }
  if (has_had_all) return true;
  if (ownership.idle_deadline == kNever) {
    SetIdleDeadline(line, ownership, After(turn.now, ownership.many->idle_timeout));
  }
  return ownership.idle_deadline <= turn.now;
}

// --- messages that come back

void SessionDesk::EndStep(const LineId& line, const ReadableContents& read, bool has_read,
                          Turn& turn) {
  Session* session = Find(line);
  if (session == nullptr || context_.open.is_closed())
    return Finish(line, context_.open.Check(), turn);
  Queue& queue = *context_.catalog.Find(line.lane.entity);
  context_.touched.Touch(line.lane);
  context_.touched.Touch({line.lane.entity, LaneKind::kDeadLetter});
  const std::size_t before = session->in_flight().size();
  QuarantineOf(*session, queue.lane(line.lane.kind), read, turn);
  std::vector<LockToken> need_content;
  if (queue.sessions().End(*session, ends_.at(line).cause, read.messages, kMessagesPerTurn,
                           turn.now, turn.changes, need_content)) {
    return Finish(line, Status::Ok(), turn);
  }
  if (has_read && session->in_flight().size() == before) {
    // The store could not be read at all: they stay where they are, locked by nobody, until the
    // next start.
    spdlog::error("{} messages of a session of '{}' cannot be dead-lettered", before,
                  queue.description().name);
    return Finish(line, Unreadable(queue), turn);
  }
  if (need_content.empty()) {
    return tasks_.Post(
        [this, line](Turn& later) { EndStep(line, ReadableContents(), false, later); });
  }
  std::vector<SequenceNumber> numbers;
  for (const LockToken& token : need_content) {
    if (numbers.size() == MoveLine::kMessagesPerStep) break;
    numbers.push_back(queue.lane(line.lane.kind).locks().Get(token)->number);
  }
  moves_.Enter(turn, [this, line, numbers = std::move(numbers)](Turn& step) mutable {
    ReadThenEnd(line, std::move(numbers), step);
  });
}

void SessionDesk::ReadThenEnd(const LineId& line, std::vector<SequenceNumber> numbers, Turn& turn) {
  const Queue* queue = context_.catalog.Find(line.lane.entity);
  if (queue == nullptr) {
    moves_.Leave(turn);
    return Finish(line, Status::Ok(), turn);
  }
  context_.reads.ReadAfter(turn,
                           [this, line, shelf = queue->lane(line.lane.kind).shelf(),
                            numbers = std::move(numbers)](const StoreView& view) -> Task {
                             Result<ReadableContents> read = ReadReadable(view, shelf, numbers);
                             return [this, line, read = std::move(read)](Turn& later) {
                               if (!read.ok()) spdlog::error("{}", read.status().message());
                               EndStep(line, read.ok() ? *read : ReadableContents(), true, later);
                               moves_.Leave(later);
                             };
                           });
}

// They were to be dead-lettered, and can only be read for that.
void SessionDesk::QuarantineOf(const Session& session, Lane& lane, const ReadableContents& read,
                               Turn& turn) {
  for (const auto& [number, reason] : read.unreadable) {
    const auto in_flight = session.in_flight().find(number);
    if (in_flight == session.in_flight().end()) continue;
    const LockToken token = in_flight->second;
    lane.QuarantineLocked(token, reason, turn.now, turn.changes);
  }
}

void SessionDesk::Finish(const LineId& line, const Status& status, Turn& turn) {
  auto node = ends_.extract(line);
  if (!node.empty()) TellEnded(std::move(node.mapped().ended), status, turn);
}

// The first one hears in this turn; that thousands wait for one session costs others no more.
void SessionDesk::TellEnded(std::vector<Ended> ended, const Status& status, Turn& turn) {
  auto next = ended.begin();
  for (bool is_first = true; next != ended.end() && (is_first || turn.may_end_more()); ++next) {
    is_first = false;
    ++turn.endings;
    std::move (*next)(turn, status);
  }
  if (next == ended.end()) return;
  ended.erase(ended.begin(), next);
  tasks_.Post([this, ended = std::move(ended), status](Turn& later) mutable {
    TellEnded(std::move(ended), status, later);
  });
}

// --- sessions that have expired

void SessionDesk::CleanExpired(Queue& queue, Turn& turn) {
  const Lane& lane = queue.lane(LaneKind::kMain);
  SessionBook& sessions = *queue.lane(LaneKind::kMain).sessions();
  for (const std::string& session : sessions.TakeExpired()) {
    BeginClean({lane.shelf(), session, SequenceNumber(), sessions.ExpiredThrough(session)}, turn);
  }
}

void SessionDesk::BeginClean(Cleaning cleaning, Turn& turn) {
  ++cleanings_;
  moves_.Enter(turn, [this, cleaning = std::move(cleaning)](Turn& step) mutable {
    Clean(std::move(cleaning), step);
  });
}

void SessionDesk::Clean(Cleaning cleaning, Turn& turn) {
  context_.reads.ReadAfter(
      turn,
      [this, cleaning = std::move(cleaning),
       watch = context_.catalog.BeginPageWatch()](const StoreView& view) mutable -> Task {
        Result<ExpiredPage> page =
            ReadExpiredOfSession(view, cleaning.shelf, cleaning.session, cleaning.from,
                                 cleaning.through, MoveLine::kMessagesPerStep);
        return [this, cleaning = std::move(cleaning), watch,
                page = std::move(page)](Turn& later) mutable {
          RemoveExpired(std::move(cleaning), page, watch, later);
          moves_.Leave(later);
          --cleanings_;
        };
      });
}

// What changed meanwhile is read again.
void SessionDesk::RemoveExpired(Cleaning cleaning, const Result<ExpiredPage>& page,
                                const PageWatch& watch, Turn& turn) {
  const Shelf& shelf = cleaning.shelf;
  Queue* queue = context_.catalog.Find(shelf.entity);
  if (queue == nullptr || context_.open.is_closed()) return;
  context_.touched.Touch(shelf.lane());
  context_.touched.Touch({shelf.entity, LaneKind::kDeadLetter});
  if (!page.ok()) {
    spdlog::error("expired messages of '{}' cannot be read: {}", queue->description().name,
                  page.status().message());
    return;
  }
  const bool is_purged = queue->lane(shelf.kind).shelf() != shelf;
  bool has_changed = false;
  for (const FoundMessage& found : page->messages) {
    if (is_purged) break;
    if (watch.Saw(shelf.lane(), found.message->number)) {
      has_changed = true;
    } else {
      queue->expiry().Expire(shelf.kind, found, turn.now, turn.changes);
    }
  }
  for (const UnreadableMessage& each : page->unreadable) {
    if (is_purged) break;
    if (watch.Saw(shelf.lane(), each.number)) {
      has_changed = true;
    } else {
      queue->lane(shelf.kind).Quarantine(each, turn.now, turn.changes);
    }
  }
  const bool is_done = is_purged || (!has_changed && !page->next);
  if (is_done) {
    return queue->expiry().FinishSession(cleaning.session, cleaning.through, turn.changes);
  }
  if (!has_changed) cleaning.from = *page->next;
  BeginClean(std::move(cleaning), turn);
}

}  // namespace wharf
