#include "broker/core/queue/queue.h"

#include <algorithm>

#include <fmt/core.h>

#include "broker/core/queue/life.h"

namespace wharf {
namespace {

constexpr std::int64_t kBatchBytesMax = 1024 * 1024;
constexpr std::uint64_t kInlineBodyMax = 4096;

}  // namespace

Queue::Queue(Image image, const QueueLimits& limits, Random& random, Watches& watches)
    : limits_(limits),
      random_(random),
      record_(std::move(image.record)),
      lanes_(record_, std::move(image.main), std::move(image.dead_letter), limits.lane, watches),
      placement_(record_, lanes_.main()),
      quota_(record_, lanes_.main(), lanes_.dead_letter()),
      duplicates_(record_, lanes_.main()),
      dead_letters_(record_, lanes_),
      expiry_(record_, lanes_, dead_letters_),
      holds_(record_, lanes_),
      redelivery_(record_, random_, lanes_, expiry_, dead_letters_),
      settling_(record_, lanes_, holds_, dead_letters_, redelivery_),
      receiving_(record_, limits_, random_, lanes_, holds_, expiry_),
      by_number_(record_, lanes_, receiving_, expiry_, dead_letters_),
      sessions_(record_, limits_, random_, lanes_, holds_, expiry_, redelivery_),
      session_states_(record_, lanes_, holds_, quota_) {}

void Queue::SetOutlet(Outlet& outlet) {
  outlet_ = &outlet;
  quota_.CountCopies(outlet);
}

void Queue::Update(QueueDescription description, Timestamp now, Changes& changes) {
  record_.description = std::move(description);
  record_.updated_at = now;
  lanes_.main().NoteActivity(now);
  changes.push_back(EntityUpdated{record_});
}

Status Queue::CheckSend() const {
  WHARF_RETURN_IF_ERROR(wharf::CheckSend(record_));
  return quota_.CheckRoom();
}

Status Queue::CheckOne(const Message& message, Timestamp now) const {
  WHARF_RETURN_IF_ERROR(CheckMessage(message));
  WHARF_RETURN_IF_ERROR(placement_.Check(message));
  WHARF_RETURN_IF_ERROR(quota_.CheckSize(SizeOf(message)));
  return CheckTaker(message, now);
}

Status Queue::CheckBatch(const std::vector<Message>& messages, Timestamp now) const {
  std::int64_t size = 0;
  for (const Message& message : messages) {
    WHARF_RETURN_IF_ERROR(CheckOne(message, now));
    WHARF_RETURN_IF_ERROR(placement_.CheckSameKey(messages.front(), message));
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

Result<std::vector<Result<SendOutcome>>> Queue::Send(std::vector<Message> messages, bool atomic,
                                                     KnownIds& known, Timestamp now,
                                                     Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckSend());
  if (atomic) WHARF_RETURN_IF_ERROR(CheckBatch(messages, now));
  lanes_.main().NoteAccess(now);
  std::vector<Result<SendOutcome>> results;
  results.reserve(messages.size());
  for (Message& message : messages) {
    Status refused = atomic ? Status() : CheckOne(message, now);
    if (refused.ok() && !atomic) refused = quota_.CheckRoom();
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

Status Queue::CheckSendLarge(const Message& message, std::uint64_t body_bytes,
                             Timestamp now) const {
  WHARF_RETURN_IF_ERROR(CheckSend());
  WHARF_RETURN_IF_ERROR(CheckOne(message, now));
  // A length that is far beyond any limit must not wrap around.
  constexpr std::uint64_t kFarTooLong = std::uint64_t{1} << 62;
  return quota_.CheckSize(SizeOf(message) +
                          static_cast<std::int64_t>(std::min(body_bytes, kFarTooLong)));
}

// Checked again: while the body came the queue may have become full, or its limits lower.
Result<SendOutcome> Queue::SendLarge(Message message, const BodyRef& body, KnownIds& known,
                                     Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckSendLarge(message, body.size, now));
  lanes_.main().NoteAccess(now);
  SendOutcome outcome = Accept(std::move(message), body, known, now, changes);
  placement_.PassTurn();
  return outcome;
}

// Stores the message, or drops it because its id is known (DUP-4).
SendOutcome Queue::Accept(Message message, const std::optional<BodyRef>& uploaded, KnownIds& known,
                          Timestamp now, Changes& changes) {
  if (const SequenceNumber* original = duplicates_.Find(message, known, now))
    return {*original, true};
  const Timestamp time = message.scheduled_enqueue_time.value_or(now);
  const bool is_scheduled = time > now;
  auto stored = Store(std::move(message), uploaded, is_scheduled, now);
  if (!is_scheduled) StartLife(description(), *stored);
  duplicates_.Remember(*stored, is_scheduled, known, now, changes);
  const SequenceNumber number = stored->number;
  if (is_scheduled) {
    lanes_.main().CountScheduled(1, stored->facts.size);
    changes.push_back(MessageScheduled{record_.id, std::move(stored), time});
  } else {
    Enter(std::move(stored), now, changes);
  }
  return {number, false};
}

std::shared_ptr<StoredMessage> Queue::Store(Message message, const std::optional<BodyRef>& uploaded,
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

Timestamp Queue::idle_deadline() const {
  const Duration idle = description().auto_delete_on_idle;
  if (idle == kUnlimited || description().forward_to || lanes_.main().counters().scheduled > 0) {
    return kNever;
  }
  return After(lanes_.main().counters().active_at, idle);
}

std::int64_t Queue::Purge(LaneKind kind, std::uint8_t next_generation, bool with_scheduled,
                          Timestamp now, Changes& changes) {
  lanes_.main().NoteActivity(now);
  std::int64_t purged = lanes_.of(kind).counters().messages();
  lanes_.of(kind).Purge(next_generation, changes);
  if (with_scheduled) {
    purged += lanes_.main().counters().scheduled;
    lanes_.main().PurgeScheduled(changes);
  }
  return purged;
}

}  // namespace wharf
