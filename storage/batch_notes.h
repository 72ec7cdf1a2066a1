// BatchNotes: what a batch says to its applier, beside its rows.
//
// Written into the batch by the shard that planned it (WriteBatch), collected while a commit log
// applies it, and told to the log's ApplyListener. So a replica that plans nothing of its own hears
// of it all the same.
#pragma once

#include <optional>
#include <vector>

#include "storage/base/time.h"
#include "storage/store.h"

namespace wharf {

struct BatchNotes {
  // Broker time of the batch, or of the last of several; none if none says it.
  std::optional<Timestamp> time;
  // So many rows of these ranges are gone by now that their space is worth giving back.
  std::vector<TableRange> freed;
};

}  // namespace wharf
