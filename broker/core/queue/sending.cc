#include "broker/core/queue/sending.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/core/queue/life.h"

namespace wharf {
namespace {

constexpr std::int64_t kBatchBytesMax = 1024 * 1024;
constexpr std::uint64_t kInlineBodyMax = 4096;

// Of a message that came, alone or with others, in so many bytes: what the client did not write is
// not held against the limit.
std::int64_t CountedBytes(const Message& message, std::optional<std::int64_t> encoded_bytes) {
  const std::int64_t size = SizeOf(message);
  return std::min(size, encoded_bytes.value_or(size));
}

}  // namespace

Status Sending::Check(const Message& message, std::int64_t counted_bytes, Timestamp now) const {
  WHARF_RETURN_IF_ERROR(CheckMessage(message));
  WHARF_RETURN_IF_ERROR(placement_.Check(message));
  WHARF_RETURN_IF_ERROR(quota_.CheckSize(counted_bytes));
  return entrance_.CheckTaker(message, now);
}

Status Sending::Admit(const Message& message, std::int64_t counted_bytes, std::int64_t bytes_more,
                      Timestamp now) const {
  WHARF_RETURN_IF_ERROR(Check(message, counted_bytes, now));
  WHARF_RETURN_IF_ERROR(quota_.CheckNamespace(SizeOf(message)));
  return quota_.CheckRoom(bytes_more);
}

// What is sent as one batch may fill the entity to beyond its quota, as one message may.
Status Sending::CheckBatch(const std::vector<Message>& messages,
                           std::optional<std::int64_t> encoded_bytes, const KnownIds& known,
                           Timestamp now) const {
  std::int64_t size = 0;
  for (const Message& message : messages) {
    WHARF_RETURN_IF_ERROR(Check(message, CountedBytes(message, encoded_bytes), now));
    WHARF_RETURN_IF_ERROR(duplicates_.Check(message, known));
    WHARF_RETURN_IF_ERROR(placement_.CheckSameKey(messages.front(), message));
    size += SizeOf(message);
  }
  WHARF_RETURN_IF_ERROR(CheckBatchSize(std::min(size, encoded_bytes.value_or(size))));
  return quota_.CheckNamespace(size);
}

Status Sending::CheckBatchSize(std::int64_t size) const {
  const QueueDescription& description = record_.description;
  const std::int64_t limit = std::min(kBatchBytesMax, description.message_bytes_max());
  if (size <= limit) return {};
  return {
      ErrorCode::kMessageSizeExceeded,
      fmt::format("the messages of an atomic send have {} bytes together, more than the {} that "
                  "'{}' takes",
                  size, limit, description.name)};
}

Result<std::vector<Result<SendOutcome>>> Sending::Send(std::vector<Message> messages, bool atomic,
                                                       KnownIds& known, Timestamp now,
                                                       Changes& changes,
                                                       std::optional<std::int64_t> encoded_bytes) {
  WHARF_RETURN_IF_ERROR(entrance_.Check());
  WHARF_RETURN_IF_ERROR(quota_.CheckNamespace(0));
  if (atomic) WHARF_RETURN_IF_ERROR(CheckBatch(messages, encoded_bytes, known, now));
  main_.NoteAccess(now);
  std::vector<Result<SendOutcome>> results;
  results.reserve(messages.size());
  for (Message& message : messages) {
    Status refused =
        atomic ? Status() : Admit(message, CountedBytes(message, encoded_bytes), 0, now);
    if (refused.ok() && !atomic) refused = duplicates_.Check(message, known);
    if (refused.ok()) {
      results.emplace_back(Accept(std::move(message), std::nullopt, known, now, changes));
      if (!atomic) placement_.PassTurn();
    } else {
      results.emplace_back(std::move(refused));
    }
  }
  if (atomic) placement_.PassTurn();
  return results;
}

Status Sending::CheckLarge(const Message& message, std::uint64_t body_bytes, Timestamp now,
                           std::int64_t drawn_bytes) const {
  WHARF_RETURN_IF_ERROR(entrance_.Check());
  WHARF_RETURN_IF_ERROR(Check(message, SizeOf(message) - drawn_bytes, now));
  // A length that is far beyond any limit must not wrap around.
  constexpr std::uint64_t kFarTooLong = std::uint64_t{1} << 62;
  const std::int64_t size =
      SizeOf(message) + static_cast<std::int64_t>(std::min(body_bytes, kFarTooLong));
  WHARF_RETURN_IF_ERROR(quota_.CheckSize(size - drawn_bytes));
  return quota_.CheckNamespace(size);
}

// Checked again: while the body came the queue may have become full, or its limits lower.
Result<SendOutcome> Sending::SendLarge(Message message, const BodyRef& body, KnownIds& known,
                                       Timestamp now, Changes& changes, std::int64_t drawn_bytes) {
  WHARF_RETURN_IF_ERROR(CheckLarge(message, body.size, now, drawn_bytes));
  WHARF_RETURN_IF_ERROR(duplicates_.Check(message, known));
  main_.NoteAccess(now);
  SendOutcome outcome = Accept(std::move(message), body, known, now, changes);
  placement_.PassTurn();
  return outcome;
}

Status Sending::CheckAll(const std::vector<Message>& messages, std::int64_t bytes_more,
                         Timestamp now) const {
  WHARF_RETURN_IF_ERROR(entrance_.Check());
  for (const Message& message : messages) {
    WHARF_RETURN_IF_ERROR(Admit(message, SizeOf(message), bytes_more, now));
    bytes_more += SizeOf(message);
  }
  return {};
}

std::vector<SendOutcome> Sending::AcceptAll(std::vector<Message> messages, KnownIds& known,
                                            Timestamp now, Changes& changes) {
  main_.NoteAccess(now);
  std::vector<SendOutcome> outcomes;
  outcomes.reserve(messages.size());
  for (Message& message : messages) {
    outcomes.push_back(Accept(std::move(message), std::nullopt, known, now, changes));
  }
  placement_.PassTurn();
  return outcomes;
}

// Stores the message, or drops it because its id is known (DUP-4).
SendOutcome Sending::Accept(Message message, const std::optional<BodyRef>& uploaded,
                            KnownIds& known, Timestamp now, Changes& changes) {
  if (const SequenceNumber* original = duplicates_.Find(message, known, now)) {
    return {*original, true};
  }
  const Timestamp time = message.scheduled_enqueue_time.value_or(now);
  const bool is_scheduled = time > now;
  auto stored = Store(std::move(message), uploaded, is_scheduled, now);
  if (!is_scheduled) StartLife(record_.description, *stored);
  duplicates_.Remember(*stored, is_scheduled, known, now, changes);
  const SequenceNumber number = stored->number;
  if (is_scheduled) {
    scheduled_.Add(std::move(stored), time, changes);
  } else {
    entrance_.Enter(std::move(stored), now, changes);
  }
  return {number, false};
}

std::shared_ptr<StoredMessage> Sending::Store(Message message,
                                              const std::optional<BodyRef>& uploaded,
                                              bool is_scheduled, Timestamp now) {
  auto stored = std::make_shared<StoredMessage>();
  stored->enqueued_at = now;
  stored->message = std::move(message);
  placement_.Take(*stored, is_scheduled);
  stored->facts.body_ref = uploaded;
  if (stored->message.body.size() > kInlineBodyMax) {
    stored->facts.body_ref = BodyRef{record_.id, stored->number, stored->message.body.size()};
  }
  stored->facts.size = StoredSizeOf(*stored);
  return stored;
}

}  // namespace wharf
