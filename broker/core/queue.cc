#include "broker/core/queue.h"

#include <algorithm>
#include <cassert>

#include <fmt/core.h>

#include "broker/core/text.h"

namespace wharf {
namespace {

constexpr std::int64_t kBatchBytesMax = 1024 * 1024;
constexpr std::uint64_t kInlineBodyMax = 4096;
constexpr std::size_t kReasonCharactersMax = 4096;
constexpr std::size_t kChangedBytesMax = 64 * 1024 * 1024;

Status LockLost() {
  return {ErrorCode::kMessageLockLost,
          "the lock has expired, or the message was settled before; receive it again"};
}

std::shared_ptr<const PropertyMap> Merged(const std::shared_ptr<const PropertyMap>& properties,
                                          const PropertyMap& changes) {
  if (changes.empty()) return properties;
  PropertyMap merged = properties ? *properties : PropertyMap();
  Merge(merged, changes);
  return std::make_shared<const PropertyMap>(std::move(merged));
}

bool Has(const Contents& contents, SequenceNumber number) {
  const auto found = contents.find(number);
  return found != contents.end() && found->second != nullptr;
}

std::string MaxDeliveryDescription(std::int32_t attempts) {
  return fmt::format("Message could not be consumed after {} delivery attempts.", attempts);
}

// Bytes of a message whose body may not be in memory.
std::int64_t StoredSizeOf(const StoredMessage& stored) {
  const auto& body_ref = stored.facts.body_ref;
  const std::int64_t body =
      static_cast<std::int64_t>(body_ref ? body_ref->size : stored.message.body.size());
  return PropertiesSizeOf(stored.message) + body;
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
  return CheckProperties(settlement.properties_to_modify);
}

Queue::Queue(Image image, const QueueLimits& limits)
    : limits_(limits),
      record_(std::move(image.record)),
      main_({record_.id, LaneKind::kMain}, std::move(image.main), limits.window),
      dead_letter_({record_.id, LaneKind::kDeadLetter}, std::move(image.dead_letter),
                   limits.window) {}

std::int64_t Queue::bytes() const { return main_.counters().bytes + dead_letter_.counters().bytes; }

void Queue::Update(QueueDescription description, Timestamp now, Changes& changes) {
  record_.description = std::move(description);
  record_.updated_at = now;
  changes.push_back(EntityUpdated{record_});
}

Status Queue::CheckSend() const {
  if (!description().can_send()) {
    return {ErrorCode::kMessagingEntityDisabled,
            fmt::format("sending to '{}' is disabled by its status", description().name)};
  }
  return Full();
}

Status Queue::Full() const {
  if (bytes() < description().bytes_max()) return {};
  return {
      ErrorCode::kQuotaExceeded,
      fmt::format("The maximum entity size has been reached or exceeded for Queue: '{}'. Size of "
                  "entity in bytes:{}, Max entity size in bytes:{}",
                  description().name, bytes(), description().bytes_max())};
}

Status Queue::CheckSize(std::int64_t size) const {
  if (size <= description().message_bytes_max()) return {};
  return {ErrorCode::kMessageSizeExceeded,
          fmt::format("the message has {} bytes, more than the {} that '{}' takes", size,
                      description().message_bytes_max(), description().name)};
}

Status Queue::CheckOne(const Message& message, Timestamp now) const {
  WHARF_RETURN_IF_ERROR(CheckMessage(message));
  WHARF_RETURN_IF_ERROR(CheckSize(SizeOf(message)));
  if (message.time_to_live) {
    return {ErrorCode::kNotImplemented, "time_to_live is not offered by this version of Wharf"};
  }
  if (message.scheduled_enqueue_time && *message.scheduled_enqueue_time > now) {
    return {ErrorCode::kNotImplemented,
            "a scheduled_enqueue_time in the future is not offered by this version of Wharf"};
  }
  return {};
}

Status Queue::CheckBatch(const std::vector<Message>& messages, Timestamp now) const {
  std::int64_t size = 0;
  for (const Message& message : messages) {
    WHARF_RETURN_IF_ERROR(CheckOne(message, now));
    size += SizeOf(message);
  }
  if (size <= std::min(kBatchBytesMax, description().message_bytes_max())) return {};
  return {
      ErrorCode::kMessageSizeExceeded,
      fmt::format("the messages of an atomic send have {} bytes together, more than the {} that "
                  "'{}' takes",
                  size, std::min(kBatchBytesMax, description().message_bytes_max()),
                  description().name)};
}

Result<std::vector<Result<SequenceNumber>>> Queue::Send(std::vector<Message> messages, bool atomic,
                                                        Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckSend());
  if (atomic) WHARF_RETURN_IF_ERROR(CheckBatch(messages, now));
  main_.NoteAccess(now);
  std::vector<Result<SequenceNumber>> results;
  results.reserve(messages.size());
  for (Message& message : messages) {
    Status refused = atomic ? Status() : CheckOne(message, now);
    if (refused.ok() && !atomic) refused = Full();
    if (refused.ok()) {
      results.emplace_back(Enqueue(std::move(message), std::nullopt, now, changes));
    } else {
      results.emplace_back(std::move(refused));
    }
  }
  return results;
}

Status Queue::CheckSendLarge(const Message& message, std::uint64_t body_bytes,
                             Timestamp now) const {
  WHARF_RETURN_IF_ERROR(CheckSend());
  WHARF_RETURN_IF_ERROR(CheckOne(message, now));
  // A length that is far beyond any limit must not wrap around.
  constexpr std::uint64_t kFarTooLong = std::uint64_t{1} << 62;
  return CheckSize(SizeOf(message) + static_cast<std::int64_t>(std::min(body_bytes, kFarTooLong)));
}

// Checked again: while the body came the queue may have become full, or its limits lower.
Result<SequenceNumber> Queue::SendLarge(Message message, const BodyRef& body, Timestamp now,
                                        Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckSendLarge(message, body.size, now));
  main_.NoteAccess(now);
  return Enqueue(std::move(message), body, now, changes);
}

