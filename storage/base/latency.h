// Latency: a histogram of durations, in the form that monitoring systems read: how many took at
// most so long.
//
// Counted on one thread, read on any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "storage/base/time.h"

namespace wharf {

class Latency {
 public:
  // Upper bounds of the buckets; one more bucket takes what is longer.
  static constexpr std::array<Duration, 16> kBounds = {
      Duration(10),     Duration(25),     Duration(50),      Duration(100),
      Duration(250),    Duration(500),    Duration(1000),    Duration(2500),
      Duration(5000),   Duration(10000),  Duration(25000),   Duration(50000),
      Duration(100000), Duration(250000), Duration(1000000), Duration(10000000)};

  struct Snapshot {
    // Of each bucket alone.
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    std::uint64_t count = 0;
    Duration sum{};
  };

  // So many took as long.
  void Note(Duration taken, std::uint64_t times = 1) {
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && taken > kBounds[bucket]) ++bucket;
    counts_[bucket].fetch_add(times, std::memory_order_relaxed);
    sum_.fetch_add(taken.count() * static_cast<std::int64_t>(times), std::memory_order_relaxed);
  }

  Snapshot Read() const {
    Snapshot snapshot;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      snapshot.counts[i] = counts_[i].load(std::memory_order_relaxed);
      snapshot.count += snapshot.counts[i];
    }
    snapshot.sum = Duration(sum_.load(std::memory_order_relaxed));
    return snapshot;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::int64_t> sum_ = 0;
};

}  // namespace wharf
