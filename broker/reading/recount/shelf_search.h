// FindShelf: where the messages of a lane stand whose counters cannot be read.
//
// Used by a Recount at its beginning, on a reader thread.
#pragma once

#include "broker/core/changes/change.h"
#include "storage/store.h"

namespace wharf {

// Fails if messages stand on more than one.
Result<Shelf> FindShelf(const StoreView& view, const EntityRecord& record, LaneKind kind);

}  // namespace wharf
