// LogBound: how much of the log of a node is kept, when its state must be flushed, and when nothing
// more may come before it is.
//
// Entries are kept until the state has flushed what they did, and until the followers have them,
// too; but for these only so much: who lacks more gets a snapshot. Used by the raft thread; what is
// flushed is told to it (RocksStore::FlushedPosition), as that reads from disk.
#pragma once

#include <cstdint>
#include <limits>

#include "storage/segments/segment_log.h"

namespace wharf {

struct LogBound {
  // Of entries that the state has not flushed: a start reads and applies them.
  std::uint64_t unflushed_bytes_max = std::uint64_t{128} << 20;
  // The same, however long a flush takes: what is to be committed waits for it.
  std::uint64_t replayed_bytes_max = std::numeric_limits<std::uint64_t>::max();
  // Of the last entries, as far as a follower lacks them.
  std::uint64_t kept_bytes_max = std::uint64_t{1} << 30;

  bool IsFlushDue(const SegmentLog& log, std::uint64_t flushed) const;
  // Whether so many bytes more are too many.
  bool IsReplayFull(const SegmentLog& log, std::uint64_t flushed, std::uint64_t bytes) const;
  // Up to where the log may be cut: the state has flushed entries up to `flushed`, and all
  // followers have those up to `known`.
  std::uint64_t CutIndex(const SegmentLog& log, std::uint64_t flushed, std::uint64_t known) const;
};

}  // namespace wharf
