#include "broker/core/queue/by_number.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

const FoundMessage* Find(const FoundMessages& found, SequenceNumber number) {
  const auto it = found.find(number);
  return it == found.end() || !it->second ? nullptr : &*it->second;
}

bool IsIn(const Source& from, const FoundMessage& found) {
  return from.session == nullptr || found.message->facts.session_id == from.session->id();
}

bool IsWaiting(Standing standing) {
  return standing == Standing::kFresh || standing == Standing::kReturned ||
         standing == Standing::kDelayed;
}

// Whether a row says how it stands, and what it takes; of one that was never delivered, and cannot
// be read, nothing does.
bool HasRow(const FoundMessage& found) {
  return !found.is_guess && found.standing != Standing::kFresh;
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

// What cannot be read is never served, and nobody guesses what it was.
Status Unreadable(const FoundMessage& found, const std::string& name) {
  return {ErrorCode::kGeneralError,
          fmt::format("message {} of '{}' cannot be read: {}", found.message->number.value(), name,
                      found.unreadable)};
}

// What one answer can carry.
constexpr std::int64_t kAnswerBytesMax = 1024 * 1024;

// One message fits, unless its body stays in the store for its size, and nobody reads it there.
Status CheckDeliverable(const FoundMessage& found, std::int64_t bytes_before, bool takes_large) {
  const StoredMessage& message = *found.message;
  if (bytes_before > 0 && bytes_before + message.facts.size > kAnswerBytesMax) {
    return {ErrorCode::kMessageSizeExceeded,
            "the messages are larger than 1 MiB together; ask for fewer at a time"};
  }
  if (message.has_body() || (takes_large && message.is_deliverable())) return {};
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

Result<std::vector<Delivered>> ByNumber::ReceiveDeferred(LaneKind kind, ReceiveMode mode,
                                                         HolderId holder,
                                                         const std::optional<LockToken>& session,
                                                         const std::vector<SequenceNumber>& numbers,
                                                         const FoundMessages& found, Timestamp now,
                                                         Changes& changes, bool takes_large) {
  WHARF_RETURN_IF_ERROR(receiving_.Check(kind));
  WHARF_RETURN_IF_ERROR(CheckNamedOnce(numbers));
  const Result<Source> source = receiving_.SourceOf(kind, session, now);
  if (!source.ok()) return source.status();
  lanes_.main().NoteAccess(now);
  const bool may_be_large = takes_large && mode == ReceiveMode::kPeekLock && numbers.size() == 1;
  Status refused;
  std::int64_t bytes = 0;
  for (const SequenceNumber number : numbers) {
    const FoundMessage* message = Find(found, number);
    const bool is_there = message != nullptr && message->standing == Standing::kDeferred &&
                          IsIn(*source, *message) && !expiry_.Expire(kind, *message, now, changes);
    if (!is_there) {
      refused = NotDeferred(number, record_.description.name);
    } else if (!message->is_readable()) {
      refused = Unreadable(*message, record_.description.name);
    } else if (refused.ok()) {
      refused = CheckDeliverable(*message, bytes, may_be_large);
      bytes += message->message->facts.size;
    }
  }
  WHARF_RETURN_IF_ERROR(refused);
  if (mode == ReceiveMode::kPeekLock && !receiving_.CanLockMore(kind, numbers.size()))
    return receiving_.TooManyLocked();
  std::vector<Delivered> delivered;
  delivered.reserve(numbers.size());
  for (const SequenceNumber number : numbers) {
    delivered.push_back(receiving_.HandOut(kind, mode, holder, *Find(found, number), now, changes));
  }
  return delivered;
}

// One that has expired meanwhile is dropped or dead-lettered instead, as when a lock ends.
Status ByNumber::Undefer(LaneKind kind, const std::vector<SequenceNumber>& numbers,
                         const FoundMessages& found, Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckNamedOnce(numbers));
  for (const SequenceNumber number : numbers) {
    const FoundMessage* message = Find(found, number);
    if (message == nullptr || message->standing != Standing::kDeferred) {
      return NotDeferred(number, record_.description.name);
    }
    // One that stands here for sure is met by a receiver then, and goes into quarantine.
    if (message->is_guess) return Unreadable(*message, record_.description.name);
    if (expiry_.ExpiresWithSession(kind, *message)) return SessionIsExpiring();
  }
  lanes_.main().NoteActivity(now);
  for (const SequenceNumber number : numbers) {
    const FoundMessage& message = *Find(found, number);
    if (!expiry_.Expire(kind, message, now, changes)) lanes_.of(kind).Undefer(message, changes);
  }
  return {};
}

Result<Delivered> ByNumber::ReceiveOne(LaneKind kind, ReceiveMode mode, HolderId holder,
                                       const std::optional<LockToken>& session,
                                       SequenceNumber number, const FoundMessages& found,
                                       Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(receiving_.Check(kind));
  const Result<Source> source = receiving_.SourceOf(kind, session, now);
  if (!source.ok()) return source.status();
  const FoundMessage* message = Find(found, number);
  if (message == nullptr || !IsIn(*source, *message))
    return Missing(number, record_.description.name);
  if (!message->is_readable()) return Unreadable(*message, record_.description.name);
  if (!IsWaiting(message->standing)) {
    return Status(ErrorCode::kInvalidOperation,
                  fmt::format("message {} of '{}' is {} and cannot be taken out of order",
                              number.value(), record_.description.name,
                              message->standing == Standing::kLocked ? "locked" : "deferred"));
  }
  lanes_.main().NoteAccess(now);
  if (expiry_.Expire(kind, *message, now, changes))
    return Missing(number, record_.description.name);
  WHARF_RETURN_IF_ERROR(CheckDeliverable(*message, 0, /*takes_large=*/false));
  if (mode == ReceiveMode::kPeekLock && !receiving_.CanLockMore(kind))
    return receiving_.TooManyLocked();
  return receiving_.HandOut(kind, mode, holder, *message, now, changes);
}

Status ByNumber::SettleOne(LaneKind kind, SequenceNumber number, const Settlement& settlement,
                           const FoundMessages& found, Timestamp now, Changes& changes) {
  const FoundMessage* message = Find(found, number);
  if (message == nullptr) return Missing(number, record_.description.name);
  if (message->standing == Standing::kLocked) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("message {} of '{}' is locked; settle it with its token", number.value(),
                        record_.description.name)};
  }
  // What cannot be read has no other end than to be removed, where it stands for sure.
  const bool is_removed = settlement.verb == SettleVerb::kComplete && HasRow(*message);
  if (!message->is_readable() && !is_removed) return Unreadable(*message, record_.description.name);
  lanes_.main().NoteActivity(now);
  if (expiry_.Expire(kind, *message, now, changes))
    return Missing(number, record_.description.name);
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

bool ByNumber::DeleteWaiting(LaneKind kind, const FoundMessage& found, Timestamp now,
                             Changes& changes) {
  if (!IsWaiting(found.standing)) return false;
  if (expiry_.Expire(kind, found, now, changes)) return false;
  lanes_.main().NoteActivity(now);
  lanes_.of(kind).Remove(found, RemovalCause::kDeleted, changes);
  return true;
}

void ByNumber::EndDelay(LaneKind kind, const FoundMessage& found, Changes& changes) {
  lanes_.of(kind).EndDelay(found, changes);
}

}  // namespace wharf
