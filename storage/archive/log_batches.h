// LogBatches: the batches that a log of entries still has, also those that the state has already.
//
// Plain functions, used at a start, on the thread that owns the log.
#pragma once

#include <cstdint>
#include <functional>

#include "storage/apply/entry_assembler.h"
#include "storage/entry_log.h"

namespace wharf {

// Calls `take` for what each entry behind `before`, up to and with `last`, completes. A batch of
// which the log has cut off the first parts is left out.
Status WalkBatches(const EntryLog& log, std::uint64_t before, std::uint64_t last,
                   const std::function<Status(const WholeBatches&)>& take);

// How many batches that is.
Result<std::uint64_t> CountBatches(const EntryLog& log, std::uint64_t before, std::uint64_t last);

}  // namespace wharf
