// DiskGate: whether the disk has room for more messages, so that it is never filled to the end.
//
// Sends ask it and are refused at a mark; receiving, settling, purging and deleting do not ask, and
// make room. The SpaceKeeper says now and then how much is free, and the shard counts what it plans
// and what the log has written since, so that nothing is asked of the file system for a message.
// Any thread may ask.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

enum class DiskState : std::uint8_t {
  kAmple,
  kNearlyFull,  // Sends are taken, but a warning was given.
  kFull,        // Sends are refused.
};

struct DiskReport {
  DiskState state = DiskState::kAmple;
  std::uint64_t free_bytes = 0;
  // Sends are refused while less is free.
  std::uint64_t mark_bytes = 0;
  // The disk is nearly full when less is free.
  std::uint64_t warned_bytes = 0;
  // What the reserve holds of the disk.
  std::uint64_t reserve_bytes = 0;
};

class DiskGate {
 public:
  // Ok, or QuotaExceeded: nothing that needs room may be stored.
  Status CheckRoom() const;
  bool has_room() const { return planned_bytes_ < planned_bytes_max_; }

  // The bytes of a batch are on their way to the log, and then written, or never will be. On one
  // thread.
  void NotePlanned(std::uint64_t bytes) { planned_bytes_ += bytes; }
  void NoteWritten(std::uint64_t bytes) { written_bytes_ += bytes; }
  // Since the broker started; with what was given up.
  std::uint64_t written_bytes() const { return written_bytes_; }

  // What was found out about the disk after `written_bytes` had been read here. On one thread.
  void Set(const DiskReport& report, std::uint64_t written_bytes);
  // As it was set; and full, without what is planned since then, if that takes what was free.
  DiskReport report() const;

 private:
  std::atomic<std::uint64_t> planned_bytes_ = 0;
  std::atomic<std::uint64_t> written_bytes_ = 0;
  // Nobody looked yet: there is room.
  std::atomic<std::uint64_t> planned_bytes_max_ = std::numeric_limits<std::uint64_t>::max();

  mutable Mutex mutex_;
  DiskReport report_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
