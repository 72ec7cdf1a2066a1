// Garbage filters: how RocksDB's compactions ask a table's judges about the rows that they rewrite.
//
// Each compaction gets a filter and a judge of its own, on its thread. RocksDB 7.8 asks of the
// newest version among those that it rewrites, whatever is above or below and whatever snapshots
// are open, and not when it flushes or only moves a file.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <rocksdb/compaction_filter.h>

#include "storage/table.h"

namespace wharf {

using DroppedRows = std::atomic<std::uint64_t>;

// For a table that has garbage. Counts the rows that are dropped.
std::shared_ptr<rocksdb::CompactionFilterFactory> MakeGarbageFilters(
    const TableOptions& table, std::shared_ptr<DroppedRows> dropped_rows);

}  // namespace wharf
