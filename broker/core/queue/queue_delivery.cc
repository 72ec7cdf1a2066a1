// Receiving and settling: how a message is handed out, and where it goes when its lock ends.

#include <algorithm>
#include <cassert>

#include <fmt/core.h>

#include "broker/core/messages/text.h"
#include "broker/core/queue/life.h"
#include "broker/core/queue/queue.h"

namespace wharf {
namespace {

constexpr std::size_t kReasonCharactersMax = 4096;
constexpr std::size_t kChangedBytesMax = 64 * 1024 * 1024;

std::shared_ptr<const PropertyMap> Merged(const std::shared_ptr<const PropertyMap>& properties,
                                          const PropertyMap& changes) {
  if (changes.empty()) return properties;
  PropertyMap merged = properties ? *properties : PropertyMap();
  Merge(merged, changes);
  return std::make_shared<const PropertyMap>(std::move(merged));
}

std::string MaxDeliveryDescription(std::int32_t attempts) {
  return fmt::format("Message could not be consumed after {} delivery attempts.", attempts);
}

// Verbs after which the message is delivered again, some day.
bool IsFailure(SettleVerb verb) {
  return verb == SettleVerb::kAbandon || verb == SettleVerb::kDefer;
}

Status CheckDelay(const Settlement& settlement) {
  const std::optional<Duration>& delay = settlement.delay;
  if (delay && (*delay < Duration(0) || *delay > kDelayMax)) {
    return {ErrorCode::kArgumentOutOfRange, "the delay of an abandon must be from 0 to 7 days"};
  }
  return {};
}

}  // namespace

Status CheckSettlement(const Settlement& settlement) {
  for (const auto* text : {&settlement.reason, &settlement.description}) {
    if (*text && CharactersIn(**text) > kReasonCharactersMax) {
      return {ErrorCode::kArgumentError,
              fmt::format("a dead-letter reason or description is longer than {} characters",
                          kReasonCharactersMax)};
    }
  }
  WHARF_RETURN_IF_ERROR(CheckDelay(settlement));
  return CheckProperties(settlement.properties_to_modify);
}

Status Queue::CheckReceive(LaneKind lane_kind) const {
  if (kind() == EntityKind::kTopic) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("'{}' is a topic: receive from its subscriptions", description().name)};
  }
  if (const auto& target = forwards_to(lane_kind)) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("{}'{}' forwards its messages to '{}': they cannot be received here",
                        lane_kind == LaneKind::kMain ? "" : "the dead-letter queue of ",
                        description().name, *target)};
  }
  if (description().can_receive()) return {};
  return {ErrorCode::kMessagingEntityDisabled,
          fmt::format("receiving from '{}' is disabled by its status", description().name)};
}

std::size_t Queue::locks_left(LaneKind kind) const {
  return limits_.locked_messages_max -
         std::min(limits_.locked_messages_max, lanes_.of(kind).locks().size());
}

bool Queue::CanLockMore(LaneKind kind, std::size_t count) const {
  return count <= locks_left(kind) && lanes_.of(kind).locks().changed_bytes() < kChangedBytesMax;
}

bool Queue::ExpireHeads(const Source& source, Timestamp now, std::size_t count_max,
                        Changes& changes) {
  for (std::size_t count = 0;; ++count) {
    const std::optional<FoundMessage> found = lanes_.of(source.kind).FindHead(source.session);
    if (!found) return false;
    const StoredMessage& message = *found->message;
    if (!expiry_.HasExpired(source.kind, message.number, message.facts, now)) return false;
    if (count == count_max) return true;
    expiry_.Expire(source.kind, *found, now, changes);
  }
}

const StoredMessage* Queue::Head(const Source& from) const {
  return lanes_.of(from.kind).head(from.session);
}

bool Queue::CanDeliver(const Source& from, Timestamp now) const {
  const StoredMessage* head = Head(from);
  return head != nullptr && !expiry_.HasExpired(from.kind, head->number, head->facts, now) &&
         description().can_receive() && CanLockMore(from.kind);
}

bool Queue::MayDeliver(const Source& from) const {
  const bool has_ready = from.session == nullptr ? lanes_.of(from.kind).has_ready()
                                                 : from.session->window().may_deliver();
  return has_ready && description().can_receive() && CanLockMore(from.kind);
}

