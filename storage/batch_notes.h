// BatchNotes: what a batch says to its applier, beside its rows.
//
// Written into the batch by the shard that planned it (WriteBatch), or what it writes to tables
// that are watched; collected while a commit log applies it, and told to the log's ApplyListener.
// So a replica that plans nothing of its own hears of it all the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/base/time.h"
#include "storage/store.h"

namespace wharf {

// What is written to a watched table (table.h).
struct WatchedWrite {
  // One row that is put or deleted, or a range of which all are deleted.
  TableRange rows;
  // What is put to the row; none: deleted.
  std::optional<std::string> value;
};

struct BatchNotes {
  // Broker time of the batch, or of the last of several; none if none says it.
  std::optional<Timestamp> time;
  // So many rows of these ranges are gone by now that their space is worth giving back.
  std::vector<TableRange> freed{};
  // In the order of the writes.
  std::vector<WatchedWrite> watched{};
};

}  // namespace wharf
