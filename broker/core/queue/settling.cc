#include "broker/core/queue/settling.h"

#include <fmt/core.h>

namespace wharf {
namespace {

Ending EndingOf(SettleVerb verb) {
  switch (verb) {
    case SettleVerb::kComplete:
      return Ending::kCompleted;
    case SettleVerb::kDeadLetter:
      return Ending::kDeadLettered;
    case SettleVerb::kRelease:
      return Ending::kReleased;
    case SettleVerb::kAbandon:
    case SettleVerb::kDefer:
      break;
  }
  return Ending::kFailed;
}

// Of a message that is not done with.
LockEnd EndOf(const Settlement& settlement, Timestamp now) {
  if (settlement.verb == SettleVerb::kRelease) return {ReturnCause::kReleased};
  LockEnd end{
      settlement.verb == SettleVerb::kDefer ? ReturnCause::kDeferred : ReturnCause::kAbandoned,
      &settlement.properties_to_modify};
  if (settlement.delay) end.available_at = After(now, *settlement.delay);
  if (settlement.delay_until) end.available_at = *settlement.delay_until;
  return end;
}

Status CheckFailure(const Lock& lock, const Settlement& settlement, Timestamp now) {
  const auto changed = ChangedWith(lock.delivery, settlement.properties_to_modify);
  if (changed) WHARF_RETURN_IF_ERROR(CheckProperties(*changed));
  const LockEnd end = EndOf(settlement, now);
  if (end.available_at && lock.was_deferred) {
    return {ErrorCode::kInvalidOperation,
            "a message that ReceiveDeferred gave is deferred again: it cannot be delayed"};
  }
  if (end.available_at && *end.available_at > After(now, kDelayMax)) {
    return {ErrorCode::kArgumentOutOfRange, "an abandon can delay a message by at most 7 days"};
  }
  return {};
}

}  // namespace

Settling::Outlook Settling::Look(LaneKind kind, const LockToken& token, SettleVerb verb,
                                 Timestamp now) const {
  const Lock* lock = holds_.FindLock(kind, token, now);
  if (lock == nullptr) return {};
  return {lock, redelivery_.FateOf(kind, *lock, EndingOf(verb), now)};
}

Status Settling::RefusalOf(LaneKind kind, const Outlook& outlook, const Settlement& settlement,
                           Timestamp now) const {
  if (outlook.lock == nullptr) return holds_.LockLost(kind);
  const Ending ending = EndingOf(settlement.verb);
  if (ending == Ending::kFailed) return CheckFailure(*outlook.lock, settlement, now);
  if (ending == Ending::kDeadLettered && outlook.fate != Fate::kIsDeadLettered) {
    return {ErrorCode::kInvalidOperation,
            "a message in a dead-letter queue cannot be dead-lettered again"};
  }
  return {};
}

Status Settling::Check(LaneKind kind, const LockToken& token, const Settlement& settlement,
                       Timestamp now) const {
  return RefusalOf(kind, Look(kind, token, settlement.verb, now), settlement, now);
}

std::optional<SequenceNumber> Settling::NeedsContent(LaneKind kind, const LockToken& token,
                                                     const Settlement& settlement,
                                                     Timestamp now) const {
  const Outlook outlook = Look(kind, token, settlement.verb, now);
  return Moves(outlook.fate) ? std::optional(outlook.lock->number) : std::nullopt;
}

// A message that comes back and turns out to have expired makes those of its session expire, which
// may be settled next (TTS-1).
std::optional<SequenceNumber> Settling::MayNeedContent(LaneKind kind, const LockToken& token,
                                                       const Settlement& settlement,
                                                       Timestamp now) const {
  const QueueDescription& description = record_.description;
  const bool expires_together = lanes_.of(kind).sessions() != nullptr &&
                                description.session_expiry_scope == SessionExpiryScope::kSession &&
                                description.dead_lettering_on_message_expiration;
  const Outlook outlook = Look(kind, token, settlement.verb, now);
  if (outlook.lock == nullptr) return std::nullopt;
  const bool may_move = Moves(outlook.fate) || (expires_together && outlook.fate != Fate::kIsDone);
  return may_move ? std::optional(outlook.lock->number) : std::nullopt;
}

Status Settling::Settle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                        const Contents& contents, Timestamp now, Changes& changes) {
  const Outlook outlook = Look(kind, token, settlement.verb, now);
  WHARF_RETURN_IF_ERROR(RefusalOf(kind, outlook, settlement, now));
  lanes_.main().NoteActivity(now);
  if (Moves(outlook.fate) && !Has(contents, outlook.lock->number)) {
    return {ErrorCode::kGeneralError,
            fmt::format("message {} of '{}' is not in the store", outlook.lock->number.value(),
                        record_.description.name)};
  }
  switch (outlook.fate) {
    case Fate::kIsDone:
      lanes_.of(kind).Complete(token, changes);
      break;
    case Fate::kIsDeadLettered:
      dead_letters_.TakeLocked(token, outlook.lock->delivery.count, settlement.properties_to_modify,
                               {settlement.reason, settlement.description}, contents, changes);
      break;
    default:
      redelivery_.End(kind, token, outlook.fate, EndOf(settlement, now), contents, now, changes);
  }
  return {};
}

Status Settling::CheckRenewLock(LaneKind kind, const LockToken& token, Timestamp now) const {
  const Lane& lane = lanes_.of(kind);
  if (lane.sessions() != nullptr) {
    return {ErrorCode::kInvalidOperation,
            "messages of a session are locked as long as it is: renew the session lock"};
  }
  return lane.locks().Find(token, now) == nullptr ? holds_.LockLost(kind) : Status();
}

Result<Timestamp> Settling::RenewLock(LaneKind kind, const LockToken& token, Timestamp now,
                                      Changes& changes) {
  if (Status refused = CheckRenewLock(kind, token, now); !refused.ok()) return refused;
  lanes_.main().NoteActivity(now);
  const Timestamp until = After(now, record_.description.lock_duration);
  lanes_.of(kind).Renew(token, until, changes);
  return until;
}

}  // namespace wharf
