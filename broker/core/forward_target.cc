#include "broker/core/forward_target.h"

#include <fmt/core.h>

#include "absl/container/flat_hash_set.h"

namespace wharf {
namespace {

Status CheckTarget(const std::string& source, const std::optional<std::string>& target,
                   const Catalog& catalog) {
  if (!target) return {};
  const Address address = ParseAddress(*target);
  if (address.lane != LaneKind::kMain) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("messages cannot be forwarded to a sub-queue: '{:.300}'", *target)};
  }
  if (address.entity == FoldPath(source)) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("Entity cannot have auto-forwarding policy to itself: '{}'", source)};
  }
  const Result<Queue*> found = FindForwardTarget(catalog, *target);
  if (!found.ok() || (*found)->kind() != EntityKind::kSubscription) return found.status();
  return {ErrorCode::kInvalidOperation,
          fmt::format("messages cannot be forwarded to a subscription: '{:.300}'", *target)};
}

// Whether what `source` forwards would come back to it.
bool LeadsBack(const QueueDescription& source, const Catalog& catalog) {
  const std::string start = FoldPath(source.name);
  absl::flat_hash_set<std::string> seen;
  for (std::string next = *source.forward_to; seen.insert(FoldPath(next)).second;) {
    const Result<Queue*> queue = FindForwardTarget(catalog, next);
    if (!queue.ok() || !(*queue)->description().forward_to) return false;
    next = *(*queue)->description().forward_to;
    if (ParseAddress(next).entity == start) return true;
  }
  return true;
}

}  // namespace

Result<Queue*> FindForwardTarget(const Catalog& catalog, const std::string& name) {
  Result<Queue*> target = catalog.Find(ParseAddress(name).entity);
  if (target.ok()) return target;
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("there is no entity named '{:.300}' to forward messages to", name));
}

Status CheckForwarding(const QueueDescription& source, const Catalog& catalog) {
  WHARF_RETURN_IF_ERROR(CheckTarget(source.name, source.forward_to, catalog));
  WHARF_RETURN_IF_ERROR(
      CheckTarget(source.name, source.forward_dead_lettered_messages_to, catalog));
  if (!source.forward_to || !LeadsBack(source, catalog)) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' cannot forward to '{}': its messages would come back to it",
                      source.name, *source.forward_to)};
}

}  // namespace wharf
