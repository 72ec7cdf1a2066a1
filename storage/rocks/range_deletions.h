// Range deletions: which ranges the range deletions of a table's file cover, as the file itself
// says.
//
// Written down by RocksDB with each file that it writes, so that a start finds out where much was
// deleted whose space has not come back: FreedRanges are in memory only. So many ranges are kept of
// a file; those behind them are left to compactions that come anyway, for a range that took in what
// lives between them would have all of that rewritten.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <rocksdb/table_properties.h>

#include "storage/table.h"

namespace wharf {

inline constexpr std::size_t kRangesOfFileMax = 256;

// For the options of a table.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> MakeRangeDeletionCollectors();

// In the order of their keys. None of a file that was written by an older version.
std::vector<KeyRange> RangeDeletionsOf(const rocksdb::TableProperties& properties);

}  // namespace wharf
