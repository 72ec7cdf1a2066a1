#include "broker/core/queue/entrance.h"

#include <utility>

#include "broker/core/queue/gates.h"
#include "broker/core/queue/life.h"

namespace wharf {

Status Entrance::Check() const {
  WHARF_RETURN_IF_ERROR(CheckSend(record_));
  WHARF_RETURN_IF_ERROR(CheckOutlet());
  return quota_.CheckRoom();
}

// The rules will see the message with the time to live that the topic gives it, so they are asked
// about it with that.
Status Entrance::CheckTaker(const Message& message, Timestamp now) const {
  const QueueDescription& description = record_.description;
  if (!is_of_topic() || !description.enable_filtering_messages_before_publishing) return {};
  std::optional<Message> limited;
  if (const auto life = LifeOf(description, message); life != message.time_to_live) {
    limited = message;
    limited->time_to_live = life;
  }
  if (outlet_->HasTaker(limited ? *limited : message, now)) return {};
  return {ErrorCode::kNoMatchingSubscription, "no subscription of the topic takes the message"};
}

void Entrance::Enter(std::shared_ptr<StoredMessage> stored, Timestamp now, Changes& changes) {
  if (!is_of_topic()) return main_.Enqueue(std::move(stored), changes);
  const auto& body = stored->facts.body_ref;
  const bool has_stored_body = body && body->was_uploaded();
  outlet_->Publish(
      {.topic = record_.id, .message = std::move(stored), .has_stored_body = has_stored_body}, now,
      changes);
}

void Entrance::Publish(MessagePublished published, Timestamp now, Changes& changes) {
  published.has_stored_body = published.message->facts.body_ref.has_value();
  outlet_->Publish(std::move(published), now, changes);
}

}  // namespace wharf
