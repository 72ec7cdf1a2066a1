// Gates: whether clients may send to an entity and receive from it, by what it is and by its
// status. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "broker/core/changes/change.h"
#include "storage/base/status.h"

namespace wharf {

// Where the messages of a lane go; nothing: they wait for receivers.
inline const std::optional<std::string>& ForwardsTo(const QueueDescription& description,
                                                    LaneKind kind) {
  return kind == LaneKind::kMain ? description.forward_to
                                 : description.forward_dead_lettered_messages_to;
}

// Whether a receiver may wait on the lane.
Status CheckReceive(const EntityRecord& record, LaneKind kind);
// Whether the status lets messages in.
Status CheckSend(const EntityRecord& record);

}  // namespace wharf