SequenceNumber Queue::Enqueue(Message message, const std::optional<BodyRef>& uploaded,
                              Timestamp now, Changes& changes) {
  auto stored = std::make_shared<StoredMessage>();
  stored->number = main_.TakeNumber();
  stored->enqueued_at = now;
  stored->message = std::move(message);
  stored->facts.body_ref = uploaded;
  if (stored->message.body.size() > kInlineBodyMax) {
    stored->facts.body_ref = BodyRef{record_.id, stored->number, stored->message.body.size()};
  }
  stored->facts.size = StoredSizeOf(*stored);
  const SequenceNumber number = stored->number;
  main_.Enqueue(std::move(stored), changes);
  return number;
}

Status Queue::CheckReceive() const {
  if (description().can_receive()) return {};
  return {ErrorCode::kMessagingEntityDisabled,
          fmt::format("receiving from '{}' is disabled by its status", description().name)};
}

bool Queue::CanLockMore(LaneKind kind) const {
  const LockTable& locks = lane(kind).locks();
  return locks.size() < limits_.locked_messages_max && locks.changed_bytes() < kChangedBytesMax;
}

bool Queue::CanDeliver(LaneKind kind) const {
  return description().can_receive() && lane(kind).head() != nullptr && CanLockMore(kind);
}

Delivered Queue::Deliver(LaneKind kind, ReceiveMode mode, HolderId holder, Timestamp now,
                         Random& random, Changes& changes) {
  Lane& from = lane(kind);
  main_.NoteAccess(now);
  Delivered delivered;
  ReadyWindow::Head head;
  if (mode == ReceiveMode::kPeekLock) {
    delivered.token = LockToken(random.Next(), random.Next());
    delivered.until = After(now, description().lock_duration);
    head = from.LockHead(delivered.token, delivered.until, holder, changes);
  } else {
    head = from.ConsumeHead(changes);
  }
  delivered.message = std::move(head.message);
  delivered.delivery = std::move(head.delivery);
  return delivered;
}

bool Queue::IsLastAttempt(LaneKind kind, const Lock& lock) const {
  return kind == LaneKind::kMain &&
         lock.delivery.count + 1 >= static_cast<std::uint32_t>(description().max_delivery_count);
}

std::optional<SequenceNumber> Queue::NeedsContent(LaneKind kind, const LockToken& token,
                                                  const Settlement& settlement,
                                                  Timestamp now) const {
  const Lock* lock = lane(kind).locks().Find(token, now);
  if (lock == nullptr || kind != LaneKind::kMain) return std::nullopt;
  const bool is_moved = settlement.verb == SettleVerb::kDeadLetter ||
                        (settlement.verb == SettleVerb::kAbandon && IsLastAttempt(kind, *lock));
  return is_moved ? std::optional(lock->number) : std::nullopt;
}

