// Info log: RocksDB's own diary, the file LOG, as a diary that cannot end the broker.
//
// RocksDB's own writer of it counts on its file: after a write that failed, as on a full disk, the
// next line is an assertion that fails, and the process aborts. A line of this log that cannot be
// written is lost, and that is all. Used by MakeEnv; RocksDB writes on any of its threads.
#pragma once

#include <memory>

#include <rocksdb/file_system.h>

namespace wharf {

// `file_system`, but for how the info log is written.
std::shared_ptr<rocksdb::FileSystem> WithInfoLog(
    const std::shared_ptr<rocksdb::FileSystem>& file_system);

}  // namespace wharf
