// Rocks options: how RocksDB is set up to be a broker's store.
#pragma once

#include <vector>

#include <rocksdb/db.h>

#include "storage/rocks_store.h"

namespace wharf {

// Everything but env and listeners. One write-buffer budget and one log for all tables.
rocksdb::DBOptions MakeDbOptions(const RocksStoreOptions& options);

// RocksDB's own table first, which we do not use, then ours in the order of the TableSet. They
// share one block cache.
std::vector<rocksdb::ColumnFamilyDescriptor> MakeColumnFamilies(const RocksStoreOptions& options);

}  // namespace wharf
