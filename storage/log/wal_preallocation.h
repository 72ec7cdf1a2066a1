// WalPreallocation: how much of the disk the write-ahead log takes ahead of what is written.
#pragma once

#include <memory>

#include <rocksdb/file_system.h>

namespace wharf {

// `file_system`, on which a log grows a few MiB at a time. RocksDB would take as much as all its
// write buffers hold, so that the disk of an idle broker looked used, and the last MiB of a nearly
// full one went to a log that does not need them.
std::shared_ptr<rocksdb::FileSystem> WithSmallWalPreallocation(
    const std::shared_ptr<rocksdb::FileSystem>& file_system);

}  // namespace wharf
