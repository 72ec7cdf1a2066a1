#include "broker/core/queue/holds.h"

#include <fmt/core.h>

namespace wharf {
namespace {

Status SessionLockLost() {
  return {ErrorCode::kSessionLockLost,
          "the session lock has expired or was released; accept the session again"};
}

bool IsHeld(const Session* session, Timestamp now) {
  return session != nullptr && now < session->until() && !session->is_ending();
}

}  // namespace

const Lock* Holds::FindLock(LaneKind kind, const LockToken& token, Timestamp now) const {
  const Lane& lane = lanes_.of(kind);
  const Lock* lock = lane.locks().Find(token, now);
  if (lock == nullptr || lane.sessions() == nullptr) return lock;
  return IsHeld(SessionOf(kind, lock->facts), now) ? lock : nullptr;
}

Status Holds::LockLost(LaneKind kind) const {
  if (lanes_.of(kind).sessions() != nullptr) return SessionLockLost();
  return {ErrorCode::kMessageLockLost,
          "the lock has expired, or the message was settled before; receive it again"};
}

Result<Session*> Holds::FindSession(LaneKind kind, const LockToken& token, Timestamp now) const {
  SessionBook* sessions = lanes_.of(kind).sessions();
  if (sessions == nullptr) {
    const std::string& name = record_.description.name;
    return Status(ErrorCode::kInvalidOperation,
                  fmt::format("{}'{}' has no sessions: it cannot be used with a session lock",
                              kind == LaneKind::kMain ? "" : "the dead-letter queue of ", name));
  }
  Session* session = sessions->FindHeld(token);
  if (!IsHeld(session, now)) return SessionLockLost();
  return session;
}

const Session* Holds::SessionOf(LaneKind kind, const MessageFacts& facts) const {
  const SessionBook* sessions = lanes_.of(kind).sessions();
  const Session* session = sessions == nullptr ? nullptr : sessions->Find(facts.session_id);
  return session != nullptr && session->is_held() ? session : nullptr;
}

}  // namespace wharf
