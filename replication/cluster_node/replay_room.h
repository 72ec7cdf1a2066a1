// ReplayRoom: whether the log of a node may take more, by what a start would have to apply; and for
// how long it may not, because a flush does not end.
//
// Counted is what a flush would bring to the disk. What is not committed, or a batch of which parts
// are missing, is not: it waits for others, who must not be kept from bringing it. Where the log is
// full a leader proposes nothing, and who follows lets entries be lost; both go on when a flush has
// ended. Made by a ClusterNode. IsFull on the raft thread, full_for on any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "storage/apply/batch_applier.h"
#include "storage/apply/log_keeper.h"
#include "storage/base/under_way.h"
#include "storage/segments/log_bound.h"
#include "storage/segments/segment_log.h"

namespace wharf {

class ReplayRoom {
 public:
  // What is referred to outlives it. The state was opened as of this entry; what the keeper says
  // comes later.
  ReplayRoom(const LogBound& bound, const SegmentLog& log, const LogKeeper& keeper,
             const BatchApplier& applier, std::uint64_t opened_at)
      : bytes_max_(bound.replayed_bytes_max),
        log_(log),
        keeper_(keeper),
        applier_(applier),
        flushed_(opened_at) {}

  // Also to be asked now and then: it is over when this has seen so.
  bool IsFull() {
    const std::uint64_t flushed = std::max(flushed_, keeper_.flushed());
    const bool is_full = BytesToFlush(flushed) > bytes_max_;
    // A flush that ended is not waited for any longer, though the next one may be.
    if (!is_full || flushed != flushed_) flush_.reset();
    if (is_full && !flush_) flush_.emplace(full_);
    flushed_ = flushed;
    return is_full;
  }

  // Zero: it may.
  Duration full_for() const { return full_.age(); }

 private:
  std::uint64_t BytesToFlush(std::uint64_t flushed) const {
    return log_.BytesBehind(flushed) - log_.BytesBehind(std::max(flushed, applier_.whole()));
  }

  const std::uint64_t bytes_max_;
  const SegmentLog& log_;
  const LogKeeper& keeper_;
  const BatchApplier& applier_;
  UnderWay full_{SteadyNow};
  // Of the raft thread.
  std::uint64_t flushed_;
  std::optional<UnderWay::Scope> flush_;
};

}  // namespace wharf
