// Rocks options: how RocksDB is set up to be a broker's store.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <rocksdb/db.h>

#include "storage/rocks/garbage_filter.h"
#include "storage/rocks/neighbour_hints.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

// A blob file is begun anew when it has so much.
inline constexpr std::uint64_t kBlobFileBytesMax = 64 << 20;

// What all write buffers may hold together.
std::size_t WriteBufferBytes(const RocksStoreOptions& options);

// Everything but env, listeners and the manager of files. One write-buffer budget
// and one log for all tables.
rocksdb::DBOptions MakeDbOptions(const RocksStoreOptions& options);

// RocksDB's own table first, which we do not use, then ours in the order of the TableSet. They
// share one block cache. What compactions drop is counted.
std::vector<rocksdb::ColumnFamilyDescriptor> MakeColumnFamilies(
    const RocksStoreOptions& options, const std::shared_ptr<DroppedRows>& dropped_rows,
    const NeighbourHints& hints);

}  // namespace wharf
