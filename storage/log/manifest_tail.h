// ManifestTail: the end of RocksDB's MANIFEST that a power cut left unreadable.
//
// RocksDB appends to the MANIFEST and syncs it before it relies on what it wrote: until then every
// file and every log that the older state needs is kept. So what was appended after the last sync
// may be dropped; where that was, the ManifestNote says. RocksDB drops an end by itself that is
// missing or zero from its first byte, but calls it corruption when the first page of a record
// arrived and a later one did not. Used by RocksStore, when RocksDB has refused a folder.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

// Cuts the torn end off, durably; whether there was one. An error if the MANIFEST is damaged in any
// other way, or if another process has the folder.
Result<bool> CutTornManifest(rocksdb::FileSystem& file_system, const std::string& folder);

}  // namespace wharf
