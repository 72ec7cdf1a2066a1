// Messages that are named by their numbers: deferred ones, single ones out of order, and those that
// time or a job comes for. A reader found them; what changed since was read again.

#include <algorithm>

#include <fmt/core.h>

#include "broker/core/queue/life.h"
#include "broker/core/queue/queue.h"

namespace wharf {
namespace {

const FoundMessage* Find(const FoundMessages& found, SequenceNumber number) {
  const auto it = found.find(number);
  return it == found.end() || !it->second ? nullptr : &*it->second;
}

bool IsWaiting(Standing standing) {
  return standing == Standing::kFresh || standing == Standing::kReturned ||
         standing == Standing::kDelayed;
}

Status NotDeferred(SequenceNumber number, const std::string& name) {
  return {ErrorCode::kMessageNotFound,
          fmt::format("'{}' has no deferred message {} that nobody holds", name, number.value())};
}

Status Missing(SequenceNumber number, const std::string& name) {
  return {ErrorCode::kMessageNotFound, fmt::format("'{}' has no message {}", name, number.value())};
}

Status SessionIsExpiring() {
  return {ErrorCode::kServiceBusy,
          "messages of this session have expired together and are still being removed; try again "
          "later"};
}

// What one answer can carry.
constexpr std::int64_t kAnswerBytesMax = 1024 * 1024;

// One message fits, unless its body stays in the store for its size.
Status CheckDeliverable(const FoundMessage& found, std::int64_t bytes_before) {
  const StoredMessage& message = *found.message;
  if (bytes_before > 0 && bytes_before + message.facts.size > kAnswerBytesMax) {
    return {ErrorCode::kMessageSizeExceeded,
            "the messages are larger than 1 MiB together; ask for fewer at a time"};
  }
  if (message.has_body()) return {};
  return {ErrorCode::kMessageSizeExceeded,
          fmt::format("message {} is too large for this call; make it available and receive it "
                      "over a stream",
                      message.number.value())};
}

}  // namespace

Status CheckNamedOnce(const std::vector<SequenceNumber>& numbers) {
  std::vector<SequenceNumber> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("the sequence number {} is named twice", twice->value())};
}

Delivered Queue::HandOut(LaneKind kind, ReceiveMode mode, HolderId holder,
                         const FoundMessage& found, Timestamp now, Changes& changes) {
  Lane& from = lanes_.of(kind);
  Delivered delivered{.message = found.message,
                      .delivery = found.delivery,
                      .was_deferred = found.standing == Standing::kDeferred};
  if (mode == ReceiveMode::kPeekLock) {
    const Session* session = holds_.SessionOf(kind, found.message->facts);
    delivered.token = NewToken();
    delivered.until =
        session == nullptr ? After(now, description().lock_duration) : session->until();
    from.LockFound(found, delivered.token, session == nullptr ? delivered.until : kNever,
                   {holder, now}, changes);
  } else {
    from.ConsumeFound(found, changes);
  }
  return delivered;
}

Result<std::vector<Delivered>> Queue::ReceiveDeferred(LaneKind kind, ReceiveMode mode,
                                                      HolderId holder,
                                                      const std::optional<LockToken>& session,
                                                      const std::vector<SequenceNumber>& numbers,
                                                      const FoundMessages& found, Timestamp now,
                                                      Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckReceive(kind));
  WHARF_RETURN_IF_ERROR(CheckNamedOnce(numbers));
  const Result<Source> source = SourceOf(kind, session, now);
  if (!source.ok()) return source.status();
  lanes_.main().NoteAccess(now);
  Status refused;
  std::int64_t bytes = 0;
  for (const SequenceNumber number : numbers) {
    const FoundMessage* message = Find(found, number);
    const bool is_there = message != nullptr && message->standing == Standing::kDeferred &&
                          IsIn(*source, *message) && !expiry_.Expire(kind, *message, now, changes);
    if (!is_there) {
      refused = NotDeferred(number, description().name);
    } else if (refused.ok()) {
      refused = CheckDeliverable(*message, bytes);
      bytes += message->message->facts.size;
    }
  }
  WHARF_RETURN_IF_ERROR(refused);
  if (mode == ReceiveMode::kPeekLock && !CanLockMore(kind, numbers.size())) return TooManyLocked();
  std::vector<Delivered> delivered;
  delivered.reserve(numbers.size());
  for (const SequenceNumber number : numbers) {
    delivered.push_back(HandOut(kind, mode, holder, *Find(found, number), now, changes));
  }
  return delivered;
}

Status Queue::TooManyLocked() const {
  return {ErrorCode::kQuotaExceeded,
          fmt::format("'{}' has as many locked messages as it may have ({})", description().name,
                      limits_.locked_messages_max)};
}

// One that has expired meanwhile is dropped or dead-lettered instead, as when a lock ends.
Status Queue::Undefer(LaneKind kind, const std::vector<SequenceNumber>& numbers,
                      const FoundMessages& found, Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckNamedOnce(numbers));
  for (const SequenceNumber number : numbers) {
    const FoundMessage* message = Find(found, number);
    if (message == nullptr || message->standing != Standing::kDeferred) {
      return NotDeferred(number, description().name);
    }
    if (expiry_.ExpiresWithSession(kind, *message)) return SessionIsExpiring();
  }
  lanes_.main().NoteActivity(now);
  for (const SequenceNumber number : numbers) {
    const FoundMessage& message = *Find(found, number);
    if (!expiry_.Expire(kind, message, now, changes)) lanes_.of(kind).Undefer(message, changes);
  }
  return {};
}

