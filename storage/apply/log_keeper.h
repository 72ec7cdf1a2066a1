// LogKeeper: keeps a log of entries short: has the state flushed when much is not, and cuts off
// what the state and the followers have.
//
// Looks on the log's thread; the disk is asked on a thread of its own, because a flush takes as
// long as a disk does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/rocks/rocks_store.h"
#include "storage/segments/log_bound.h"
#include "storage/segments/segment_log.h"

namespace wharf {

class LogKeeper {
 public:
  // What is pointed to outlives it. `failed`: the state cannot be flushed, or read; on its thread.
  struct World {
    RocksStore& store;
    const SegmentLog& log;
    std::function<void(const Status&)> failed;
  };

  LogKeeper(const LogBound& bound, World world)
      : bound_(bound), world_(std::move(world)), thread_([this] { Run(); }) {}
  // Waits for a flush that is under way.
  ~LogKeeper();

  // Up to where the log may be cut now. `known`: what all followers have, as far as this node
  // knows; of a single node, all.
  std::uint64_t Look(std::uint64_t known);
  // Flushes what the store has when this is called, and returns when that is done, or failed.
  void Flush();
  // Up to where the state was flushed when that was asked last.
  std::uint64_t flushed() const { return flushed_; }

 private:
  enum class Question { kNone, kPosition, kFlushFirst };

  void Run();
  Question Next();
  Status AskDisk(Question question);

  const LogBound bound_;
  const World world_;
  std::atomic<std::uint64_t> flushed_ = 0;

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any answered_;
  Question asked_ ABSL_GUARDED_BY(mutex_) = Question::kNone;
  bool is_asking_ ABSL_GUARDED_BY(mutex_) = false;
  // Questions are counted: how many were taken, all but the one under way are answered.
  std::uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
