#include "broker/core/entities/forward_target.h"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "absl/container/flat_hash_set.h"

namespace wharf {
namespace {

constexpr std::size_t kSubscriptionsMax = std::numeric_limits<std::size_t>::max();

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

// Where the messages of an entity go by themselves: those of a topic to where its subscriptions
// forward them.
std::vector<std::string> NextOf(const Queue& entity, const Catalog& catalog) {
  std::vector<std::string> next;
  const auto note = [&next](const Queue& source) {
    const auto& target = source.settings().forward_to;
    if (target) next.push_back(ParseAddress(*target).entity);
  };
  if (entity.kind() != EntityKind::kTopic) {
    note(entity);
    return next;
  }
  const std::string path = FoldPath(entity.name());
  for (const Queue* each : catalog.ListSubscriptions(path, {}, kSubscriptionsMax)) note(*each);
  return next;
}

// Whether what `source` forwards would come back to it, or to the topic that it comes from.
bool LeadsBack(EntityKind kind, const QueueDescription& source, const Catalog& catalog) {
  const std::string start = FoldPath(source.name);
  const std::string topic = kind == EntityKind::kSubscription
                                ? FoldPath(SplitSubscriptionPath(source.name).topic)
                                : start;
  absl::flat_hash_set<std::string> seen;
  std::vector<std::string> ahead = {ParseAddress(*source.forward_to).entity};
  while (!ahead.empty()) {
    const std::string path = std::move(ahead.back());
    ahead.pop_back();
    if (path == start || path == topic) return true;
    const Result<Queue*> entity = catalog.FindFolded(path, path);
    if (!entity.ok() || !seen.insert(path).second) continue;
    for (std::string& next : NextOf(**entity, catalog)) ahead.push_back(std::move(next));
  }
  return false;
}

}  // namespace

Result<Queue*> FindForwardTarget(const Catalog& catalog, const std::string& name) {
  Result<Queue*> target = catalog.FindFolded(ParseAddress(name).entity, name);
  if (target.ok()) return target;
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("there is no entity named {} to forward messages to", Quoted(name)));
}

Status CheckForwarding(EntityKind kind, const QueueDescription& source, const Catalog& catalog) {
  WHARF_RETURN_IF_ERROR(CheckTarget(source.name, source.forward_to, catalog));
  WHARF_RETURN_IF_ERROR(
      CheckTarget(source.name, source.forward_dead_lettered_messages_to, catalog));
  if (!source.forward_to || !LeadsBack(kind, source, catalog)) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' cannot forward to '{}': its messages would come back to it",
                      source.name, *source.forward_to)};
}

}  // namespace wharf
