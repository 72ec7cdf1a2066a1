// ManifestNote: how much of RocksDB's MANIFEST is known to be synced.
//
// A power cut may leave anything behind the last sync, and what was synced before must be there:
// from its bytes alone the two cannot be told apart, because keys that clients choose stand in
// them. So each sync of a MANIFEST is noted in a file beside it, "MANIFEST-000005.synced", before
// RocksDB relies on it; that happens once for each table file that comes or goes. The note is
//
//   note   = record*
//   record = size (8) · the same, inverted (8)     little-endian; the last whole one counts
//
// Written under RocksDB by its Env (rocks_env.h), read by the ManifestTail.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <rocksdb/file_system.h>

#include "storage/base/status.h"

namespace wharf {

// `file_system`, on which each MANIFEST has its note.
std::shared_ptr<rocksdb::FileSystem> WithManifestNotes(
    const std::shared_ptr<rocksdb::FileSystem>& file_system);

// How many bytes of this MANIFEST are synced at least; nothing if it has no note.
Result<std::optional<std::uint64_t>> ReadManifestNote(rocksdb::FileSystem& file_system,
                                                      const std::string& manifest);

}  // namespace wharf
