// ReplayRoom: whether the log of a node may take more, by what a start would have to apply; and for
// how long it may not, because a flush does not end.
//
// Where it is full a leader proposes nothing, and who follows lets entries be lost; both go on when
// a flush has ended. Made by a ClusterNode. IsFull on the raft thread, full_for on any.
#pragma once

#include <cstdint>
#include <optional>

#include "storage/apply/log_keeper.h"
#include "storage/base/under_way.h"
#include "storage/segments/log_bound.h"
#include "storage/segments/segment_log.h"

namespace wharf {

class ReplayRoom {
 public:
  // What is referred to outlives it.
  ReplayRoom(const LogBound& bound, const SegmentLog& log, const LogKeeper& keeper)
      : bound_(bound), log_(log), keeper_(keeper) {}

  bool IsFull() {
    const std::uint64_t flushed = keeper_.flushed();
    const bool is_full = bound_.IsReplayFull(log_, flushed, 0);
    // A flush that ended is not waited for any longer, though the next one may be.
    if (!is_full || flushed != flushed_) flush_.reset();
    if (is_full && !flush_) flush_.emplace(full_);
    flushed_ = flushed;
    return is_full;
  }

  // Zero: it may.
  Duration full_for() const { return full_.age(); }

 private:
  const LogBound bound_;
  const SegmentLog& log_;
  const LogKeeper& keeper_;
  UnderWay full_{SteadyNow};
  // Of the raft thread.
  std::uint64_t flushed_ = 0;
  std::optional<UnderWay::Scope> flush_;
};

}  // namespace wharf