Delivered Queue::Deliver(const Source& source, ReceiveMode mode, HolderId holder, Timestamp now,
                         Changes& changes) {
  Lane& from = lanes_.of(source.kind);
  lanes_.main().NoteAccess(now);
  Delivered delivered;
  ReadyHead head;
  if (mode == ReceiveMode::kPeekLock) {
    const bool is_in_session = source.session != nullptr;
    delivered.token = NewToken();
    delivered.until =
        is_in_session ? source.session->until() : After(now, description().lock_duration);
    head = from.LockHead(source.session, delivered.token, is_in_session ? kNever : delivered.until,
                         {holder, now}, changes);
  } else {
    head = from.ConsumeHead(source.session, changes);
  }
  delivered.message = std::move(head.message);
  delivered.delivery = std::move(head.delivery);
  return delivered;
}

bool Queue::IsLastAttempt(LaneKind kind, const Lock& lock) const {
  return kind == LaneKind::kMain &&
         lock.delivery.count + 1 >= static_cast<std::uint32_t>(description().max_delivery_count);
}

Queue::Fate Queue::FateOf(LaneKind kind, const Lock& lock, bool is_failure, Timestamp now) const {
  if (expiry_.HasExpired(kind, lock, now)) {
    return description().dead_lettering_on_message_expiration ? Fate::kExpires : Fate::kIsDropped;
  }
  return is_failure && IsLastAttempt(kind, lock) ? Fate::kHasFailed : Fate::kStays;
}

bool Queue::EndsInDeadLetters(LaneKind kind, const Lock& lock, bool is_failure,
                              Timestamp now) const {
  const Fate fate = FateOf(kind, lock, is_failure, now);
  return fate == Fate::kExpires || fate == Fate::kHasFailed;
}

std::optional<SequenceNumber> Queue::NeedsContent(LaneKind kind, const LockToken& token,
                                                  const Settlement& settlement,
                                                  Timestamp now) const {
  const Lock* lock = holds_.FindLock(kind, token, now);
  if (lock == nullptr || kind != LaneKind::kMain) return std::nullopt;
  const SettleVerb verb = settlement.verb;
  const bool is_moved =
      verb == SettleVerb::kDeadLetter ||
      (verb != SettleVerb::kComplete && EndsInDeadLetters(kind, *lock, IsFailure(verb), now));
  return is_moved ? std::optional(lock->number) : std::nullopt;
}

Status Queue::Settle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                     const Contents& contents, Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckSettle(kind, token, settlement, now));
  lanes_.main().NoteActivity(now);
  const auto needed = NeedsContent(kind, token, settlement, now);
  if (needed && !Has(contents, *needed)) {
    return {ErrorCode::kGeneralError, fmt::format("message {} of '{}' is not in the store",
                                                  needed->value(), description().name)};
  }
  switch (settlement.verb) {
    case SettleVerb::kComplete:
      lanes_.of(kind).Complete(token, changes);
      break;
    case SettleVerb::kRelease:
      EndLock(kind, token, {ReturnCause::kReleased}, contents, now, changes);
      break;
    case SettleVerb::kAbandon:
    case SettleVerb::kDefer:
      EndLock(kind, token, EndOf(settlement, now), contents, now, changes);
      break;
    case SettleVerb::kDeadLetter:
      dead_letters_.TakeLocked(token, lanes_.of(kind).locks().Get(token)->delivery.count,
                               settlement.properties_to_modify,
                               {settlement.reason, settlement.description}, contents, changes);
      break;
  }
  return {};
}

Status Queue::CheckSettle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                          Timestamp now) const {
  const Lock* lock = holds_.FindLock(kind, token, now);
  if (lock == nullptr) return holds_.LockLost(kind);
  if (IsFailure(settlement.verb)) return CheckFailure(*lock, settlement, now);
  if (settlement.verb == SettleVerb::kDeadLetter && kind == LaneKind::kDeadLetter) {
    return {ErrorCode::kInvalidOperation,
            "a message in a dead-letter queue cannot be dead-lettered again"};
  }
  return {};
}

Queue::LockEnd Queue::EndOf(const Settlement& settlement, Timestamp now) {
  LockEnd end{
      settlement.verb == SettleVerb::kDefer ? ReturnCause::kDeferred : ReturnCause::kAbandoned,
      &settlement.properties_to_modify};
  if (settlement.delay) end.available_at = After(now, *settlement.delay);
  if (settlement.delay_until) end.available_at = *settlement.delay_until;
  return end;
}

