// Sessions: accepting, keeping and giving them up, their state, and what their owner sees of them.

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/broker.h"
#include "broker/engine/reply.h"
#include "broker/schema/session_reader.h"

namespace wharf {
namespace {

constexpr std::size_t kPageMax = 250;
// Held sessions that one page of them looks at.
constexpr std::size_t kHeldMax = 1000;

HeldSessions HeldAfter(const SessionBook& book, const std::optional<std::string>& after) {
  HeldSessions held;
  book.ForEachHeld(after, [&held](const Session& session) {
    if (held.by_id.size() == kHeldMax) {
      held.through = held.by_id.rbegin()->first;
      return false;
    }
    HeldSession entry{session.until(), session.since(),
                      static_cast<std::int64_t>(session.in_flight().size())};
    if (entry.in_flight > 0) entry.lowest = session.in_flight().begin()->first;
    held.by_id.emplace(session.id(), entry);
    return true;
  });
  return held;
}

}  // namespace

// A wait that is cancelled ends as if its time were over.
Broker::Cancel Broker::AcceptSession(std::string path, SessionChoice choice,
                                     Answer<AcceptedSession> answer) {
  Status refused = CheckWait(choice.wait);
  if (refused.ok()) refused = shard_.Reserve(1);
  if (!refused.ok()) {
    std::move(answer)(std::move(refused));
    return [] {};
  }
  // Written and read on the shard's thread.
  auto waiter = std::make_shared<SessionDesk::WaiterId>();
  shard_.Post(
      [this, waiter, path = std::move(path), choice = std::move(choice),
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Shard::Target> target = shard_.Resolve(path);
        Status wrong = target.ok() ? target->queue->CheckAccept(target->lane.kind, choice.id)
                                   : target.status();
        if (wrong.ok() && shard_.sessions().waiting(target->lane) >= kAcceptingMax) {
          wrong = {ErrorCode::kQuotaExceeded,
                   fmt::format("{} calls wait for a session already", kAcceptingMax)};
        }
        if (!wrong.ok()) return Reply(turn, std::move(answer), Result<AcceptedSession>(wrong));
        shard_.NoteUse(*target, turn.now);  // ADI-11, also if it gets none
        *waiter = shard_.sessions().Accept(
            target->lane, choice,
            [answer = std::move(answer)](Turn& later, Result<AcceptedSession> session) mutable {
              Reply(later, std::move(answer), std::move(session));
            },
            turn);
      },
      1);
  return [this, waiter] {
    shard_.Post([this, waiter](Turn& turn) { shard_.sessions().EndWait(*waiter, turn); });
  };
}

// Calls `then` with the queue, its lane and the session that the token holds, or answers why it
// cannot.
template <typename T, typename Then>
void Broker::WithSession(std::string path, const LockToken& token, Answer<T> answer, Then then,
                         std::size_t weight) {
  if (Status busy = shard_.Reserve(weight); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), token, answer = std::move(answer),
       then = std::move(then)](Turn& turn) mutable {
        Result<Shard::Target> target = shard_.ResolveHeld(path);
        if (!target.ok()) return Reply(turn, std::move(answer), Result<T>(target.status()));
        const Result<Session*> session =
            target->queue->HeldSession(target->lane.kind, token, turn.now);
        if (!session.ok()) return Reply(turn, std::move(answer), Result<T>(session.status()));
        shard_.NoteUse(*target, turn.now);  // ADI-11
        std::move(then)(*target, **session, std::move(answer), turn);
      },
      weight);
}

void Broker::RenewSession(std::string path, const LockToken& token, Answer<Timestamp> answer) {
  WithSession(
      std::move(path), token, std::move(answer),
      [token](const Shard::Target& target, const Session&, Answer<Timestamp> reply, Turn& turn) {
        Reply(turn, std::move(reply),
              target.queue->RenewSession(target.lane.kind, token, turn.now, turn.changes));
      });
}

void Broker::ReleaseSession(std::string path, const LockToken& token,
                            Answer<std::monostate> answer) {
  WithSession(std::move(path), token, std::move(answer),
              [this](const Shard::Target& target, Session& session, Answer<std::monostate> reply,
                     Turn& turn) {
                EndSession(target.lane, session, Status::Ok(), std::move(reply), turn);
              });
}

void Broker::EndSession(LaneId lane, Session& session, const Status& reason,
                        Answer<std::monostate> answer, Turn& turn) {
  shard_.sessions().End(
      lane, session, SessionEndCause::kReleased, reason,
      [answer = std::move(answer)](Turn& later, const Status& ended) mutable {
        Reply(later, std::move(answer), Done(ended));
      },
      turn);
}

void Broker::ForceReleaseSession(std::string name, std::string session_id,
                                 Answer<std::monostate> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, name = std::move(name), session_id = std::move(session_id),
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue = FindWithSessions(name);
        if (!queue.ok()) {
          return Reply(turn, std::move(answer), Result<std::monostate>(queue.status()));
        }
        const LaneId lane = (*queue)->lane(LaneKind::kMain).id();
        Session* session = (*queue)->lane(LaneKind::kMain).sessions()->Find(session_id);
        if (session == nullptr || !session->is_held()) {
          return Reply(turn, std::move(answer),
                       Result<std::monostate>(
                           Status(ErrorCode::kSessionLockLost, "nobody holds this session")));
        }
        shard_.Touch(lane);
        EndSession(lane, *session, SessionDesk::SessionLockLost(), std::move(answer), turn);
      },
      1);
}

