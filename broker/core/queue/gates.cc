#include "broker/core/queue/gates.h"

#include <fmt/core.h>

namespace wharf {

Status CheckReceive(const EntityRecord& record, LaneKind kind) {
  const QueueDescription& description = record.description;
  if (record.kind == EntityKind::kTopic) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("'{}' is a topic: receive from its subscriptions", description.name)};
  }
  if (const auto& target = ForwardsTo(description, kind)) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("{}'{}' forwards its messages to '{}': they cannot be received here",
                        kind == LaneKind::kMain ? "" : "the dead-letter queue of ",
                        description.name, *target)};
  }
  if (description.can_receive()) return {};
  return {ErrorCode::kMessagingEntityDisabled,
          fmt::format("receiving from '{}' is disabled by its status", description.name)};
}

Status CheckSend(const EntityRecord& record) {
  if (record.description.can_send()) return {};
  return {ErrorCode::kMessagingEntityDisabled,
          fmt::format("sending to '{}' is disabled by its status", record.description.name)};
}

}  // namespace wharf