Result<Delivered> Queue::ReceiveOne(LaneKind kind, ReceiveMode mode, HolderId holder,
                                    const std::optional<LockToken>& session, SequenceNumber number,
                                    const FoundMessages& found, Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckReceive(kind));
  const Result<Source> source = SourceOf(kind, session, now);
  if (!source.ok()) return source.status();
  const FoundMessage* message = Find(found, number);
  if (message == nullptr || !IsIn(*source, *message)) return Missing(number, description().name);
  if (!IsWaiting(message->standing)) {
    return Status(ErrorCode::kInvalidOperation,
                  fmt::format("message {} of '{}' is {} and cannot be taken out of order",
                              number.value(), description().name,
                              message->standing == Standing::kLocked ? "locked" : "deferred"));
  }
  lanes_.main().NoteAccess(now);
  if (expiry_.Expire(kind, *message, now, changes)) return Missing(number, description().name);
  WHARF_RETURN_IF_ERROR(CheckDeliverable(*message, 0));
  if (mode == ReceiveMode::kPeekLock && !CanLockMore(kind)) return TooManyLocked();
  return HandOut(kind, mode, holder, *message, now, changes);
}

Status Queue::SettleOne(LaneKind kind, SequenceNumber number, const Settlement& settlement,
                        const FoundMessages& found, Timestamp now, Changes& changes) {
  const FoundMessage* message = Find(found, number);
  if (message == nullptr) return Missing(number, description().name);
  if (message->standing == Standing::kLocked) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("message {} of '{}' is locked; settle it with its token", number.value(),
                        description().name)};
  }
  lanes_.main().NoteActivity(now);
  if (expiry_.Expire(kind, *message, now, changes)) return Missing(number, description().name);
  switch (settlement.verb) {
    case SettleVerb::kComplete:
      lanes_.of(kind).Remove(*message, RemovalCause::kDeleted, changes);
      return {};
    case SettleVerb::kDeadLetter:
      if (kind == LaneKind::kDeadLetter) {
        return {ErrorCode::kInvalidOperation,
                "a message in a dead-letter queue cannot be dead-lettered again"};
      }
      dead_letters_.TakeFound(*message, settlement.properties_to_modify,
                              {settlement.reason, settlement.description}, changes);
      return {};
    default:
      return {ErrorCode::kInvalidOperation,
              "a message that nobody holds can be completed or dead-lettered, nothing else"};
  }
}

bool Queue::DeleteWaiting(LaneKind kind, const FoundMessage& found, Timestamp now,
                          Changes& changes) {
  if (!IsWaiting(found.standing)) return false;
  if (expiry_.Expire(kind, found, now, changes)) return false;
  lanes_.main().NoteActivity(now);
  lanes_.of(kind).Remove(found, RemovalCause::kDeleted, changes);
  return true;
}

void Queue::EndDelay(LaneKind kind, const FoundMessage& found, Changes& changes) {
  lanes_.of(kind).EndDelay(found, changes);
}

Status Queue::Redrive(const FoundMessage& found, Queue& target, Timestamp now, Changes& changes) {
  if (found.standing == Standing::kLocked) {
    return {ErrorCode::kInvalidOperation, "the message is locked"};
  }
  WHARF_RETURN_IF_ERROR(target.CheckSend());
  auto moved = std::make_shared<StoredMessage>(*found.message);
  PropertyMap& properties = moved->message.application_properties;
  if (found.delivery.changed_properties) Merge(properties, *found.delivery.changed_properties);
  CountRedrive(properties);
  moved->hops = 0;
  moved->facts.size = StoredSizeOf(*moved);
  WHARF_RETURN_IF_ERROR(target.quota_.CheckSize(moved->facts.size));
  WHARF_RETURN_IF_ERROR(CheckProperties(properties));
  WHARF_RETURN_IF_ERROR(target.placement_.CheckSession(moved->message));
  WHARF_RETURN_IF_ERROR(target.CheckTaker(moved->message, now));
  target.placement_.Take(*moved);
  target.placement_.PassTurn();
  moved->enqueued_at = now;
  StartLife(target.description(), *moved);
  lanes_.dead_letter().ExtractFound(found, changes);
  target.lanes_.main().NoteAccess(now);
  if (target.outlet_ != nullptr) {
    const bool has_stored_body = moved->facts.body_ref.has_value();
    target.outlet_->Publish(
        {.topic = target.record_.id,
         .message = std::move(moved),
         .origin = MessagePublished::Origin{lanes_.dead_letter().shelf(), found.message->number,
                                            found.message->facts, found.standing},
         .has_stored_body = has_stored_body},
        now, changes);
    return {};
  }
  target.lanes_.main().Append(moved, changes);
  changes.push_back(MessageRedriven{lanes_.dead_letter().shelf(), found.message->number,
                                    found.message->facts, found.standing,
                                    target.lanes_.main().shelf(), std::move(moved)});
  return {};
}

// The reason goes, the count of redrives rises (RDR-1).
void Queue::CountRedrive(PropertyMap& properties) {
  std::int64_t count = 0;
  for (const auto& [name, value] : properties) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (name == kRedriveCount && number != nullptr) count = *number;
  }
  std::erase_if(properties, [](const auto& property) {
    return property.first == kDeadLetterReason || property.first == kDeadLetterErrorDescription;
  });
  Merge(properties, {{std::string(kRedriveCount), count + 1}});
}

}  // namespace wharf
