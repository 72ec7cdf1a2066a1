// Range deletions: which ranges the range deletions of a table's file cover, as the file itself
// says.
//
// Written down by RocksDB with each file that it writes, so that a start finds out where much was
// deleted whose space has not come back: FreedRanges are in memory only. Few ranges are kept of a
// file; beyond that the last of them reaches from its beginning to the end of all that follow.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <rocksdb/table_properties.h>

#include "storage/table.h"

namespace wharf {

inline constexpr std::size_t kRangesOfFileMax = 16;

// For the options of a table.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> MakeRangeDeletionCollectors();

// In the order of their keys. None of a file that was written by an older version.
std::vector<KeyRange> RangeDeletionsOf(const rocksdb::TableProperties& properties);

}  // namespace wharf
