// Queues: their properties and counters.

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_entity.h"
#include "broker/doors/grpc/convert/etag.h"

namespace wharf {

Result<QueueDescription> FromProto(const v1::QueueProperties& proto) {
  QueueDescription queue;
  queue.name = proto.name();
  WHARF_RETURN_IF_ERROR(SetDuration("lock_duration", proto.has_lock_duration(),
                                    proto.lock_duration(), queue.lock_duration));
  WHARF_RETURN_IF_ERROR(SetDuration("duplicate_detection_history_time_window",
                                    proto.has_duplicate_detection_history_time_window(),
                                    proto.duplicate_detection_history_time_window(),
                                    queue.duplicate_detection_history_time_window));
  WHARF_RETURN_IF_ERROR(
      SetDuration("default_message_time_to_live", proto.has_default_message_time_to_live(),
                  proto.default_message_time_to_live(), queue.default_message_time_to_live));
  WHARF_RETURN_IF_ERROR(SetDuration("auto_delete_on_idle", proto.has_auto_delete_on_idle(),
                                    proto.auto_delete_on_idle(), queue.auto_delete_on_idle));
  if (proto.has_max_size_in_megabytes()) {
    queue.max_size_in_megabytes = proto.max_size_in_megabytes();
  }
  if (proto.has_max_message_size_in_kilobytes()) {
    queue.max_message_size_in_kilobytes = proto.max_message_size_in_kilobytes();
  }
  queue.requires_duplicate_detection = proto.requires_duplicate_detection();
  queue.requires_session = proto.requires_session();
  const Result<SessionExpiryScope> scope = FromProto(proto.session_expiry_scope());
  if (!scope.ok()) return scope.status();
  queue.session_expiry_scope = *scope;
  queue.dead_lettering_on_message_expiration = proto.dead_lettering_on_message_expiration();
  if (proto.has_max_delivery_count()) queue.max_delivery_count = proto.max_delivery_count();
  if (proto.has_enable_batched_operations()) {
    queue.enable_batched_operations = proto.enable_batched_operations();
  }
  const Result<EntityStatus> status = FromProto(proto.status());
  if (!status.ok()) return status.status();
  queue.status = *status;
  // An empty name means none, as the SDKs send it (FWD-19).
  if (!proto.forward_to().empty()) queue.forward_to = proto.forward_to();
  if (!proto.forward_dead_lettered_messages_to().empty()) {
    queue.forward_dead_lettered_messages_to = proto.forward_dead_lettered_messages_to();
  }
  queue.enable_partitioning = proto.enable_partitioning();
  queue.enable_priority = proto.enable_priority();
  if (proto.has_user_metadata()) queue.user_metadata = proto.user_metadata();
  // EPR-20.
  queue.support_ordering =
      proto.has_support_ordering() ? proto.support_ordering() : !proto.enable_partitioning();
  queue.enable_express = proto.enable_express();
  if (proto.has_retry_policy()) {
    Result<RetryPolicy> policy = FromProto(proto.retry_policy());
    if (!policy.ok()) return policy.status();
    queue.retry_policy = *policy;
  }
  WHARF_RETURN_IF_ERROR(SetEventLog(proto, queue));
  return queue;
}

void ToProto(const EntityRecord& record, v1::QueueProperties* proto) {
  const QueueDescription& queue = record.description;
  proto->set_name(queue.name);
  ToProto(queue.lock_duration, proto->mutable_lock_duration());
  proto->set_max_size_in_megabytes(queue.max_size_in_megabytes);
  proto->set_max_message_size_in_kilobytes(queue.max_message_size_in_kilobytes);
  proto->set_requires_duplicate_detection(queue.requires_duplicate_detection);
  ToProto(queue.duplicate_detection_history_time_window,
          proto->mutable_duplicate_detection_history_time_window());
  proto->set_requires_session(queue.requires_session);
  proto->set_session_expiry_scope(ToProto(queue.session_expiry_scope));
  if (queue.default_message_time_to_live != kUnlimited) {
    ToProto(queue.default_message_time_to_live, proto->mutable_default_message_time_to_live());
  }
  proto->set_dead_lettering_on_message_expiration(queue.dead_lettering_on_message_expiration);
  proto->set_max_delivery_count(queue.max_delivery_count);
  proto->set_enable_batched_operations(queue.enable_batched_operations);
  proto->set_status(ToProto(queue.status));
  if (queue.forward_to) proto->set_forward_to(*queue.forward_to);
  if (queue.forward_dead_lettered_messages_to) {
    proto->set_forward_dead_lettered_messages_to(*queue.forward_dead_lettered_messages_to);
  }
  if (queue.auto_delete_on_idle != kUnlimited) {
    ToProto(queue.auto_delete_on_idle, proto->mutable_auto_delete_on_idle());
  }
  proto->set_enable_partitioning(queue.enable_partitioning);
  proto->set_enable_priority(queue.enable_priority);
  if (queue.user_metadata) proto->set_user_metadata(*queue.user_metadata);
  proto->set_support_ordering(queue.support_ordering);
  proto->set_enable_express(queue.enable_express);
  if (queue.retry_policy) ToProto(*queue.retry_policy, proto->mutable_retry_policy());
  EventLogToProto(queue, proto);
  proto->set_etag(EtagOf(record.id, *proto));
}

void ToProto(const QueueSnapshot& snapshot, v1::QueueRuntimeProperties* proto) {
  proto->set_name(snapshot.record.description.name);
  const std::int64_t transfer = snapshot.transfer_messages();
  proto->set_active_message_count(snapshot.main.messages() - transfer);
  proto->set_transfer_message_count(transfer);
  proto->set_locked_message_count(snapshot.main.locked);
  proto->set_dead_letter_message_count(snapshot.dead_letter.messages());
  proto->set_delayed_message_count(snapshot.main.delayed);
  proto->set_deferred_message_count(snapshot.main.deferred);
  proto->set_quarantined_message_count(snapshot.main.quarantined);
  proto->set_dead_letter_quarantined_message_count(snapshot.dead_letter.quarantined);
  proto->set_scheduled_message_count(snapshot.main.scheduled);
  proto->set_total_message_count(snapshot.main.messages() + snapshot.main.scheduled +
                                 snapshot.dead_letter.messages());
  proto->set_size_in_bytes(snapshot.main.bytes + snapshot.main.scheduled_bytes +
                           snapshot.main.session_state_bytes + snapshot.dead_letter.bytes);
  ToProto(snapshot.record.created_at, proto->mutable_created_at());
  ToProto(snapshot.record.updated_at, proto->mutable_updated_at());
  ToProto(snapshot.main.accessed_at, proto->mutable_accessed_at());
  proto->set_fence(snapshot.fence);
}

}  // namespace wharf
