// SegmentList: the segments of a log in their order, and which of them it can do without.
//
// A log that begins with one of its segments starts where that segment's head says, or, where the
// tail of the log was replaced since, before the lowest entry that is written in what is left.
// Part of a SegmentLog; used on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>

#include <rocksdb/file_system.h>

namespace wharf {

struct LogSegment {
  std::uint64_t number = 0;
  std::uint64_t salt = 0;
  std::uint64_t bytes = 0;  // That count.
  // The last entry when it was begun, and the lowest that is written in it.
  std::uint64_t last_before = 0;
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  std::unique_ptr<rocksdb::FSRandomAccessFile> file = nullptr;
};

class SegmentList {
 public:
  void Add(LogSegment segment);
  void RemoveFirst();
  void NoteEntry(std::uint64_t index);

  const LogSegment& first() const { return segments_.front(); }
  LogSegment& last() { return segments_.back(); }
  const LogSegment& Find(std::uint64_t number) const {
    return segments_[number - segments_.front().number];
  }
  std::size_t size() const { return segments_.size(); }
  // Of all from this number on.
  std::uint64_t BytesFrom(std::uint64_t number) const;

  // What the first segments can be left out of.
  struct Cut {
    std::size_t segments = 0;
    std::uint64_t start = 0;  // Of what is left: the last index that is not in it.
  };
  // The most that can go if entries up to this one may. Never the last segment.
  Cut CutUpTo(std::uint64_t index) const;

 private:
  std::deque<LogSegment> segments_;
};

}  // namespace wharf
