// What a transaction asks before it changes anything, and how it sends. Checks that the plain
// requests share stand beside those.

#include "broker/core/queue/queue.h"

namespace wharf {

Status Queue::CheckSends(const std::vector<Message>& messages, std::int64_t bytes_more,
                         Timestamp now) const {
  WHARF_RETURN_IF_ERROR(CheckSend());
  for (const Message& message : messages) {
    WHARF_RETURN_IF_ERROR(CheckOne(message, now));
    WHARF_RETURN_IF_ERROR(quota_.CheckRoom(bytes_more));
    bytes_more += SizeOf(message);
  }
  return {};
}

std::vector<SendOutcome> Queue::AcceptAll(std::vector<Message> messages, KnownIds& known,
                                          Timestamp now, Changes& changes) {
  lanes_.main().NoteAccess(now);
  std::vector<SendOutcome> outcomes;
  outcomes.reserve(messages.size());
  for (Message& message : messages) {
    outcomes.push_back(Accept(std::move(message), std::nullopt, known, now, changes));
  }
  placement_.PassTurn();
  return outcomes;
}

Status Queue::CheckRenewLock(LaneKind kind, const LockToken& token, Timestamp now) const {
  const Lane& of = lanes_.of(kind);
  if (of.sessions() != nullptr) {
    return {ErrorCode::kInvalidOperation,
            "messages of a session are locked as long as it is: renew the session lock"};
  }
  return of.locks().Find(token, now) == nullptr ? holds_.LockLost(kind) : Status();
}

// A message that comes back and turns out to have expired makes those of its session expire, which
// may be settled next (TTS-1).
std::optional<SequenceNumber> Queue::MayNeedContent(LaneKind kind, const LockToken& token,
                                                    const Settlement& settlement,
                                                    Timestamp now) const {
  const bool expires_together =
      lanes_.of(kind).sessions() != nullptr &&
      description().session_expiry_scope == SessionExpiryScope::kSession &&
      description().dead_lettering_on_message_expiration;
  if (!expires_together || settlement.verb == SettleVerb::kComplete) {
    return NeedsContent(kind, token, settlement, now);
  }
  const Lock* lock = holds_.FindLock(kind, token, now);
  return lock == nullptr ? std::nullopt : std::optional(lock->number);
}

}  // namespace wharf
