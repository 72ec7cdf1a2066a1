// Rocks env: the world that RocksDB lives in.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace wharf {

// The disk is `file_system`, with an info log that may fail (info_log.h), a note of what is synced
// of each MANIFEST (manifest_note.h) and a write-ahead log that takes little of it ahead
// (wal_preallocation.h); threads and clock are this machine's. Unless
// `may_sleep`, RocksDB does not sleep: it would for a second after every background job that
// failed. The time of day is ahead by what `seconds_ahead` says, if it says something: for tests.
std::unique_ptr<rocksdb::Env> MakeEnv(const std::shared_ptr<rocksdb::FileSystem>& file_system,
                                      bool may_sleep,
                                      const std::atomic<std::int64_t>* seconds_ahead);

}  // namespace wharf
