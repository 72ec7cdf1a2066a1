// HeldFlushes: a file system on which no flush of RocksDB ends while it is held.
#pragma once

#include <memory>
#include <string>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "tests/held_gate.h"

namespace wharf {

class HeldFlushes final : public rocksdb::FileSystemWrapper {
 public:
  // A flush that is held holds a thread, which all stores of a process share.
  HeldFlushes() : FileSystemWrapper(rocksdb::FileSystem::Default()) {
    for (const auto priority : {rocksdb::Env::HIGH, rocksdb::Env::LOW}) {
      rocksdb::Env::Default()->IncBackgroundThreadsIfNeeded(8, priority);
    }
  }

  const char* Name() const override { return "HeldFlushes"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (name.ends_with(".sst")) gate_.Pass();
    return target()->NewWritableFile(name, options, file, debug);
  }

  void Hold() { gate_.Hold(); }
  void Release() { gate_.Release(); }
  // Whether a flush has begun that does not end.
  bool has_held() const { return gate_.has_held(); }

 private:
  HeldGate gate_;
};

}  // namespace wharf
