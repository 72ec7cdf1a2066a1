// How messages enter a topic, and how their copies enter its subscriptions.

#include <utility>

#include "broker/core/queue/life.h"
#include "broker/core/queue/queue.h"

namespace wharf {

void Queue::Enter(std::shared_ptr<StoredMessage> stored, Timestamp now, Changes& changes) {
  if (outlet_ == nullptr) return lanes_.main().Enqueue(std::move(stored), changes);
  const auto& body = stored->facts.body_ref;
  const bool has_stored_body = body && body->was_uploaded();
  outlet_->Publish(
      {.topic = record_.id, .message = std::move(stored), .has_stored_body = has_stored_body}, now,
      changes);
}

// The rules will see the message with the time to live that the topic gives it, so they are asked
// about it with that.
Status Queue::CheckTaker(const Message& message, Timestamp now) const {
  if (outlet_ == nullptr || !description().enable_filtering_messages_before_publishing) return {};
  std::optional<Message> limited;
  if (const auto life = LifeOf(description(), message); life != message.time_to_live) {
    limited = message;
    limited->time_to_live = life;
  }
  if (outlet_->HasTaker(limited ? *limited : message, now)) return {};
  return {ErrorCode::kNoMatchingSubscription, "no subscription of the topic takes the message"};
}

// Arriving is no activity: only who uses the subscription keeps it from being idle (ADI-5).
void Queue::TakeCopy(std::shared_ptr<StoredMessage> copy, Timestamp now, Changes& changes) {
  if (!placement_.CheckSession(copy->message).ok()) {
    return TakeDeadCopy(std::move(copy), "Session ID is null.",
                        "Session enabled entity doesn't allow a message whose session identifier "
                        "is null.",
                        now, changes);
  }
  placement_.Take(*copy);
  copy->enqueued_at = now;
  copy->facts.size = StoredSizeOf(*copy);
  StartLife(record_.description, *copy);
  lanes_.main().Append(copy, changes);
  changes.push_back(MessageCopied{lanes_.main().shelf(), std::move(copy)});
}

void Queue::TakeDeadCopy(std::shared_ptr<StoredMessage> copy, std::string reason,
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
