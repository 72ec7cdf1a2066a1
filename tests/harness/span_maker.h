// Makes spans by hand, as an expiry would.
#pragma once

#include "broker/core/changes/change.h"
#include "storage/store.h"
#include "storage/write_batch.h"

namespace wharf {

// A commit by which messages of a main lane that were never delivered are counted out: all that the
// span covers. Their rows stay. A broker that has the lane in memory must be started anew.
WriteBatch CountOut(const Store& store, const Shelf& shelf, const Span& span);

}  // namespace wharf
