#include "broker/engine/requests/session_handler.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/requests/session_holder.h"
#include "broker/reading/session_list_reader.h"
#include "broker/reading/session_reader.h"
#include "broker/requests/actor.h"

namespace wharf {
namespace {

constexpr std::size_t kPageMax = 1000;
// Held sessions that one page of them looks at.
constexpr std::size_t kHeldMax = 1000;

HeldSessions HeldAfter(const SessionBook& book, const std::optional<std::string>& after,
                       const Asker& asker) {
  HeldSessions held;
  book.ForEachHeld(after, [&held, &asker](const Session& session) {
    if (held.by_id.size() == kHeldMax) {
      held.through = held.by_id.rbegin()->first;
      return false;
    }
    HeldSession entry{session.until(), session.since(),
                      static_cast<std::int64_t>(session.in_flight().size())};
    if (entry.in_flight > 0) entry.lowest = session.in_flight().begin()->first;
    if (asker.sees_all) entry.holder = session.holder();
    held.by_id.emplace(session.id(), entry);
    return true;
  });
  return held;
}

// Nobody takes it for a session without a state.
Status LostState(const std::string& session, const std::string& name, const Status& why) {
  return {ErrorCode::kGeneralError,
          fmt::format("the state of session '{:.128}' of '{}' cannot be read, until another one is "
                      "set: {}",
                      session, name, why.message())};
}

}  // namespace

void SessionHandler::Plan(Asked<AcceptSessionRequest> asked, SessionDesk::Wait& wait, Turn& turn) {
  const AcceptSessionRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.Resolve(request.entity);
  Status refused = target.ok()
                       ? target->queue->sessions().CheckAccept(target->lane.kind, request.choice.id)
                       : target.status();
  if (!refused.ok()) {
    return Reply(turn, std::move(asked.answer), Result<AcceptedSession>(std::move(refused)));
  }
  context_.touched.NoteUse(*target->queue, target->lane, turn.now);  // ADI-11, also if it gets none
  wait = sessions_.Accept(
      target->lane, request.choice, ActorOf(asked.caller),
      [answer = std::move(asked.answer)](Turn& later, Result<AcceptedSession> session) mutable {
        Reply(later, std::move(answer), std::move(session));
      },
      turn);
}

// A caller that names the session by its token uses the entity (ADI-11).
Result<SessionHandler::Held> SessionHandler::Find(const EntityRef& entity, const LockToken& token,
                                                  Timestamp now) {
  const Result<EntityFinder::Target> target = finder_.ResolveHeld(entity);
  if (!target.ok()) return target.status();
  const Result<Session*> session =
      target->queue->holds().FindSession(target->lane.kind, token, now);
  if (!session.ok()) return session.status();
  context_.touched.NoteUse(*target->queue, target->lane, now);
  return Held{*target, **session};
}

void SessionHandler::Plan(Asked<RenewSessionRequest> asked, Turn& turn) {
  const LockToken token = asked.request.session;
  const Result<Held> held = Find(asked.request.entity, token, turn.now);
  if (!held.ok()) return Reply(turn, std::move(asked.answer), Result<Timestamp>(held.status()));
  NoteHolder(held->session, asked.caller);
  const EntityFinder::Target& target = held->target;
  Reply(turn, std::move(asked.answer),
        target.queue->sessions().Renew(target.lane.kind, token, turn.now, turn.changes));
}

void SessionHandler::Plan(Asked<ReleaseSessionRequest> asked, Turn& turn) {
  const Result<Held> held = Find(asked.request.entity, asked.request.session, turn.now);
  if (!held.ok()) return Reply(turn, std::move(asked.answer), Done(held.status()));
  End(held->target.lane, held->session, Status::Ok(), std::move(asked.answer), turn);
}

void SessionHandler::End(LaneId lane, Session& session, const Status& reason,
                         Answer<std::monostate> answer, Turn& turn) {
  sessions_.End(
      lane, session, SessionEndCause::kReleased, reason,
      [answer = std::move(answer)](Turn& later, const Status& ended) mutable {
        Reply(later, std::move(answer), Done(ended));
      },
      turn);
}

void SessionHandler::Plan(Asked<ForceReleaseSessionRequest> asked, Turn& turn) {
  const Result<Queue*> queue = FindWithSessions(asked.request.entity);
  if (!queue.ok()) return Reply(turn, std::move(asked.answer), Done(queue.status()));
  const LaneId lane = (*queue)->lane(LaneKind::kMain).id();
  Session* session = (*queue)->lane(LaneKind::kMain).sessions()->Find(asked.request.session_id);
  if (session == nullptr || !session->is_held()) {
    return Reply(turn, std::move(asked.answer),
                 Done({ErrorCode::kSessionLockLost, "nobody holds this session"}));
  }
  context_.touched.Touch(lane);
  End(lane, *session, SessionDesk::SessionLockLost(), std::move(asked.answer), turn);
}

Result<Queue*> SessionHandler::FindWithSessions(const EntityRef& entity) {
  const Result<EntityFinder::Target> target = finder_.Resolve(entity);
  if (!target.ok()) return target.status();
  if (target->queue->lane(target->lane.kind).sessions() != nullptr) return target->queue;
  if (target->queue->kind() == EntityKind::kTopic) {
    return Status(ErrorCode::kInvalidOperation,
                  fmt::format("'{}' is a topic and has no sessions: ask its subscriptions",
                              target->queue->description().name));
  }
  return Status(ErrorCode::kInvalidOperation, "the entity does not require sessions: it has none");
}

void SessionHandler::Plan(Asked<GetSessionStateRequest> asked, Turn& turn) {
  using State = std::optional<std::string>;
  const Result<Held> held = Find(asked.request.entity, asked.request.session, turn.now);
  if (!held.ok()) return Reply(turn, std::move(asked.answer), Result<State>(held.status()));
  from_store_.Reply(
      turn, std::move(asked.answer),
      [entity = held->target.lane.entity, id = held->session.id(),
       name = held->target.queue->description().name](const StoreView& view) -> Result<State> {
        auto read = ReadSessionState(view, entity, id);
        if (read.status().is_damage()) return LostState(id, name, read.status());
        if (!read.ok()) return read.status();
        return *read ? State(std::move((*read)->bytes)) : State();
      });
}

// What the state had before must be known to count it; it is read, unless this holder has set it
// before.
void SessionHandler::Plan(Asked<SetSessionStateRequest> asked, Turn& turn) {
  SetSessionStateRequest& request = asked.request;
  const Result<Held> held = Find(request.entity, request.session, turn.now);
  if (!held.ok()) return Reply(turn, std::move(asked.answer), Done(held.status()));
  StateChange change{request.session, std::move(request.state), {}, held->target.lane};
  change.completed.reserve(request.completed.size());
  for (const Result<LockToken>& token : request.completed) change.completed.push_back(*token);
  if (held->session.state_bytes()) {
    return ChangeState(std::move(change), std::move(asked.answer), turn);
  }
  ReadThenChangeState(held->session.id(), std::move(change), std::move(asked.answer), turn);
}

void SessionHandler::ReadThenChangeState(const std::string& session_id, StateChange change,
                                         Answer<std::monostate> answer, Turn& turn) {
  context_.reads.ReadAfter(turn,
                           [this, session_id, change = std::move(change),
                            answer = std::move(answer)](const StoreView& view) mutable -> Task {
                             const Result<std::int64_t> read =
                                 ReadStateBytes(view, change.lane.entity, session_id);
                             if (read.ok()) change.bytes_read = *read;
                             return [this, change = std::move(change), answer = std::move(answer),
                                     status = read.status()](Turn& later) mutable {
                               if (!status.ok())
                                 return Reply(later, std::move(answer), Done(status));
                               ChangeState(std::move(change), std::move(answer), later);
                             };
                           });
}

void SessionHandler::ChangeState(StateChange change, Answer<std::monostate> answer, Turn& turn) {
  const Result<Queue*> queue = finder_.FindOpen(change.lane.entity);
  if (!queue.ok()) return Reply(turn, std::move(answer), Done(queue.status()));
  if (change.state) {
    if (Status full = disk_.Check(); !full.ok()) {
      return Reply(turn, std::move(answer), Done(full));
    }
  }
  for (const LockToken& token : change.completed) {
    const Status taken = transactions_.CheckFree(change.lane, token);
    if (!taken.ok()) return Reply(turn, std::move(answer), Done(taken));
  }
  context_.touched.Touch(change.lane);
  Reply(turn, std::move(answer),
        Done((*queue)->session_states().Set(change.lane.kind, change.session,
                                            std::move(change.state), change.bytes_read,
                                            change.completed, turn.now, turn.changes)));
}

void SessionHandler::Plan(Asked<ListSessionsRequest> asked, Turn& turn) {
  ListSessionsRequest& request = asked.request;
  const Result<Queue*> queue = FindWithSessions(request.entity);
  if (!queue.ok()) {
    return Reply(turn, std::move(asked.answer), Result<SessionPage>(queue.status()));
  }
  const Lane& lane = (*queue)->lane(LaneKind::kMain);
  HeldSessions held = HeldAfter(*lane.sessions(), request.after, asked.asker);
  SessionListRange range{lane.shelf(), std::move(request.after),
                         std::clamp<std::size_t>(request.count_max, 1, kPageMax),
                         request.state_updated_since};
  from_store_.Reply(turn, std::move(asked.answer),
                    [range = std::move(range), held = std::move(held)](const StoreView& view) {
                      return ReadSessionPage(view, range, held);
                    });
}

void SessionHandler::Plan(Asked<ListDeepestSessionsRequest> asked, Turn& turn) {
  const Result<Queue*> queue = FindWithSessions(asked.request.entity);
  if (!queue.ok()) {
    return Reply(turn, std::move(asked.answer), Result<DeepestSessions>(queue.status()));
  }
  deepest_.Ask(
      **queue,
      [count_max = asked.request.count_max,
       answer = std::move(asked.answer)](const Result<DeepestSessions>& told) mutable {
        Result<DeepestSessions> deepest = told;
        if (deepest.ok() && deepest->sessions.size() > count_max) {
          deepest->sessions.resize(count_max);
        }
        std::move(answer)(std::move(deepest));
      },
      turn);
}

}  // namespace wharf
