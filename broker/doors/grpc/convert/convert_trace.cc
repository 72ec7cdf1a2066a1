#include "broker/doors/grpc/convert/convert_trace.h"

#include <utility>

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_time.h"

namespace wharf {
namespace {

// Of UTF-8.
constexpr std::size_t kIdBytesMax = 4 * 128;

v1::MessageWait WaitToProto(MessageWait wait) {
  switch (wait) {
    case MessageWait::kReceiver:
      return v1::MESSAGE_WAIT_RECEIVER;
    case MessageWait::kLock:
      return v1::MESSAGE_WAIT_LOCK;
    case MessageWait::kSession:
      return v1::MESSAGE_WAIT_SESSION;
    case MessageWait::kSessionLock:
      return v1::MESSAGE_WAIT_SESSION_LOCK;
    case MessageWait::kScheduledTime:
      return v1::MESSAGE_WAIT_SCHEDULED_TIME;
    case MessageWait::kDelay:
      return v1::MESSAGE_WAIT_DELAY;
    case MessageWait::kDeferred:
      return v1::MESSAGE_WAIT_DEFERRED;
    case MessageWait::kQuarantine:
      return v1::MESSAGE_WAIT_QUARANTINE;
    case MessageWait::kEntityStatus:
      return v1::MESSAGE_WAIT_ENTITY_STATUS;
    case MessageWait::kForwarding:
      return v1::MESSAGE_WAIT_FORWARDING;
    case MessageWait::kExpiry:
      return v1::MESSAGE_WAIT_EXPIRY;
  }
  return v1::MESSAGE_WAIT_UNSPECIFIED;
}

void PlaceToProto(const MessagePlace& place, v1::MessagePlace* proto) {
  proto->set_entity_path(place.path);
  ToProto(place.peeked, proto->mutable_message());
  proto->mutable_message()->mutable_message()->clear_body();
  if (place.locked_until != kNever) {
    ToProto(place.locked_until, proto->mutable_message()->mutable_locked_until());
  }
  proto->set_wait(WaitToProto(place.wait));
  proto->set_is_next(place.is_next);
  if (place.locked_since != kNever) ToProto(place.locked_since, proto->mutable_locked_since());
  if (!place.locked_by.empty()) proto->set_locked_by(place.locked_by);
  if (!place.forward_to.empty()) proto->set_forward_to(place.forward_to);
  for (const JobId job : place.jobs) proto->add_job_ids(job.value());
}

// The values are the same.
v1::MessageEventKind KindToProto(EventKind kind) {
  static_assert(static_cast<int>(kEventKindMax) == v1::MessageEventKind_MAX);
  return static_cast<v1::MessageEventKind>(kind);
}

v1::Door DoorToProto(Door door) {
  static_assert(static_cast<int>(Door::kConsole) == v1::Door_MAX);
  return static_cast<v1::Door>(door);
}

void EventToProto(const MessageEvent& event, v1::MessageEvent* proto) {
  proto->set_entity_path(event.path);
  proto->set_sequence_number(static_cast<std::int64_t>(event.number.value()));
  proto->set_kind(KindToProto(event.kind));
  ToProto(event.time, proto->mutable_time());
  proto->set_order(static_cast<std::int64_t>(event.order));
  proto->set_door(DoorToProto(event.actor.door));
  if (!event.actor.peer.empty()) proto->set_client(event.actor.peer);
  if (!event.actor.identity.empty()) proto->set_identity(event.actor.identity);
  if (event.until) ToProto(*event.until, proto->mutable_until());
  if (event.delivery_count) proto->set_delivery_count(*event.delivery_count);
  if (event.copies) proto->set_copy_count(*event.copies);
  if (!event.message_id.empty()) proto->set_message_id(event.message_id);
  if (!event.reason.empty()) proto->set_reason(event.reason);
  if (!event.other_path.empty()) proto->set_other_entity_path(event.other_path);
  proto->set_other_sequence_number(static_cast<std::int64_t>(event.other_number.value()));
}

void RememberedToProto(const RememberedPlace& remembered, v1::RememberedMessageId* proto) {
  proto->set_entity_path(remembered.path);
  proto->set_sequence_number(static_cast<std::int64_t>(remembered.number.value()));
  ToProto(remembered.forget_after, proto->mutable_forgotten_at());
}

}  // namespace

void ToProto(BodyPiece piece, std::uint64_t from, v1::PeekBodyResponse* proto) {
  const std::uint64_t next = from + piece.data.size();
  proto->set_body_size(static_cast<std::int64_t>(piece.size));
  if (next < piece.size) proto->set_next_byte(static_cast<std::int64_t>(next));
  proto->set_data(std::move(piece.data));
}

Result<WantedMessage> WantedFromProto(const v1::TraceMessageRequest& request) {
  if (request.has_message_id() && !request.message_id().empty()) {
    if (request.message_id().size() > kIdBytesMax) {
      return BadValue("message_id", "is longer than 128 characters, as none is");
    }
    return WantedMessage(request.message_id());
  }
  if (!request.has_sequence_number()) {
    return BadValue("message_id", "and sequence_number: one of them must be given");
  }
  const Result<SequenceNumber> number =
      NumberFromProto("sequence_number", request.sequence_number());
  if (!number.ok()) return number.status();
  return WantedMessage(*number);
}

void ToProto(const TracePage& page, v1::TraceMessageResponse* proto) {
  for (const MessagePlace& each : page.places) PlaceToProto(each, proto->add_places());
  for (const RememberedPlace& each : page.remembered) {
    RememberedToProto(each, proto->add_remembered());
  }
  for (const MessageEvent& each : page.events) EventToProto(each, proto->add_events());
  for (const std::string& each : page.fenced) proto->add_fenced_entity_paths(each);
  proto->set_has_untold_stories(page.has_untold);
  proto->set_unreadable_event_places(static_cast<std::int64_t>(page.damaged_places));
  proto->set_looked_at_count(static_cast<std::int64_t>(page.looked_at));
  proto->set_entity_count(static_cast<std::int64_t>(page.entities));
}

}  // namespace wharf
