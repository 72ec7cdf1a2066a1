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
  using Bounds = std::array<Duration, 16>;
  // Of work.
  static constexpr Bounds kBounds = {
      Duration(10),     Duration(25),     Duration(50),      Duration(100),
      Duration(250),    Duration(500),    Duration(1000),    Duration(2500),
      Duration(5000),   Duration(10000),  Duration(25000),   Duration(50000),
      Duration(100000), Duration(250000), Duration(1000000), Duration(10000000)};
  // Of waiting, from a millisecond to a month.
  static constexpr Bounds kWaitBounds = {
      std::chrono::milliseconds(1),   std::chrono::milliseconds(5),   std::chrono::milliseconds(25),
      std::chrono::milliseconds(100), std::chrono::milliseconds(500), std::chrono::seconds(1),
      std::chrono::seconds(5),        std::chrono::seconds(30),       std::chrono::minutes(1),
      std::chrono::minutes(5),        std::chrono::minutes(30),       std::chrono::hours(1),
      std::chrono::hours(6),          std::chrono::hours(24),         std::chrono::hours(24 * 7),
      std::chrono::hours(24 * 30)};

  // The bounds outlive it and its snapshots.
  explicit Latency(const Bounds& bounds = kBounds) : bounds_(bounds) {}

  struct Snapshot {
    const Bounds* bounds = &kBounds;
    // Of each bucket alone.
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    std::uint64_t count = 0;
    Duration sum{};
  };

  // So many took as long.
  void Note(Duration taken, std::uint64_t times = 1) {
    std::size_t bucket = 0;
    while (bucket < bounds_.size() && taken > bounds_[bucket]) ++bucket;
    counts_[bucket].fetch_add(times, std::memory_order_relaxed);
    sum_.fetch_add(taken.count() * static_cast<std::int64_t>(times), std::memory_order_relaxed);
  }

  Snapshot Read() const {
    Snapshot snapshot{.bounds = &bounds_};
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      snapshot.counts[i] = counts_[i].load(std::memory_order_relaxed);
      snapshot.count += snapshot.counts[i];
    }
    snapshot.sum = Duration(sum_.load(std::memory_order_relaxed));
    return snapshot;
  }

 private:
  const Bounds& bounds_;
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::int64_t> sum_ = 0;
};

}  // namespace wharf
