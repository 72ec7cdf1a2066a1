// Rocks folder: what is done to a folder before RocksDB opens it.
//
// It is made if missing (durably, up to the root), locked, and its write-ahead log is checked and
// freed of a torn end. Used by RocksStore::Open.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

// Refuses with one sentence what must not be opened: a folder in use, without its heart, or with a
// log that is damaged where it had been synced.
Status PrepareFolder(rocksdb::FileSystem& file_system, const std::string& folder);

// What the operator reads when a second process wants the folder.
Status FolderInUse(const std::string& folder);

// Whether there is a store in the folder.
bool HasStore(rocksdb::FileSystem& file_system, const std::string& folder);

}  // namespace wharf
