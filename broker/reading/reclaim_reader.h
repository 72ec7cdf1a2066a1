// Reads what is left of deleted entities and purged lanes, to be reclaimed a step at a time.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/changes/change.h"
#include "storage/store.h"

namespace wharf {

// Each is nothing if no row is left.
using ShelfReclaimStep = std::optional<ShelfReclaimed>;
using ScheduledReclaimStep = std::optional<ScheduledReclaimed>;

// The next rows of an entity, on whatever shelf they stand.
Result<ShelfReclaimStep> ReadEntityReclaim(const StoreView& view, EntityId entity,
                                           std::size_t messages_max);
Result<ShelfReclaimStep> ReadShelfReclaim(const StoreView& view, const Shelf& shelf,
                                          std::size_t messages_max);
// The next scheduled messages with numbers below `floor`.
Result<ScheduledReclaimStep> ReadScheduledReclaim(const StoreView& view, EntityId entity,
                                                  SequenceNumber floor, std::size_t messages_max);

}  // namespace wharf
