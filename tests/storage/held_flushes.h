// HeldFlushes: a file system on which no flush of RocksDB ends while it is held.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

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
    if (name.ends_with(".sst")) WaitWhileHeld();
    return target()->NewWritableFile(name, options, file, debug);
  }

  void Hold() {
    MutexLock lock(mutex_);
    is_held_ = true;
  }
  void Release() {
    {
      MutexLock lock(mutex_);
      is_held_ = false;
    }
    released_.notify_all();
  }
  // Whether a flush has begun that does not end.
  bool has_held() const {
    MutexLock lock(mutex_);
    return has_held_;
  }

 private:
  void WaitWhileHeld() {
    MutexLock lock(mutex_);
    has_held_ |= is_held_;
    while (is_held_) released_.wait(mutex_);
  }

  mutable Mutex mutex_;
  std::condition_variable_any released_;
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_held_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
