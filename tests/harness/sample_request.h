// A sample of each request that can be asked, all about the queue "orders".
//
// For tests of what must hold for every request: a new one without a sample does not compile.
#pragma once

#include <string>

#include "broker/requests/request_list.h"

namespace wharf {

template <typename Request>
Request SampleRequest();

inline const LockToken kSampleToken{1, 1};
inline const EntityRef kSampleEntity{"orders"};

template <>
inline SendRequest SampleRequest() {
  return {kSampleEntity, std::vector<Message>(1), false};
}
template <>
inline SettleRequest SampleRequest() {
  return {kSampleEntity, {kSampleToken}, {}};
}
template <>
inline RenewLockRequest SampleRequest() {
  return {kSampleEntity, {kSampleToken}};
}
template <>
inline ListLocksRequest SampleRequest() {
  return {kSampleEntity, {}, 1};
}
template <>
inline PeekRequest SampleRequest() {
  return {.entity = kSampleEntity};
}
template <>
inline PeekBodyRequest SampleRequest() {
  return {.entity = kSampleEntity, .number = SequenceNumber(1), .bytes_max = 1};
}
template <>
inline TraceRequest SampleRequest() {
  return {kSampleEntity, SequenceNumber(1), {}};
}
template <>
inline ReadBodyChunkRequest SampleRequest() {
  return {BodyRef{EntityId(1), SequenceNumber(1), 1}, 0};
}
template <>
inline ReceiveDeferredRequest SampleRequest() {
  return {.entity = kSampleEntity, .numbers = {SequenceNumber(1)}};
}
template <>
inline UndeferRequest SampleRequest() {
  return {kSampleEntity, {SequenceNumber(1)}};
}
template <>
inline ReceiveOneRequest SampleRequest() {
  return {.entity = kSampleEntity, .number = SequenceNumber(1)};
}
template <>
inline SettleOneRequest SampleRequest() {
  return {kSampleEntity, SequenceNumber(1), {}};
}
template <>
inline DeleteOldestRequest SampleRequest() {
  return {.entity = kSampleEntity};
}
template <>
inline ExportOneRequest SampleRequest() {
  return {.entity = kSampleEntity, .number = SequenceNumber(1)};
}
template <>
inline CancelScheduledRequest SampleRequest() {
  return {kSampleEntity, {SequenceNumber(1)}};
}
template <>
inline RescheduleRequest SampleRequest() {
  return {kSampleEntity, {SequenceNumber(1)}, kNever};
}
template <>
inline ActivateScheduledRequest SampleRequest() {
  return {kSampleEntity, {SequenceNumber(1)}};
}
template <>
inline ListScheduledRequest SampleRequest() {
  return {.entity = kSampleEntity};
}
template <>
inline RenewSessionRequest SampleRequest() {
  return {kSampleEntity, kSampleToken};
}
template <>
inline ReleaseSessionRequest SampleRequest() {
  return {kSampleEntity, kSampleToken};
}
template <>
inline ForceReleaseSessionRequest SampleRequest() {
  return {kSampleEntity, "s"};
}
template <>
inline GetSessionStateRequest SampleRequest() {
  return {kSampleEntity, kSampleToken};
}
template <>
inline SetSessionStateRequest SampleRequest() {
  return {.entity = kSampleEntity, .session = kSampleToken, .state = "state"};
}
template <>
inline ListSessionsRequest SampleRequest() {
  return {.entity = kSampleEntity};
}
template <>
inline ListDeepestSessionsRequest SampleRequest() {
  return {kSampleEntity, 1};
}
template <>
inline RunTransactionRequest SampleRequest() {
  return {"run", {Operation{"orders", SendMessages{std::vector<Message>(1)}}}};
}
template <>
inline BeginTransactionRequest SampleRequest() {
  return {"begun"};
}
template <>
inline AddToTransactionRequest SampleRequest() {
  return {"open", Operation{"orders", SendMessages{std::vector<Message>(1)}}};
}
template <>
inline CommitTransactionRequest SampleRequest() {
  return {"open"};
}
template <>
inline RollBackTransactionRequest SampleRequest() {
  return {"open"};
}
template <>
inline GetTransactionRequest SampleRequest() {
  return {"open"};
}
template <>
inline CreateEntityRequest SampleRequest() {
  CreateEntityRequest request;
  request.description.name = "other";
  return request;
}
template <>
inline UpdateEntityRequest SampleRequest() {
  return {EntityKind::kQueue, "orders", [](const EntityRecord& current) {
            QueueDescription changed = current.description;
            changed.max_delivery_count = 3;
            return Result<QueueDescription>(std::move(changed));
          }};
}
template <>
inline GetEntityRequest SampleRequest() {
  return {EntityKind::kQueue, "orders"};
}
template <>
inline DeleteEntityRequest SampleRequest() {
  return {EntityKind::kQueue, "orders"};
}
template <>
inline GetNamespaceRequest SampleRequest() {
  return {};
}
template <>
inline ListEntitiesRequest SampleRequest() {
  return {};
}
template <>
inline ListSubscriptionsRequest SampleRequest() {
  return {"orders", "", 1};
}
template <>
inline PurgeRequest SampleRequest() {
  return {kSampleEntity, false};
}
template <>
inline CheckEntityRequest SampleRequest() {
  return {"orders", false};
}
template <>
inline AddRuleRequest SampleRequest() {
  return {"orders/Subscriptions/mine", {}};
}
template <>
inline UpdateRuleRequest SampleRequest() {
  return {"orders/Subscriptions/mine", "rule",
          [](const RuleDescription& current) { return Result<RuleDescription>(current); }};
}
template <>
inline RemoveRuleRequest SampleRequest() {
  return {"orders/Subscriptions/mine", "rule"};
}
template <>
inline GetRuleRequest SampleRequest() {
  return {"orders/Subscriptions/mine", "rule"};
}
template <>
inline ListRulesRequest SampleRequest() {
  return {"orders/Subscriptions/mine", "", 1};
}
template <>
inline EvaluateRulesRequest SampleRequest() {
  return {.subscription = "orders/Subscriptions/mine"};
}
template <>
inline EvaluateRuleRequest SampleRequest() {
  return {};
}
template <>
inline CreateAccessRuleRequest SampleRequest() {
  return {.path = "orders", .name = "reader", .rights = access::Right::kListen};
}
template <>
inline GetAccessRuleRequest SampleRequest() {
  return {.path = "orders", .name = "reader"};
}
template <>
inline ListAccessRulesRequest SampleRequest() {
  return {.path = "orders"};
}
template <>
inline RotateAccessKeyRequest SampleRequest() {
  return {.path = "orders", .name = "reader"};
}
template <>
inline RemoveAccessRuleRequest SampleRequest() {
  return {.path = "orders", .name = "reader"};
}
template <>
inline BeginJobRequest SampleRequest() {
  JobOrder order;
  order.verb = JobVerb::kDeleteMessages;
  order.path = "orders";
  return {std::move(order)};
}
template <>
inline GetJobRequest SampleRequest() {
  return {JobId(1)};
}
template <>
inline ListJobsRequest SampleRequest() {
  return {};
}
template <>
inline CancelJobRequest SampleRequest() {
  return {JobId(1)};
}
template <>
inline AwaitDueRequest SampleRequest() {
  return {};
}

}  // namespace wharf
