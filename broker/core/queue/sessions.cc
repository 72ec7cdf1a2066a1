#include "broker/core/queue/sessions.h"

#include <fmt/core.h>

#include "broker/core/messages/text.h"
#include "broker/core/queue/gates.h"

namespace wharf {
namespace {

constexpr std::size_t kSessionIdCharactersMax = 128;

}  // namespace

Status Sessions::CheckAccept(LaneKind kind, const std::optional<std::string>& session) const {
  WHARF_RETURN_IF_ERROR(CheckReceive(record_, kind));
  if (lanes_.of(kind).sessions() == nullptr) {
    return {ErrorCode::kInvalidOperation,
            kind == LaneKind::kMain
                ? fmt::format("'{}' does not require sessions: none can be accepted",
                              record_.description.name)
                : std::string("a dead-letter queue has no sessions: receive from it without one")};
  }
  if (!session) return {};
  if (session->empty()) return {ErrorCode::kArgumentError, "session_id is empty"};
  if (CharactersIn(*session) > kSessionIdCharactersMax) {
    return {ErrorCode::kArgumentError,
            fmt::format("session_id is longer than {} characters", kSessionIdCharactersMax)};
  }
  return {};
}

Session& Sessions::Hold(const std::string& session, HeldBy held_by, Timestamp now,
                        Changes& changes) {
  lanes_.main().NoteAccess(now);
  return book().Hold(session, NewSessionToken(held_by, random_),
                     After(now, record_.description.lock_duration), now, changes);
}

Result<Session*> Sessions::Accept(const std::string& session, HeldBy held_by, Timestamp now,
                                  Changes& changes) {
  const SessionBook& sessions = book();
  const Session* known = sessions.Find(session);
  if (known != nullptr && known->is_held()) {
    return Status(ErrorCode::kSessionCannotBeLocked,
                  fmt::format("the session '{}' of '{}' is held by someone else", session,
                              record_.description.name));
  }
  if (sessions.held() >= limits_.held_sessions_max) {
    return Status(ErrorCode::kQuotaExceeded,
                  fmt::format("{} sessions of '{}' are held, as many as may be", sessions.held(),
                              record_.description.name));
  }
  return &Hold(session, held_by, now, changes);
}

bool Sessions::MayAcceptNext() const {
  const SessionBook& sessions = book();
  return record_.description.can_receive() && sessions.held() < limits_.held_sessions_max &&
         sessions.may_have_next();
}

// A session whose lowest message has expired is looked at again without it.
Session* Sessions::AcceptNext(HeldBy held_by, Timestamp now, Changes& changes) {
  if (!MayAcceptNext()) return nullptr;
  SessionBook& sessions = book();
  for (Session* next = sessions.Next(changes); next != nullptr; next = sessions.Next(changes)) {
    const WaitingMessage& first = *next->window().first();
    if (!expiry_.HasExpired(LaneKind::kMain, first.number, first.facts, now)) {
      return &Hold(std::string(next->id()), held_by, now, changes);
    }
    expiry_.Expire(LaneKind::kMain, {first.standing, first.delivery, first.message}, now, changes);
  }
  return nullptr;
}

Result<Timestamp> Sessions::Renew(LaneKind kind, const LockToken& token, Timestamp now,
                                  Changes& changes) {
  const Result<Session*> session = holds_.FindSession(kind, token, now);
  if (!session.ok()) return session.status();
  lanes_.main().NoteActivity(now);
  const Timestamp until = After(now, record_.description.lock_duration);
  book().Renew(**session, until, changes);
  return until;
}

// What was delivered and not settled counts a failed delivery if the lock expired (CNT-8), and none
// if it was given up (CNT-9).
bool Sessions::End(Session& session, SessionEndCause cause, const Contents& contents,
                   std::size_t count_max, Timestamp now, Changes& changes,
                   std::vector<LockToken>& need_content) {
  const bool is_failure = cause == SessionEndCause::kExpired;
  const Ending ending = is_failure ? Ending::kFailed : Ending::kReleased;
  const ReturnCause returned = is_failure ? ReturnCause::kLockExpired : ReturnCause::kReleased;
  SessionBook& sessions = book();
  sessions.BeginEnd(session);
  std::vector<LockToken> tokens;
  for (const auto& [number, token] : session.in_flight()) {
    if (tokens.size() == count_max) break;
    tokens.push_back(token);
  }
  for (const LockToken& token : tokens) {
    const Lock& lock = *lanes_.main().locks().Get(token);
    const Fate fate = redelivery_.FateOf(LaneKind::kMain, lock, ending, now);
    if (Moves(fate) && !contents.contains(lock.number)) {
      need_content.push_back(token);
    } else {
      redelivery_.End(LaneKind::kMain, token, fate, {returned}, contents, now, changes);
    }
  }
  if (!session.in_flight().empty()) return false;
  // That a lock runs out is nobody's use of the queue, no more than with a message.
  if (!is_failure) lanes_.main().NoteActivity(now);
  sessions.Unhold(session, cause, changes);
  return true;
}

}  // namespace wharf
