#include "broker/core/queue/arrivals.h"

#include <utility>

#include "broker/core/queue/life.h"

namespace wharf {
namespace {

// RSN-4.
constexpr std::string_view kNoSessionReason = "Session ID is null.";
constexpr std::string_view kNoSessionDescription =
    "Session enabled entity doesn't allow a message whose session identifier is null.";

}  // namespace

std::optional<DeadLetterNote> Arrivals::RefusalOf(const StoredMessage& forwarded,
                                                  Timestamp now) const {
  const Status bad = CheckMessage(forwarded.message);
  if (bad.code() == ErrorCode::kMessageSizeExceeded) {
    return DeadLetterNote{"HeaderSizeExceeded",
                          "The size quota for this stream has been exceeded."};
  }
  if (!bad.ok()) return NoteOf(bad);
  if (!placement_.CheckSession(forwarded.message).ok()) {
    return DeadLetterNote{std::string(kNoSessionReason), std::string(kNoSessionDescription)};
  }
  Status refused = quota_.CheckSize(forwarded.facts.size);
  if (refused.ok()) refused = entrance_.CheckTaker(forwarded.message, now);
  return refused.ok() ? std::nullopt : std::optional(NoteOf(refused));
}

void Arrivals::TakeForwarded(std::shared_ptr<StoredMessage> forwarded, const Departure& departure,
                             KnownIds& known, Timestamp now, Changes& changes) {
  Lane& main = lanes_.main();
  main.NoteAccess(now);
  // If it cannot be read whether its id is known, it comes perhaps twice rather than never.
  if (duplicates_.Find(forwarded->message, known, now) != nullptr) {
    changes.push_back(MessageRemoved{departure.lane, departure.number, departure.facts,
                                     departure.standing, RemovalCause::kDuplicate});
    return;
  }
  const Timestamp time = forwarded->message.scheduled_enqueue_time.value_or(now);
  const bool is_scheduled = time > now;
  placement_.Take(*forwarded, is_scheduled);
  placement_.PassTurn();
  forwarded->enqueued_at = now;
  if (!is_scheduled) StartLife(record_.description, *forwarded);
  duplicates_.Remember(*forwarded, is_scheduled, known, now, changes);
  if (is_scheduled) {
    main.CountScheduled(1, forwarded->facts.size);
  } else if (entrance_.is_of_topic()) {
    return entrance_.Publish(
        {.topic = record_.id, .message = std::move(forwarded), .origin = departure}, now, changes);
  } else {
    main.Append(forwarded, changes);
  }
  changes.push_back(MessageForwarded{departure.lane, departure.number, departure.facts,
                                     departure.standing, main.shelf(), std::move(forwarded),
                                     is_scheduled ? std::optional(time) : std::nullopt});
}

Status Arrivals::CheckRedriven(const StoredMessage& redriven, Timestamp now) const {
  WHARF_RETURN_IF_ERROR(quota_.CheckSize(redriven.facts.size));
  WHARF_RETURN_IF_ERROR(CheckProperties(redriven.message.application_properties));
  WHARF_RETURN_IF_ERROR(placement_.CheckSession(redriven.message));
  return entrance_.CheckTaker(redriven.message, now);
}

void Arrivals::TakeRedriven(std::shared_ptr<StoredMessage> redriven, const Departure& departure,
                            Timestamp now, Changes& changes) {
  Lane& main = lanes_.main();
  placement_.Take(*redriven);
  placement_.PassTurn();
  redriven->enqueued_at = now;
  StartLife(record_.description, *redriven);
  main.NoteAccess(now);
  if (entrance_.is_of_topic()) {
    return entrance_.Publish(
        {.topic = record_.id, .message = std::move(redriven), .origin = departure}, now, changes);
  }
  main.Append(redriven, changes);
  changes.push_back(MessageRedriven{departure.lane, departure.number, departure.facts,
                                    departure.standing, main.shelf(), std::move(redriven)});
}

// Arriving is no activity: only use of the subscription keeps it from being idle (ADI-5).
void Arrivals::TakeCopy(std::shared_ptr<StoredMessage> copy, Timestamp now, Changes& changes) {
  if (!placement_.CheckSession(copy->message).ok()) {
    return TakeDeadCopy(std::move(copy), std::string(kNoSessionReason),
                        std::string(kNoSessionDescription), now, changes);
  }
  placement_.Take(*copy);
  copy->enqueued_at = now;
  copy->facts.size = StoredSizeOf(*copy);
  StartLife(record_.description, *copy);
  lanes_.main().Append(copy, changes);
  changes.push_back(MessageCopied{lanes_.main().shelf(), std::move(copy)});
}

void Arrivals::TakeDeadCopy(std::shared_ptr<StoredMessage> copy, std::string reason,
                            std::string description, Timestamp now, Changes& changes) {
  copy->number = placement_.TakeNumber(copy->message);
  copy->enqueued_at = now;
  copy->facts.session_id.clear();
  copy->facts.track.reset();
  StartLife(record_.description, *copy);
  copy->facts.expires_at = kNever;
  Merge(copy->message.application_properties,
        {{std::string(kDeadLetterReason), std::move(reason)},
         {std::string(kDeadLetterErrorDescription), std::move(description)}});
  copy->facts.size = StoredSizeOf(*copy);
  lanes_.dead_letter().Insert(copy, Delivery(), changes);
  changes.push_back(MessageCopied{lanes_.dead_letter().shelf(), std::move(copy)});
}

}  // namespace wharf
