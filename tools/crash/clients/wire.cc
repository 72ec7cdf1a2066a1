#include "tools/crash/clients/wire.h"

namespace wharf::crash {
namespace {

constexpr char kMark[] = "mark";
constexpr char kReason[] = "DeadLetterReason";
constexpr char kRedriveCount[] = "RedriveCount";

void SetMark(std::int64_t mark, google::protobuf::Map<std::string, v1::PropertyValue>* properties) {
  if (mark != 0) (*properties)[kMark].set_int64_value(mark);
}

// 0 if it has no such property.
std::int64_t IntegerOf(const v1::Message& message, const char* name) {
  const auto found = message.application_properties().find(name);
  return found == message.application_properties().end() ? 0 : found->second.int64_value();
}

State StateOf(v1::MessageState state) {
  if (state == v1::MESSAGE_STATE_SCHEDULED) return State::kScheduled;
  return state == v1::MESSAGE_STATE_DEFERRED ? State::kDeferred : State::kActive;
}

}  // namespace

Timestamp ToTimestamp(const google::protobuf::Timestamp& proto) {
  return Timestamp(std::chrono::seconds(proto.seconds())) +
         std::chrono::microseconds(proto.nanos() / 1000);
}

Duration ToDuration(const google::protobuf::Duration& proto) {
  return std::chrono::seconds(proto.seconds()) + std::chrono::microseconds(proto.nanos() / 1000);
}

void SetTimestamp(Timestamp time, google::protobuf::Timestamp* proto) {
  const Duration since_epoch = time.time_since_epoch();
  proto->set_seconds(since_epoch / std::chrono::seconds(1));
  proto->set_nanos(static_cast<std::int32_t>(since_epoch % std::chrono::seconds(1) / Duration(1)) *
                   1000);
}

void SetDuration(Duration span, google::protobuf::Duration* proto) {
  proto->set_seconds(span / std::chrono::seconds(1));
  proto->set_nanos(static_cast<std::int32_t>(span % std::chrono::seconds(1) / Duration(1)) * 1000);
}

bool IsGone(const Status& status) {
  return !status.ok() && (status.outcome() == Outcome::kUnknown ||
                          status.code() == ErrorCode::kServiceCommunicationProblem ||
                          status.code() == ErrorCode::kPartitionNotOwned);
}

SeenMessage Seen(const v1::ReceivedMessage& received) {
  SeenMessage seen;
  const v1::Message& message = received.message();
  // An id that none of ours has stands for what nobody sent.
  seen.id = ParseMessageId(message.message_id()).value_or(MessageId{});
  seen.sequence_number = received.sequence_number();
  seen.first_number = received.enqueued_sequence_number();
  seen.body = DigestOf(message.body());
  seen.delivery_count = received.delivery_count();
  seen.mark = IntegerOf(message, kMark);
  seen.redrives = IntegerOf(message, kRedriveCount);
  seen.size = received.size();
  seen.session = message.session_id();
  seen.enqueued_at = ToTimestamp(received.enqueued_time());
  seen.state = StateOf(received.state());
  const auto reason = message.application_properties().find(kReason);
  if (reason != message.application_properties().end()) {
    seen.reason = reason->second.string_value();
  }
  if (received.has_expires_at()) seen.expires_at = ToTimestamp(received.expires_at());
  if (received.has_available_at()) seen.available_at = ToTimestamp(received.available_at());
  if (seen.state == State::kScheduled) seen.due = ToTimestamp(message.scheduled_enqueue_time());
  return seen;
}

DeliveryRecord Delivery(const Source& source, Mode mode, std::uint32_t receiver,
                        const v1::ReceivedMessage& received) {
  DeliveryRecord delivery;
  static_cast<SeenMessage&>(delivery) = Seen(received);
  delivery.source = source;
  delivery.mode = mode;
  delivery.receiver = receiver;
  delivery.token = received.lock_token();
  delivery.locked_until = ToTimestamp(received.locked_until());
  return delivery;
}

v1::Settlement MakeSettlement(const Settling& settling, const std::vector<std::string>& tokens) {
  v1::Settlement settlement;
  for (const std::string& token : tokens) settlement.add_lock_tokens(token);
  switch (settling.verb) {
    case Verb::kComplete:
      settlement.mutable_complete();
      break;
    case Verb::kAbandon:
      SetMark(settling.mark, settlement.mutable_abandon()->mutable_properties_to_modify());
      if (settling.delay > Duration(0)) {
        SetDuration(settling.delay, settlement.mutable_abandon()->mutable_delay());
      }
      break;
    case Verb::kDeadLetter:
      settlement.mutable_dead_letter()->set_reason("drawn by lot");
      SetMark(settling.mark, settlement.mutable_dead_letter()->mutable_properties_to_modify());
      break;
    case Verb::kRelease:
      settlement.mutable_release();
      break;
    case Verb::kDefer:
      SetMark(settling.mark, settlement.mutable_defer()->mutable_properties_to_modify());
      break;
  }
  return settlement;
}

std::string PathOf(const QueueRecord& queue, Lane lane) {
  return lane == Lane::kMain ? queue.name : queue.name + "/$DeadLetterQueue";
}

}  // namespace wharf::crash
