// MemoryReplicaStore: a replicated store without a disk.
//
// It can be held, so that a test may stand between commit and apply, and it can fail.
#pragma once

#include <atomic>
#include <condition_variable>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/apply/replicated_store.h"
#include "storage/base/mutex.h"
#include "storage/memory/memory_store.h"
#include "tests/storage/batch_writer.h"

namespace wharf {

class MemoryReplicaStore final : public ReplicatedStore {
 public:
  MemoryReplicaStore(TableSet tables, std::string members) : store_(std::move(tables)) {
    position_.members = std::move(members);
  }

  const TableSet& tables() const override { return store_.tables(); }
  Status Write(OrderedWrites& writes, const StatePosition& position) override {
    WaitUntilFree();
    if (fails_) return {ErrorCode::kGeneralError, "the disk of the state is broken"};
    BatchWriter writer;
    writes.Visit(writer);
    WHARF_RETURN_IF_ERROR(store_.Apply(writer.batch));
    position_ = position;
    ++writes_;
    return {};
  }

  MemoryStore& store() { return store_; }
  const StatePosition& position() const { return position_; }
  int writes() const { return writes_; }

  // Each write from now on.
  void Fail() { fails_ = true; }
  void Hold() {
    MutexLock lock(mutex_);
    is_held_ = true;
  }
  void Release() {
    MutexLock lock(mutex_);
    is_held_ = false;
    freed_.notify_all();
  }

 private:
  void WaitUntilFree() {
    MutexLock lock(mutex_);
    while (is_held_) freed_.wait(mutex_);
  }

  MemoryStore store_;
  int writes_ = 0;
  std::atomic<bool> fails_ = false;
  StatePosition position_;
  Mutex mutex_;
  std::condition_variable_any freed_;
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
