// DigestRange: reads the rows of a state from one on, over all its tables, and makes them short.
//
// Keeps one row in memory. A plain function, for a thread that may wait for the disk.
#pragma once

#include <atomic>

#include "replication/verify/state_check.h"
#include "storage/left_out_rows.h"

namespace wharf {

// `left_out`: null, none is. An error if rows cannot be read, or `is_stopping` was set.
Result<RangeDigest> DigestRange(const StoreView& view, const TableSet& tables,
                                const StateCheck& check, LeftOutRows* left_out,
                                const std::atomic<bool>& is_stopping);

}  // namespace wharf
