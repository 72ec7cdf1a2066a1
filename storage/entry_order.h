// Entry order: what may be asked of an entry log, as it stands.
//
// Whoever asks for something else has a bug, and hears of it before anything is done. Used by the
// entry logs.
#pragma once

#include <cstdint>
#include <span>

#include "storage/entry_log.h"

namespace wharf {

// Entries without gaps, from behind the start of the log up to at most one behind its last.
Status CheckAppend(const EntryLog& log, std::span<const LogEntry> entries);
// At least one entry, all of them in the log.
Status CheckRead(const EntryLog& log, std::uint64_t first, std::uint64_t end);
// Entries that are in the log for good: `synced` is the last that was synced, and still stands.
Status CheckCut(std::uint64_t index, std::uint64_t synced);

}  // namespace wharf