Result<Queue*> Broker::FindWithSessions(const std::string& name) {
  const Result<Shard::Target> target = shard_.Resolve(name);
  if (!target.ok()) return target.status();
  if (target->queue->lane(target->lane.kind).sessions() != nullptr) return target->queue;
  if (target->queue->kind() == EntityKind::kTopic) {
    return Status(ErrorCode::kInvalidOperation,
                  fmt::format("'{}' is a topic and has no sessions: ask its subscriptions",
                              target->queue->description().name));
  }
  return Status(ErrorCode::kInvalidOperation, "the entity does not require sessions: it has none");
}

void Broker::GetSessionState(std::string path, const LockToken& token,
                             Answer<std::optional<std::string>> answer) {
  using State = std::optional<std::string>;
  WithSession(
      std::move(path), token, std::move(answer),
      [this](const Shard::Target& target, const Session& session, Answer<State> reply, Turn& turn) {
        ReplyFromStore(turn, readers_, store_, std::move(reply),
                       [entity = target.lane.entity,
                        id = session.id()](const StoreView& view) -> Result<State> {
                         auto read = ReadSessionState(view, entity, id);
                         if (!read.ok()) return read.status();
                         return *read ? State(std::move((*read)->bytes)) : State();
                       });
      });
}

struct Broker::StateChange {
  LockToken session;
  std::optional<std::string> state;
  std::vector<LockToken> completed;
  LaneId lane{};
  // Of the state before, when it was read; nobody asks if this holder has set it since.
  std::int64_t bytes_read = 0;
};

// What the state had before must be known to count it; it is read, unless this holder has set it
// before.
void Broker::SetSessionState(std::string path, const LockToken& token,
                             std::optional<std::string> state, const TokenList& completed,
                             Answer<std::monostate> answer) {
  if (completed.size() > kItemsMax) {
    return std::move(answer)(
        Status(ErrorCode::kArgumentOutOfRange,
               fmt::format("a request holds at most {} lock tokens", kItemsMax)));
  }
  const std::size_t weight = WeightOf(state ? state->size() : 0);
  StateChange change{.session = token, .state = std::move(state), .completed = {}};
  change.completed.reserve(completed.size());
  for (const Result<LockToken>& each : completed) {
    if (!each.ok()) return std::move(answer)(each.status());
    change.completed.push_back(*each);
  }
  WithSession(
      std::move(path), token, std::move(answer),
      [this, change = std::move(change)](const Shard::Target& target, const Session& session,
                                         Answer<std::monostate> reply, Turn& turn) mutable {
        change.lane = target.lane;
        if (session.state_bytes()) {
          return PlanStateChange(std::move(change), std::move(reply), turn);
        }
        ReadThenChangeState(session.id(), std::move(change), std::move(reply), turn);
      },
      weight);
}

void Broker::ReadThenChangeState(const std::string& session_id, StateChange change,
                                 Answer<std::monostate> answer, Turn& turn) {
  shard_.ReadAfter(turn,
                   [this, session_id, change = std::move(change),
                    answer = std::move(answer)](const StoreView& view) mutable -> Task {
                     const auto read = ReadSessionState(view, change.lane.entity, session_id);
                     if (read.ok() && *read)
                       change.bytes_read = static_cast<std::int64_t>((*read)->bytes.size());
                     return [this, change = std::move(change), answer = std::move(answer),
                             status = read.status()](Turn& later) mutable {
                       if (!status.ok()) return Reply(later, std::move(answer), Done(status));
                       PlanStateChange(std::move(change), std::move(answer), later);
                     };
                   });
}

void Broker::PlanStateChange(StateChange change, Answer<std::monostate> answer, Turn& turn) {
  const Result<Queue*> queue = shard_.FindOpen(change.lane.entity);
  if (!queue.ok()) return Reply(turn, std::move(answer), Done(queue.status()));
  if (change.state) {
    if (Status full = shard_.CheckDisk(); !full.ok()) {
      return Reply(turn, std::move(answer), Done(full));
    }
  }
  for (const LockToken& token : change.completed) {
    const Status taken = shard_.transactions().CheckFree(change.lane, token);
    if (!taken.ok()) return Reply(turn, std::move(answer), Done(taken));
  }
  shard_.Touch(change.lane);
  Reply(
      turn, std::move(answer),
      Done((*queue)->SetSessionState(change.lane.kind, change.session, std::move(change.state),
                                     change.bytes_read, change.completed, turn.now, turn.changes)));
}

void Broker::ListSessions(SessionPageRequest request, Answer<SessionPage> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, request = std::move(request), answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue = FindWithSessions(request.name);
        if (!queue.ok()) return Reply(turn, std::move(answer), Result<SessionPage>(queue.status()));
        const Lane& lane = (*queue)->lane(LaneKind::kMain);
        HeldSessions held = HeldAfter(*lane.sessions(), request.after);
        SessionListRange range{lane.shelf(), std::move(request.after),
                               std::clamp<std::size_t>(request.count_max, 1, kPageMax),
                               request.state_updated_since};
        ReplyFromStore(turn, readers_, store_, std::move(answer),
                       [range = std::move(range), held = std::move(held)](const StoreView& view) {
                         return ReadSessionPage(view, range, held);
                       });
      },
      1);
}

void Broker::ListDeepestSessions(std::string name, std::size_t count_max,
                                 Answer<DeepestSessions> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, name = std::move(name), count_max, answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue = FindWithSessions(name);
        if (!queue.ok()) {
          return Reply(turn, std::move(answer), Result<DeepestSessions>(queue.status()));
        }
        deepest_.Ask(
            **queue,
            [count_max, answer = std::move(answer)](const Result<DeepestSessions>& told) mutable {
              Result<DeepestSessions> deepest = told;
              if (deepest.ok() && deepest->sessions.size() > count_max) {
                deepest->sessions.resize(count_max);
              }
              std::move(answer)(std::move(deepest));
            },
            turn);
      },
      1);
}

}  // namespace wharf
