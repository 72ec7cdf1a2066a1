// ReadCounts: how much the readers did, for those who look at a broker that is busy, or that should
// not read at all. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "storage/base/time.h"

namespace wharf {

class ReadCounts {
 public:
  // Since the readers are there.
  struct Snapshot {
    std::uint64_t reads = 0;
    // That a cursor stood on, or that were asked for by their key.
    std::uint64_t rows = 0;
    // In which a thread was at it.
    Duration time{};
  };

  void NoteRead(Duration time) {
    reads_.fetch_add(1, std::memory_order_relaxed);
    time_.fetch_add(time.count(), std::memory_order_relaxed);
  }
  void NoteRows(std::uint64_t rows) { rows_.fetch_add(rows, std::memory_order_relaxed); }
  Snapshot Read() const {
    return {reads_.load(std::memory_order_relaxed), rows_.load(std::memory_order_relaxed),
            Duration(time_.load(std::memory_order_relaxed))};
  }

 private:
  std::atomic<std::uint64_t> reads_ = 0;
  std::atomic<std::uint64_t> rows_ = 0;
  std::atomic<Duration::rep> time_ = 0;
};

}  // namespace wharf
