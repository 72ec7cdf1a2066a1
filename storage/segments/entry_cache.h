// EntryCache: the last entries of a log, in memory: what is sent to followers that keep up, and
// applied.
//
// Bounded in bytes. Part of a SegmentLog; used on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "storage/entry_log.h"

namespace wharf {

class EntryCache {
 public:
  explicit EntryCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // It takes the place of the one with its index, and of all behind it.
  void Add(const LogEntry& entry);
  void CutUpTo(std::uint64_t index);
  void Clear();

  // Null if it is not here.
  const LogEntry* Find(std::uint64_t index) const;
  std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t BytesOf(const LogEntry& entry) { return sizeof(entry) + entry.data.size(); }
  void DropFirst();
  void DropLast();

  const std::size_t bytes_max_;
  std::deque<LogEntry> entries_;  // Without gaps.
  std::size_t bytes_ = 0;
};

}  // namespace wharf
