#include "broker/core/queue/expiry.h"

#include "broker/core/queue/life.h"

namespace wharf {

bool Expiry::HasExpired(LaneKind kind, SequenceNumber number, const MessageFacts& facts,
                        Timestamp now) const {
  if (HasLivedOut(record_.description, kind, facts, now)) return true;
  const SessionBook* sessions = lanes_.of(kind).sessions();
  return sessions != nullptr && sessions->IsExpired(facts.session_id, number);
}

// A message that was received out of deferral does not expire with its session (TTS-3).
bool Expiry::HasExpired(LaneKind kind, const Lock& lock, Timestamp now) const {
  if (lock.was_deferred) return HasLivedOut(record_.description, kind, lock.facts, now);
  return HasExpired(kind, lock.number, lock.facts, now);
}

bool Expiry::ExpiresWithSession(LaneKind kind, const FoundMessage& found) const {
  const SessionBook* sessions = lanes_.of(kind).sessions();
  return sessions != nullptr &&
         sessions->IsExpired(found.message->facts.session_id, found.message->number);
}

bool Expiry::Expire(LaneKind kind, const FoundMessage& found, Timestamp now, Changes& changes) {
  const MessageFacts& facts = found.message->facts;
  if (found.standing == Standing::kQuarantined || !found.is_readable()) return false;
  // What is deferred does not expire with its session (TTS-3).
  const bool is_active = found.standing != Standing::kDeferred;
  const bool has_expired = is_active ? HasExpired(kind, found.message->number, facts, now)
                                     : HasLivedOut(record_.description, kind, facts, now);
  if (!has_expired) return false;
  if (is_active) ExpireSessionOf(found.message->number, facts, now, changes);
  if (record_.description.dead_lettering_on_message_expiration) {
    dead_letters_.TakeFound(found, {}, ExpiryNote(), changes);
  } else {
    lanes_.main().Remove(found, RemovalCause::kExpired, changes);
  }
  return true;
}

// On its way to another entity a message does not expire.
bool Expiry::CanExpireRuns(LaneKind kind) const {
  return kind == LaneKind::kMain && !record_.description.dead_lettering_on_message_expiration &&
         !record_.description.forward_to && lanes_.main().CanExpireRuns();
}

bool Expiry::FitsRun(LaneKind kind, const FoundMessage& found, Timestamp now) const {
  return CanExpireRuns(kind) && found.standing == Standing::kFresh && found.is_readable() &&
         MessageRun::Fits(found.message->facts, now);
}

MessageRun Expiry::ReadyRun(LaneKind kind, Timestamp now) const {
  return CanExpireRuns(kind) ? lanes_.main().ReadyRun(now) : MessageRun();
}

bool Expiry::ExpireRun(const MessageRun& run, Timestamp now, Changes& changes) {
  return lanes_.main().ExpireRun(run, now, changes);
}

// A message that expired because its session did does not make what came later expire, though its
// own time is over by now (TTS-4).
void Expiry::ExpireSessionOf(SequenceNumber number, const MessageFacts& facts, Timestamp now,
                             Changes& changes) {
  SessionBook* sessions = lanes_.main().sessions();
  const QueueDescription& description = record_.description;
  const bool is_shared = sessions != nullptr &&
                         description.session_expiry_scope == SessionExpiryScope::kSession &&
                         HasLivedOut(description, LaneKind::kMain, facts, now) &&
                         !sessions->IsExpired(facts.session_id, number);
  if (!is_shared) return;
  const SequenceNumber last(lanes_.main().next_number(PartitionOf(number)).value() - 1);
  sessions->Expire(facts.session_id, last, changes);
}

void Expiry::FinishSession(const std::string& session, SequenceNumber through, Changes& changes) {
  lanes_.main().sessions()->FinishExpiry(session, through, changes);
}

}  // namespace wharf
