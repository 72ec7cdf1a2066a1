// RunningCompactions: how many compactions RocksDB has under way by itself. It counts those that it
// has put off for want of room as running, too, as long as they wait (kNumRunningCompactions); this
// counts what has begun. Compactions by hand are counted by RocksSpace. Any thread.
#pragma once

#include <atomic>
#include <cstddef>

#include <rocksdb/listener.h>

namespace wharf {

class RunningCompactions final : public rocksdb::EventListener {
 public:
  // Of files that somebody chose there is no reason.
  static bool IsByItself(const rocksdb::CompactionJobInfo& job) {
    return job.compaction_reason != rocksdb::CompactionReason::kManualCompaction &&
           job.compaction_reason != rocksdb::CompactionReason::kUnknown;
  }

  std::size_t count() const { return count_; }

  void OnCompactionBegin(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& job) override {
    if (IsByItself(job)) ++count_;
  }
  void OnCompactionCompleted(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& job) override {
    if (IsByItself(job)) --count_;
  }

 private:
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace wharf
