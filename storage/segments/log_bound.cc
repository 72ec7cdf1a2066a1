#include "storage/segments/log_bound.h"

#include <algorithm>

namespace wharf {

bool LogBound::IsFlushDue(const SegmentLog& log, std::uint64_t flushed) const {
  return log.BytesBehind(flushed) > unflushed_bytes_max;
}

// One that is larger than the bound comes by itself.
bool LogBound::IsReplayFull(const SegmentLog& log, std::uint64_t flushed,
                            std::uint64_t bytes) const {
  const std::uint64_t behind = log.BytesBehind(flushed);
  return behind > 0 && behind + bytes > replayed_bytes_max;
}

std::uint64_t LogBound::CutIndex(const SegmentLog& log, std::uint64_t flushed,
                                 std::uint64_t known) const {
  const std::uint64_t both = std::min(flushed, known);
  if (log.BytesBehind(both) <= kept_bytes_max) return both;
  return std::min(flushed, log.IndexWithin(kept_bytes_max));
}

}  // namespace wharf
