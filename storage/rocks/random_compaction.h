// RandomCompaction: compacts something of a store that was drawn by lot, as RocksDB's own threads
// might at any moment.
//
// For tests of what compactions drop: nobody may miss it. Used by one thread at a time.
#pragma once

#include "storage/base/random.h"
#include "storage/base/status.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

class RandomCompaction {
 public:
  // Both outlive it.
  RandomCompaction(RocksStore& store, Random& random) : store_(store), random_(random) {}

  // Some rows of some table, or files in which much is dead; of what is in files.
  Status Run();

 private:
  KeyRange SomeRows(TableId table) const;

  RocksStore& store_;
  Random& random_;
};

}  // namespace wharf
