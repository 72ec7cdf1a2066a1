// Topics and subscriptions: their properties and counters.

#include "broker/doors/grpc/convert/convert_topic.h"

#include "broker/core/entities/names.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_entity.h"
#include "broker/doors/grpc/convert/etag.h"

namespace wharf {

Result<QueueDescription> FromProto(const v1::TopicProperties& proto) {
  QueueDescription topic;
  topic.name = proto.name();
  WHARF_RETURN_IF_ERROR(SetDuration("duplicate_detection_history_time_window",
                                    proto.has_duplicate_detection_history_time_window(),
                                    proto.duplicate_detection_history_time_window(),
                                    topic.duplicate_detection_history_time_window));
  WHARF_RETURN_IF_ERROR(
      SetDuration("default_message_time_to_live", proto.has_default_message_time_to_live(),
                  proto.default_message_time_to_live(), topic.default_message_time_to_live));
  WHARF_RETURN_IF_ERROR(SetDuration("auto_delete_on_idle", proto.has_auto_delete_on_idle(),
                                    proto.auto_delete_on_idle(), topic.auto_delete_on_idle));
  if (proto.has_max_size_in_megabytes()) {
    topic.max_size_in_megabytes = proto.max_size_in_megabytes();
  }
  if (proto.has_max_message_size_in_kilobytes()) {
    topic.max_message_size_in_kilobytes = proto.max_message_size_in_kilobytes();
  }
  topic.requires_duplicate_detection = proto.requires_duplicate_detection();
  if (proto.has_enable_batched_operations()) {
    topic.enable_batched_operations = proto.enable_batched_operations();
  }
  const Result<EntityStatus> status = FromProto(proto.status());
  if (!status.ok()) return status.status();
  topic.status = *status;
  topic.enable_partitioning = proto.enable_partitioning();
  if (proto.has_user_metadata()) topic.user_metadata = proto.user_metadata();
  // EPR-20.
  topic.support_ordering =
      proto.has_support_ordering() ? proto.support_ordering() : !proto.enable_partitioning();
  topic.enable_express = proto.enable_express();
  topic.enable_filtering_messages_before_publishing =
      proto.enable_filtering_messages_before_publishing();
  WHARF_RETURN_IF_ERROR(SetEventLog(proto, topic));
  return topic;
}

void ToProto(const EntityRecord& record, v1::TopicProperties* proto) {
  const QueueDescription& topic = record.description;
  proto->set_name(topic.name);
  proto->set_max_size_in_megabytes(topic.max_size_in_megabytes);
  proto->set_max_message_size_in_kilobytes(topic.max_message_size_in_kilobytes);
  proto->set_requires_duplicate_detection(topic.requires_duplicate_detection);
  ToProto(topic.duplicate_detection_history_time_window,
          proto->mutable_duplicate_detection_history_time_window());
  if (topic.default_message_time_to_live != kUnlimited) {
    ToProto(topic.default_message_time_to_live, proto->mutable_default_message_time_to_live());
  }
  proto->set_enable_batched_operations(topic.enable_batched_operations);
  proto->set_status(ToProto(topic.status));
  if (topic.auto_delete_on_idle != kUnlimited) {
    ToProto(topic.auto_delete_on_idle, proto->mutable_auto_delete_on_idle());
  }
  proto->set_enable_partitioning(topic.enable_partitioning);
  if (topic.user_metadata) proto->set_user_metadata(*topic.user_metadata);
  proto->set_support_ordering(topic.support_ordering);
  proto->set_enable_express(topic.enable_express);
  proto->set_enable_filtering_messages_before_publishing(
      topic.enable_filtering_messages_before_publishing);
  EventLogToProto(topic, proto);
  proto->set_etag(EtagOf(record.id, *proto));
}

// RTP-1: a topic keeps nothing that is active.
void ToProto(const QueueSnapshot& snapshot, v1::TopicRuntimeProperties* proto) {
  proto->set_name(snapshot.record.description.name);
  proto->set_scheduled_message_count(snapshot.main.scheduled);
  proto->set_size_in_bytes(snapshot.bytes);
  proto->set_subscription_count(static_cast<std::int32_t>(snapshot.subscriptions));
  ToProto(snapshot.record.created_at, proto->mutable_created_at());
  ToProto(snapshot.record.updated_at, proto->mutable_updated_at());
  ToProto(snapshot.main.accessed_at, proto->mutable_accessed_at());
  proto->set_fence(snapshot.fence);
}

Result<QueueDescription> FromProto(const v1::SubscriptionProperties& proto) {
  QueueDescription subscription;
  subscription.name = SubscriptionPath(proto.topic(), proto.name());
  WHARF_RETURN_IF_ERROR(SetDuration("lock_duration", proto.has_lock_duration(),
                                    proto.lock_duration(), subscription.lock_duration));
  WHARF_RETURN_IF_ERROR(
      SetDuration("default_message_time_to_live", proto.has_default_message_time_to_live(),
                  proto.default_message_time_to_live(), subscription.default_message_time_to_live));
  WHARF_RETURN_IF_ERROR(SetDuration("auto_delete_on_idle", proto.has_auto_delete_on_idle(),
                                    proto.auto_delete_on_idle(), subscription.auto_delete_on_idle));
  subscription.requires_session = proto.requires_session();
  const Result<SessionExpiryScope> scope = FromProto(proto.session_expiry_scope());
  if (!scope.ok()) return scope.status();
  subscription.session_expiry_scope = *scope;
  subscription.dead_lettering_on_message_expiration = proto.dead_lettering_on_message_expiration();
  if (proto.has_dead_lettering_on_filter_evaluation_exceptions()) {
    subscription.dead_lettering_on_filter_evaluation_exceptions =
        proto.dead_lettering_on_filter_evaluation_exceptions();
  }
  if (proto.has_max_delivery_count()) subscription.max_delivery_count = proto.max_delivery_count();
  if (proto.has_enable_batched_operations()) {
    subscription.enable_batched_operations = proto.enable_batched_operations();
  }
  const Result<EntityStatus> status = FromProto(proto.status());
  if (!status.ok()) return status.status();
  subscription.status = *status;
  // An empty name means none, as the SDKs send it (FWD-19).
  if (!proto.forward_to().empty()) subscription.forward_to = proto.forward_to();
  if (!proto.forward_dead_lettered_messages_to().empty()) {
    subscription.forward_dead_lettered_messages_to = proto.forward_dead_lettered_messages_to();
  }
  subscription.enable_priority = proto.enable_priority();
  if (proto.has_user_metadata()) subscription.user_metadata = proto.user_metadata();
  if (proto.has_retry_policy()) {
    Result<RetryPolicy> policy = FromProto(proto.retry_policy());
    if (!policy.ok()) return policy.status();
    subscription.retry_policy = *policy;
  }
  WHARF_RETURN_IF_ERROR(SetEventLog(proto, subscription));
  return subscription;
}

void ToProto(const EntityRecord& record, v1::SubscriptionProperties* proto) {
  const QueueDescription& subscription = record.description;
  const SubscriptionName name = SplitSubscriptionPath(subscription.name);
  proto->set_topic(std::string(name.topic));
  proto->set_name(std::string(name.name));
  ToProto(subscription.lock_duration, proto->mutable_lock_duration());
  proto->set_requires_session(subscription.requires_session);
  proto->set_session_expiry_scope(ToProto(subscription.session_expiry_scope));
  if (subscription.default_message_time_to_live != kUnlimited) {
    ToProto(subscription.default_message_time_to_live,
            proto->mutable_default_message_time_to_live());
  }
  proto->set_dead_lettering_on_message_expiration(
      subscription.dead_lettering_on_message_expiration);
  proto->set_dead_lettering_on_filter_evaluation_exceptions(
      subscription.dead_lettering_on_filter_evaluation_exceptions);
  proto->set_max_delivery_count(subscription.max_delivery_count);
  proto->set_enable_batched_operations(subscription.enable_batched_operations);
  proto->set_status(ToProto(subscription.status));
  if (subscription.forward_to) proto->set_forward_to(*subscription.forward_to);
  if (subscription.forward_dead_lettered_messages_to) {
    proto->set_forward_dead_lettered_messages_to(*subscription.forward_dead_lettered_messages_to);
  }
  if (subscription.auto_delete_on_idle != kUnlimited) {
    ToProto(subscription.auto_delete_on_idle, proto->mutable_auto_delete_on_idle());
  }
  proto->set_enable_priority(subscription.enable_priority);
  if (subscription.user_metadata) proto->set_user_metadata(*subscription.user_metadata);
  if (subscription.retry_policy) {
    ToProto(*subscription.retry_policy, proto->mutable_retry_policy());
  }
  EventLogToProto(subscription, proto);
  proto->set_etag(EtagOf(record.id, *proto));
}

// RTP-3, RTP-7: nothing is scheduled in a subscription, and its size is its topic's.
void ToProto(const QueueSnapshot& snapshot, v1::SubscriptionRuntimeProperties* proto) {
  const SubscriptionName name = SplitSubscriptionPath(snapshot.record.description.name);
  proto->set_topic(std::string(name.topic));
  proto->set_name(std::string(name.name));
  const std::int64_t transfer = snapshot.transfer_messages();
  proto->set_active_message_count(snapshot.main.messages() - transfer);
  proto->set_transfer_message_count(transfer);
  proto->set_locked_message_count(snapshot.main.locked);
  proto->set_delayed_message_count(snapshot.main.delayed);
  proto->set_deferred_message_count(snapshot.main.deferred);
  proto->set_quarantined_message_count(snapshot.main.quarantined);
  proto->set_dead_letter_quarantined_message_count(snapshot.dead_letter.quarantined);
  proto->set_dead_letter_message_count(snapshot.dead_letter.messages());
  proto->set_total_message_count(snapshot.main.messages() + snapshot.dead_letter.messages());
  ToProto(snapshot.record.created_at, proto->mutable_created_at());
  ToProto(snapshot.record.updated_at, proto->mutable_updated_at());
  ToProto(snapshot.main.accessed_at, proto->mutable_accessed_at());
  proto->set_fence(snapshot.fence);
}

}  // namespace wharf
