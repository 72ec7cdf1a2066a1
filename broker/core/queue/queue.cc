#include "broker/core/queue/queue.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::int64_t kBatchBytesMax = 1024 * 1024;
constexpr std::uint64_t kInlineBodyMax = 4096;
// 9999-12-31T23:59:59.999999Z: what lives longer is said to expire then (TTL-3).
constexpr Timestamp kLatestExpiry{Duration(253402300799999999)};

Lane::Image MainOf(Lane::Image image, const QueueDescription& queue) {
  image.has_sessions = queue.requires_session;
  image.is_partitioned = queue.enable_partitioning;
  if (queue.enable_priority) image.tracks = TrackKind::kLevels;
  // A session is in one partition as a whole.
  if (queue.enable_partitioning && !queue.requires_session) image.tracks = TrackKind::kPartitions;
  return image;
}

// Dead letters of a partition wait for nobody's but their own; their levels count no more.
Lane::Image DeadLettersOf(Lane::Image image, const QueueDescription& queue) {
  if (queue.enable_partitioning) image.tracks = TrackKind::kPartitions;
  return image;
}

}  // namespace

Queue::Queue(Image image, const QueueLimits& limits, Random& random, Watches& watches)
    : limits_(limits),
      random_(random),
      record_(std::move(image.record)),
      main_({record_.id, LaneKind::kMain}, MainOf(std::move(image.main), record_.description),
            limits.lane, watches),
      dead_letter_({record_.id, LaneKind::kDeadLetter},
                   DeadLettersOf(std::move(image.dead_letter), record_.description), limits.lane,
                   watches),
      placement_(record_, main_),
      quota_(record_, main_, dead_letter_) {}

void Queue::SetOutlet(Outlet& outlet) {
  outlet_ = &outlet;
  quota_.CountCopies(outlet);
}

void Queue::Update(QueueDescription description, Timestamp now, Changes& changes) {
  record_.description = std::move(description);
  record_.updated_at = now;
  main_.NoteActivity(now);
  changes.push_back(EntityUpdated{record_});
}

Status Queue::CheckSend() const {
  if (!description().can_send()) {
    return {ErrorCode::kMessagingEntityDisabled,
            fmt::format("sending to '{}' is disabled by its status", description().name)};
  }
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
  main_.NoteAccess(now);
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
  main_.NoteAccess(now);
  SendOutcome outcome = Accept(std::move(message), body, known, now, changes);
  placement_.PassTurn();
  return outcome;
}

// Stores the message, or drops it because its id is known (DUP-4).
SendOutcome Queue::Accept(Message message, const std::optional<BodyRef>& uploaded, KnownIds& known,
                          Timestamp now, Changes& changes) {
  if (const SequenceNumber* original = FindOriginal(message, known, now)) return {*original, true};
  const Timestamp time = message.scheduled_enqueue_time.value_or(now);
  const bool is_scheduled = time > now;
  auto stored = Store(std::move(message), uploaded, is_scheduled, now);
  if (!is_scheduled) StartLife(*stored);
  Remember(*stored, is_scheduled, known, now, changes);
  const SequenceNumber number = stored->number;
  if (is_scheduled) {
    main_.CountScheduled(1, stored->facts.size);
    changes.push_back(MessageScheduled{record_.id, std::move(stored), time});
  } else {
    Enter(std::move(stored), now, changes);
  }
  return {number, false};
}

const SequenceNumber* Queue::FindOriginal(const Message& message, const KnownIds& known,
                                          Timestamp now) const {
  const std::optional<DuplicateId> id = placement_.DuplicateIdOf(message);
  if (!id) return nullptr;
  const auto original = known.find(*id);
  const bool is_known = original != known.end() && original->second.forget_after > now;
  return is_known ? &original->second.number : nullptr;
}

void Queue::Remember(const StoredMessage& stored, bool is_scheduled, KnownIds& known, Timestamp now,
                     Changes& changes) {
  std::optional<DuplicateId> id = placement_.DuplicateIdOf(stored.message);
  if (!id) return;
  const Timestamp forget_after = After(now, description().duplicate_detection_history_time_window);
  known[*id] = {stored.number, forget_after};
  main_.NoteId(*id, known[*id]);
  changes.push_back(MessageIdRemembered{record_.id, std::move(id->partition_key),
                                        std::move(id->message_id), stored.number, forget_after,
                                        is_scheduled});
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

std::optional<Duration> Queue::LifeOf(const Message& message) const {
  const Duration limit = description().default_message_time_to_live;
  if (limit == kUnlimited) return message.time_to_live;
  return std::min(message.time_to_live.value_or(limit), limit);
}

void Queue::StartLife(StoredMessage& stored) const {
  std::optional<Duration>& life = stored.message.time_to_live;
  life = LifeOf(stored.message);
  stored.facts.expires_at = life && !description().forward_to
                                ? std::min(After(stored.enqueued_at, *life), kLatestExpiry)
                                : kNever;
}

Timestamp Queue::idle_deadline() const {
  const Duration idle = description().auto_delete_on_idle;
  if (idle == kUnlimited || description().forward_to || main_.counters().scheduled > 0) {
    return kNever;
  }
  return After(main_.counters().active_at, idle);
}

std::int64_t Queue::Purge(LaneKind kind, std::uint8_t next_generation, bool with_scheduled,
                          Timestamp now, Changes& changes) {
  main_.NoteActivity(now);
  std::int64_t purged = lane(kind).counters().messages();
  lane(kind).Purge(next_generation, changes);
  if (with_scheduled) {
    purged += main_.counters().scheduled;
    main_.PurgeScheduled(changes);
  }
  return purged;
}

}  // namespace wharf
