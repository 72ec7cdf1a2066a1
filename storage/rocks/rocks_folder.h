// Rocks folder: what is done to a folder before RocksDB opens it. Used by RocksStore::Open.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

// Makes the folder if it is missing, durably and with its parents. Refuses a folder that lost its
// heart.
Status PrepareFolder(rocksdb::FileSystem& file_system, const std::string& folder);

// Whether there is a store in the folder, but not a single log of it.
Result<bool> IsWithoutLog(rocksdb::FileSystem& file_system, const std::string& folder);

}  // namespace wharf