Status Queue::Settle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                     const Contents& contents, Timestamp now, Changes& changes) {
  Lane& from = lane(kind);
  const Lock* lock = from.locks().Find(token, now);
  if (lock == nullptr) return LockLost();
  const auto needed = NeedsContent(kind, token, settlement, now);
  if (needed && !Has(contents, *needed)) {
    return {ErrorCode::kGeneralError, fmt::format("message {} of '{}' is not in the store",
                                                  needed->value(), description().name)};
  }
  switch (settlement.verb) {
    case SettleVerb::kComplete:
      from.Complete(token, changes);
      return {};
    case SettleVerb::kRelease:
      from.Return(token, lock->delivery, ReturnCause::kReleased, changes);
      return {};
    case SettleVerb::kAbandon: {
      const auto merged =
          Merged(lock->delivery.changed_properties, settlement.properties_to_modify);
      if (merged) WHARF_RETURN_IF_ERROR(CheckProperties(*merged));
      Abandon(kind, token, settlement.properties_to_modify, ReturnCause::kAbandoned, contents,
              changes);
      return {};
    }
    case SettleVerb::kDeadLetter:
      if (kind == LaneKind::kDeadLetter) {
        return {ErrorCode::kInvalidOperation,
                "a message in a dead-letter queue cannot be dead-lettered again"};
      }
      DeadLetter(token, lock->delivery.count, settlement.properties_to_modify,
                 {settlement.reason, settlement.description}, contents, changes);
      return {};
  }
  return {ErrorCode::kGeneralError, "unknown settle verb"};
}

// A failed delivery: the message comes back, or has failed too often (CNT-3, CNT-4, CNT-12, MAX-2).
void Queue::Abandon(LaneKind kind, const LockToken& token, const PropertyMap& properties,
                    ReturnCause cause, const Contents& contents, Changes& changes) {
  const Lock& lock = *lane(kind).locks().Get(token);
  const std::uint32_t counted = kind == LaneKind::kMain ? 1 : 0;
  if (IsLastAttempt(kind, lock)) {
    DeadLetter(
        token, lock.delivery.count + counted, properties,
        {"MaxDeliveryCountExceeded", MaxDeliveryDescription(description().max_delivery_count)},
        contents, changes);
    return;
  }
  Delivery delivery{lock.delivery.count + counted,
                    Merged(lock.delivery.changed_properties, properties)};
  lane(kind).Return(token, std::move(delivery), cause, changes);
}

// What the message keeps and gets on the way: DLQ-9, DLQ-10.
void Queue::DeadLetter(const LockToken& token, std::uint32_t delivery_count,
                       const PropertyMap& properties, const DeadLetterNote& note,
                       const Contents& contents, Changes& changes) {
  const Lock lock = main_.Extract(token);
  auto moved = std::make_shared<StoredMessage>(*contents.at(lock.number));
  PropertyMap& target = moved->message.application_properties;
  if (lock.delivery.changed_properties) Merge(target, *lock.delivery.changed_properties);
  Merge(target, properties);
  if (note.reason) Merge(target, {{"DeadLetterReason", *note.reason}});
  if (note.description) Merge(target, {{"DeadLetterErrorDescription", *note.description}});
  moved->facts.expires_at = kNever;
  moved->facts.size = StoredSizeOf(*moved);

  const Delivery delivery{delivery_count, nullptr};
  dead_letter_.Insert(moved, delivery);
  changes.push_back(MessageDeadLettered{record_.id, std::move(moved), delivery, lock.facts});
}

Result<Timestamp> Queue::RenewLock(LaneKind kind, const LockToken& token, Timestamp now,
                                   Changes& changes) {
  Lane& of = lane(kind);
  if (of.locks().Find(token, now) == nullptr) return LockLost();
  const Timestamp until = After(now, description().lock_duration);
  of.Renew(token, until, changes);
  return until;
}

std::vector<LockToken> Queue::ExpireLocks(LaneKind kind, Timestamp now, std::size_t count_max,
                                          Changes& changes) {
  std::vector<LockToken> need_content;
  for (const LockToken& token : lane(kind).TakeEndedLocks(now, count_max)) {
    if (IsLastAttempt(kind, *lane(kind).locks().Get(token))) {
      need_content.push_back(token);
    } else {
      Abandon(kind, token, {}, ReturnCause::kLockExpired, {}, changes);
    }
  }
  return need_content;
}

bool Queue::ExpireLock(LaneKind kind, const LockToken& token, const Contents& contents,
                       Timestamp now, Changes& changes) {
  const Lock* lock = lane(kind).locks().Get(token);
  if (lock == nullptr || lock->until > now) return true;
  if (IsLastAttempt(kind, *lock) && !Has(contents, lock->number)) return false;
  Abandon(kind, token, {}, ReturnCause::kLockExpired, contents, changes);
  return true;
}

}  // namespace wharf
