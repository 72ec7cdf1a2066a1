// Sessions: accepting, keeping and giving them up, their state, and how they expire.

#include <algorithm>

#include <fmt/core.h>

#include "absl/container/flat_hash_set.h"
#include "broker/core/messages/text.h"
#include "broker/core/queue/gates.h"
#include "broker/core/queue/life.h"
#include "broker/core/queue/queue.h"

namespace wharf {
namespace {

constexpr std::size_t kSessionIdCharactersMax = 128;
// What one call can carry; a smaller limit of the entity's messages holds as well.
// It travels in one call.
constexpr std::int64_t kStateBytesMax = 15 * 1024 * 1024;

}  // namespace

Status Queue::CheckAccept(LaneKind kind, const std::optional<std::string>& session) const {
  WHARF_RETURN_IF_ERROR(CheckReceive(record_, kind));
  if (lanes_.of(kind).sessions() == nullptr) {
    return {ErrorCode::kInvalidOperation,
            kind == LaneKind::kMain
                ? fmt::format("'{}' does not require sessions: none can be accepted",
                              description().name)
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

Session& Queue::HoldSession(const std::string& session, Timestamp now, Changes& changes) {
  lanes_.main().NoteAccess(now);
  return lanes_.main().sessions()->Hold(session, NewLockToken(random_),
                                        After(now, description().lock_duration), now, changes);
}

Result<Session*> Queue::AcceptSession(const std::string& session, Timestamp now, Changes& changes) {
  const SessionBook& sessions = *lanes_.main().sessions();
  const Session* known = sessions.Find(session);
  if (known != nullptr && known->is_held()) {
    return Status(ErrorCode::kSessionCannotBeLocked,
                  fmt::format("the session '{}' of '{}' is held by someone else", session,
                              description().name));
  }
  if (sessions.held() >= limits_.held_sessions_max) {
    return Status(ErrorCode::kQuotaExceeded,
                  fmt::format("{} sessions of '{}' are held, as many as may be", sessions.held(),
                              description().name));
  }
  return &HoldSession(session, now, changes);
}

bool Queue::MayAcceptNext() const {
  const SessionBook& sessions = *lanes_.main().sessions();
  return description().can_receive() && sessions.held() < limits_.held_sessions_max &&
         sessions.may_have_next();
}

// A session whose lowest message has expired is looked at again without it.
Session* Queue::AcceptNextSession(Timestamp now, Changes& changes) {
  if (!MayAcceptNext()) return nullptr;
  SessionBook& sessions = *lanes_.main().sessions();
  for (Session* next = sessions.Next(changes); next != nullptr; next = sessions.Next(changes)) {
    const WaitingMessage& first = *next->window().first();
    if (!expiry_.HasExpired(LaneKind::kMain, first.number, first.facts, now)) {
      return &HoldSession(std::string(next->id()), now, changes);
    }
    expiry_.Expire(LaneKind::kMain, {first.standing, first.delivery, first.message}, now, changes);
  }
  return nullptr;
}

Result<Timestamp> Queue::RenewSession(LaneKind kind, const LockToken& token, Timestamp now,
                                      Changes& changes) {
  const Result<Session*> session = holds_.FindSession(kind, token, now);
  if (!session.ok()) return session.status();
  lanes_.main().NoteActivity(now);
  const Timestamp until = After(now, description().lock_duration);
  lanes_.main().sessions()->Renew(**session, until, changes);
  return until;
}

// What was delivered and not settled counts a failed delivery if the lock expired (CNT-8), and none
// if it was given up (CNT-9).
bool Queue::EndSession(Session& session, SessionEndCause cause, const Contents& contents,
                       std::size_t count_max, Timestamp now, Changes& changes,
                       std::vector<LockToken>& need_content) {
  const bool is_failure = cause == SessionEndCause::kExpired;
  const Ending ending = is_failure ? Ending::kFailed : Ending::kReleased;
  const ReturnCause returned = is_failure ? ReturnCause::kLockExpired : ReturnCause::kReleased;
  SessionBook& sessions = *lanes_.main().sessions();
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

Status Queue::SetSessionState(LaneKind kind, const LockToken& token,
                              std::optional<std::string> state, std::int64_t bytes_read,
                              const std::vector<LockToken>& completed, Timestamp now,
                              Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckSessionState(kind, token, state, bytes_read, completed, 0, now));
  ChangeSessionState(token, std::move(state), bytes_read, completed, now, changes);
  return {};
}

Status Queue::CheckSessionState(LaneKind kind, const LockToken& token,
                                const std::optional<std::string>& state,
                                std::optional<std::int64_t> bytes_read,
                                const std::vector<LockToken>& completed, std::int64_t bytes_more,
                                Timestamp now) {
  const Result<Session*> session = holds_.FindSession(kind, token, now);
  if (!session.ok()) return session.status();
  const std::int64_t limit = std::min(kStateBytesMax, description().message_bytes_max());
  const auto bytes = static_cast<std::int64_t>(state ? state->size() : 0);
  if (bytes > limit) {
    const bool is_of_call = limit == kStateBytesMax;
    return {
        ErrorCode::kMessageSizeExceeded,
        fmt::format("the state of a session has {} bytes, more than the {} that {}", bytes, limit,
                    is_of_call ? std::string("one call carries")
                               : fmt::format("'{}' takes", description().name))};
  }
  // What was read may be older than what was set since.
  const std::optional<std::int64_t> known = (*session)->state_bytes();
  const std::optional<std::int64_t> before = known ? known : bytes_read;
  if (before && bytes > *before) WHARF_RETURN_IF_ERROR(quota_.CheckRoom(bytes_more));
  if (absl::flat_hash_set<LockToken>(completed.begin(), completed.end()).size() !=
      completed.size()) {
    return {ErrorCode::kArgumentError, "a lock token is named twice"};
  }
  for (const LockToken& each : completed) {
    const Lock* lock = holds_.FindLock(kind, each, now);
    const bool is_ours = lock != nullptr && lock->facts.session_id == (*session)->id();
    if (!is_ours) {
      return {ErrorCode::kSessionLockLost,
              "one of the messages to complete is not locked in this session; nothing was changed"};
    }
  }
  return {};
}

void Queue::ChangeSessionState(const LockToken& token, std::optional<std::string> state,
                               std::int64_t bytes_read, const std::vector<LockToken>& completed,
                               Timestamp now, Changes& changes) {
  Session& session = *lanes_.main().sessions()->FindHeld(token);
  lanes_.main().NoteActivity(now);
  for (const LockToken& each : completed) lanes_.main().Complete(each, changes);
  const auto bytes = static_cast<std::int64_t>(state ? state->size() : 0);
  lanes_.main().CountSessionState(bytes - session.state_bytes().value_or(bytes_read));
  session.NoteStateBytes(bytes);
  changes.push_back(SessionStateSet{record_.id, session.id(), std::move(state), now});
}

}  // namespace wharf