Status Queue::CheckFailure(const Lock& lock, const Settlement& settlement, Timestamp now) {
  const auto merged = Merged(lock.delivery.changed_properties, settlement.properties_to_modify);
  if (merged) WHARF_RETURN_IF_ERROR(CheckProperties(*merged));
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

void Queue::EndLock(LaneKind kind, const LockToken& token, const LockEnd& end,
                    const Contents& contents, Timestamp now, Changes& changes) {
  static const PropertyMap kNoProperties;
  const Lock& lock = *lanes_.of(kind).locks().Get(token);
  const PropertyMap& properties = end.properties == nullptr ? kNoProperties : *end.properties;
  const bool is_failure = end.cause != ReturnCause::kReleased;
  const std::uint32_t count = lock.delivery.count + (is_failure && kind == LaneKind::kMain ? 1 : 0);
  const Fate fate = FateOf(kind, lock, is_failure, now);
  const bool has_expired = fate == Fate::kExpires || fate == Fate::kIsDropped;
  if (has_expired && !lock.was_deferred) {
    expiry_.ExpireSessionOf(lock.number, lock.facts, now, changes);
  }
  switch (fate) {
    case Fate::kStays:
      return Rest(kind, token, {count, Merged(lock.delivery.changed_properties, properties)}, end,
                  now, changes);
    case Fate::kExpires:
      return dead_letters_.TakeLocked(token, count, properties, ExpiryNote(), contents, changes);
    case Fate::kIsDropped:
      return DropLocked(token, changes);
    case Fate::kHasFailed:
      const std::int32_t attempts = description().max_delivery_count;
      return dead_letters_.TakeLocked(
          token, count, properties, {"MaxDeliveryCountExceeded", MaxDeliveryDescription(attempts)},
          contents, changes);
  }
}

void Queue::DropLocked(const LockToken& token, Changes& changes) {
  const Lock expired = lanes_.main().Extract(token);
  changes.push_back(MessageRemoved{lanes_.main().shelf(), expired.number, expired.facts,
                                   Standing::kLocked, RemovalCause::kExpired});
}

// The message stays in its lane.
void Queue::Rest(LaneKind kind, const LockToken& token, Delivery delivery, const LockEnd& end,
                 Timestamp now, Changes& changes) {
  Lane& from = lanes_.of(kind);
  const Lock& lock = *from.locks().Get(token);
  if (end.cause == ReturnCause::kDeferred || lock.was_deferred) {
    return from.Defer(token, std::move(delivery), end.cause, changes);
  }
  Timestamp available_at = end.available_at.value_or(now);
  const bool follows_policy = !end.available_at && end.cause != ReturnCause::kReleased &&
                              kind == LaneKind::kMain && description().retry_policy;
  if (follows_policy) {
    available_at = After(now, description().retry_policy->WaitAfter(delivery.count, random_));
  }
  if (available_at > now) {
    return from.Delay(token, std::move(delivery), available_at, end.cause, changes);
  }
  from.Return(token, std::move(delivery), end.cause, changes);
}

Result<Timestamp> Queue::RenewLock(LaneKind kind, const LockToken& token, Timestamp now,
                                   Changes& changes) {
  if (Status refused = CheckRenewLock(kind, token, now); !refused.ok()) return refused;
  lanes_.main().NoteActivity(now);
  const Timestamp until = After(now, description().lock_duration);
  lanes_.of(kind).Renew(token, until, changes);
  return until;
}

std::vector<LockToken> Queue::ExpireLocks(LaneKind kind, Timestamp now, std::size_t count_max,
                                          Changes& changes) {
  std::vector<LockToken> need_content;
  for (const LockToken& token : lanes_.of(kind).TakeEndedLocks(now, count_max)) {
    if (EndsInDeadLetters(kind, *lanes_.of(kind).locks().Get(token), true, now)) {
      need_content.push_back(token);
    } else {
      EndLock(kind, token, {ReturnCause::kLockExpired}, {}, now, changes);
    }
  }
  return need_content;
}

bool Queue::ExpireLock(LaneKind kind, const LockToken& token, const Contents& contents,
                       Timestamp now, Changes& changes) {
  const Lock* lock = lanes_.of(kind).locks().Get(token);
  if (lock == nullptr || lock->until > now) return true;
  if (EndsInDeadLetters(kind, *lock, true, now) && !Has(contents, lock->number)) return false;
  EndLock(kind, token, {ReturnCause::kLockExpired}, contents, now, changes);
  return true;
}

}  // namespace wharf
