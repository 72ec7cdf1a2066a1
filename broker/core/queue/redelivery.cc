#include "broker/core/queue/redelivery.h"

#include <cassert>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

DeadLetterNote FailureNote(std::int32_t attempts) {
  return {"MaxDeliveryCountExceeded",
          fmt::format("Message could not be consumed after {} delivery attempts.", attempts)};
}

}  // namespace

std::shared_ptr<const PropertyMap> ChangedWith(const Delivery& delivery,
                                               const PropertyMap& changes) {
  if (changes.empty()) return delivery.changed_properties;
  PropertyMap merged = delivery.changed_properties ? *delivery.changed_properties : PropertyMap();
  Merge(merged, changes);
  return std::make_shared<const PropertyMap>(std::move(merged));
}

Fate Redelivery::FateOf(LaneKind kind, const Lock& lock, Ending ending, Timestamp now) const {
  const bool may_expire = ending == Ending::kReleased || ending == Ending::kFailed;
  const LockFacts facts{kind, lock.delivery.count,
                        may_expire && expiry_.HasExpired(kind, lock, now)};
  return wharf::FateOf(record_.description, facts, ending);
}

void Redelivery::End(LaneKind kind, const LockToken& token, Fate fate, const LockEnd& end,
                     const Contents& contents, Timestamp now, Changes& changes) {
  static const PropertyMap kNoProperties;
  const Lock& lock = *lanes_.of(kind).locks().Get(token);
  const PropertyMap& properties = end.properties == nullptr ? kNoProperties : *end.properties;
  const bool is_failure = end.cause != ReturnCause::kReleased;
  const std::uint32_t count = lock.delivery.count + (is_failure && kind == LaneKind::kMain ? 1 : 0);
  if (HasExpired(fate) && !lock.was_deferred) {
    expiry_.ExpireSessionOf(lock.number, lock.facts, now, changes);
  }
  switch (fate) {
    case Fate::kStays:
      return Rest(kind, token, {count, ChangedWith(lock.delivery, properties)}, end, now, changes);
    case Fate::kIsDropped:
      return Drop(token, changes);
    case Fate::kExpires:
      return dead_letters_.TakeLocked(token, count, properties, ExpiryNote(), contents, changes);
    case Fate::kHasFailed:
      return dead_letters_.TakeLocked(token, count, properties,
                                      FailureNote(record_.description.max_delivery_count), contents,
                                      changes);
    case Fate::kIsDone:
    case Fate::kIsDeadLettered:
      assert(false);
  }
}

void Redelivery::Drop(const LockToken& token, Changes& changes) {
  Lane& main = lanes_.main();
  const Lock expired = main.Extract(token);
  changes.push_back(MessageRemoved{main.shelf(), expired.number, expired.facts, Standing::kLocked,
                                   RemovalCause::kExpired});
}

// The message stays in its lane.
void Redelivery::Rest(LaneKind kind, const LockToken& token, Delivery delivery, const LockEnd& end,
                      Timestamp now, Changes& changes) {
  Lane& from = lanes_.of(kind);
  const Lock& lock = *from.locks().Get(token);
  if (end.cause == ReturnCause::kDeferred || lock.was_deferred) {
    return from.Defer(token, std::move(delivery), end.cause, changes);
  }
  Timestamp available_at = end.available_at.value_or(now);
  const auto& policy = record_.description.retry_policy;
  const bool follows_policy =
      !end.available_at && end.cause != ReturnCause::kReleased && kind == LaneKind::kMain && policy;
  if (follows_policy) available_at = After(now, policy->WaitAfter(delivery.count, random_));
  if (available_at > now) {
    return from.Delay(token, std::move(delivery), available_at, end.cause, changes);
  }
  from.Return(token, std::move(delivery), end.cause, changes);
}

std::vector<LockToken> Redelivery::ExpireLocks(LaneKind kind, Timestamp now, std::size_t count_max,
                                               Changes& changes) {
  std::vector<LockToken> need_content;
  Lane& lane = lanes_.of(kind);
  for (const LockToken& token : lane.TakeEndedLocks(now, count_max)) {
    const Fate fate = FateOf(kind, *lane.locks().Get(token), Ending::kFailed, now);
    if (Moves(fate)) {
      need_content.push_back(token);
    } else {
      End(kind, token, fate, {ReturnCause::kLockExpired}, {}, now, changes);
    }
  }
  return need_content;
}

bool Redelivery::ExpireLock(LaneKind kind, const LockToken& token, const Contents& contents,
                            Timestamp now, Changes& changes) {
  const Lock* lock = lanes_.of(kind).locks().Get(token);
  if (lock == nullptr || lock->until > now) return true;
  const Fate fate = FateOf(kind, *lock, Ending::kFailed, now);
  if (Moves(fate) && !Has(contents, lock->number)) return false;
  End(kind, token, fate, {ReturnCause::kLockExpired}, contents, now, changes);
  return true;
}

}  // namespace wharf
