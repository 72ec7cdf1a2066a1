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

Status CheckForwardRights(const QueueDescription* current, const QueueDescription& wanted,
                          CheckRightOn check) {
  WHARF_RETURN_IF_ERROR(CheckForwardRight(current == nullptr ? nullptr : &current->forward_to,
                                          wanted.forward_to, check));
  return CheckForwardRight(
      current == nullptr ? nullptr : &current->forward_dead_lettered_messages_to,
      wanted.forward_dead_lettered_messages_to, check);
}

}  // namespace wharf
