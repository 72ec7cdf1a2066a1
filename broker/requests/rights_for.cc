#include "broker/requests/rights_for.h"

#include <optional>
#include <variant>

namespace wharf {
namespace {

using access::Right;

Right RightFor(const Operation& operation) {
  return std::holds_alternative<SendMessages>(operation.what) ? Right::kSend : Right::kListen;
}

Status CheckOperationRight(const Operation& operation, CheckRightOn check) {
  return check(RightFor(operation), ResourceOfAddress(operation.path));
}

Status CheckForwardRight(const std::optional<std::string>* current,
                         const std::optional<std::string>& wanted, CheckRightOn check) {
  const bool is_new = wanted && (current == nullptr || *current != wanted);
  return is_new ? check(Right::kManage, ResourceOfAddress(*wanted)) : Status();
}

std::string RulePathOf(const std::string& subscription, const std::string& rule) {
  return FoldPath(subscription + "/Rules/" + rule);
}

}  // namespace

std::string ResourceOfAddress(std::string_view address) {
  Address parsed = ParseAddress(address);
  if (parsed.lane == LaneKind::kDeadLetter) parsed.entity += FoldPath(kDeadLetterSuffix);
  return std::move(parsed.entity);
}

std::string ResourceOfName(std::string_view name) { return FoldPath(name); }

Status CheckRights(const RunTransactionRequest& request, CheckRightOn check) {
  for (const Operation& operation : request.operations) {
    WHARF_RETURN_IF_ERROR(CheckOperationRight(operation, check));
  }
  return {};
}

// One that the door could not read does nothing.
Status CheckRights(const AddToTransactionRequest& request, CheckRightOn check) {
  return request.operation.ok() ? CheckOperationRight(*request.operation, check) : Status();
}

Status CheckRights(const CreateEntityRequest& request, CheckRightOn check) {
  return check(Right::kManage, ResourceOfName(request.description.name));
}

// Without a target they go back to the entity that the dead-letter queue belongs to, which who
// manages that part of it alone may not send to.
Status CheckRights(const BeginJobRequest& request, CheckRightOn check) {
  const JobOrder& order = request.order;
  WHARF_RETURN_IF_ERROR(check(Right::kManage, ResourceOfAddress(order.path)));
  if (order.verb != JobVerb::kRedrive) return {};
  return check(Right::kSend, order.target.empty() ? ParseAddress(order.path).entity
                                                  : ResourceOfName(order.target));
}

std::string HttpPathOf(const GetNamespaceRequest& /*request*/) { return "$namespaceinfo"; }

std::string HttpPathOf(const ListEntitiesRequest& request) {
  return request.kind == EntityKind::kTopic ? "$resources/topics" : "$resources/queues";
}

std::string HttpPathOf(const ListSubscriptionsRequest& request) {
  return FoldPath(request.topic + "/Subscriptions");
}

std::string HttpPathOf(const AddRuleRequest& request) {
  return RulePathOf(request.subscription, request.rule.name);
}
std::string HttpPathOf(const UpdateRuleRequest& request) {
  return RulePathOf(request.subscription, request.name);
}
std::string HttpPathOf(const RemoveRuleRequest& request) {
  return RulePathOf(request.subscription, request.name);
}
std::string HttpPathOf(const GetRuleRequest& request) {
  return RulePathOf(request.subscription, request.name);
}
std::string HttpPathOf(const ListRulesRequest& request) {
  return FoldPath(request.subscription + "/Rules");
}

// What is refused is told of the wider one.
Status CheckEither(Right right, const std::string& resource, const std::string& below,
                   CheckRightOn check) {
  Status allowed = check(right, resource);
  if (allowed.ok() || below.empty()) return allowed;
  return check(right, below).ok() ? Status() : allowed;
}

Status CheckForwardRights(const QueueDescription* current, const QueueDescription& wanted,
                          CheckRightOn check) {
  WHARF_RETURN_IF_ERROR(CheckForwardRight(current == nullptr ? nullptr : &current->forward_to,
                                          wanted.forward_to, check));
  return CheckForwardRight(
      current == nullptr ? nullptr : &current->forward_dead_lettered_messages_to,
      wanted.forward_dead_lettered_messages_to, check);
}

}  // namespace wharf
