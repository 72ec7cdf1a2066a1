// Garbage filters: how RocksDB's compactions ask a table's judges about the rows that they rewrite.
//
// Each compaction gets a filter and a judge of its own, on its thread. RocksDB 7.8 asks of the
// newest version among those that it rewrites, whatever is above or below and whatever snapshots
// are open, and not when it flushes or only moves a file.
#pragma once

#include <memory>

#include <rocksdb/compaction_filter.h>

#include "storage/table.h"

namespace wharf {

// For a table that has garbage.
std::shared_ptr<rocksdb::CompactionFilterFactory> MakeGarbageFilters(const TableOptions& table);

}  // namespace wharf
