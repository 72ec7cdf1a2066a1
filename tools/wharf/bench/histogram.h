// Histogram: how long things took, to about one percent, at the cost of one increment each.
//
//   bucket = the position of the highest bit, and the six bits behind it
//
// Used by one thread at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace wharf::tool {

class Histogram {
 public:
  void Add(std::chrono::nanoseconds span);
  void Merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  // The time within which this share, 0 to 1, of all ended. 0 if there were none.
  std::chrono::nanoseconds Percentile(double share) const;

 private:
  static constexpr int kPrecisionBits = 6;

  static std::size_t BucketOf(std::uint64_t nanoseconds);
  static std::uint64_t LowestOf(std::size_t bucket);

  std::array<std::uint64_t, (64 - kPrecisionBits + 1) << kPrecisionBits> buckets_{};
  std::uint64_t count_ = 0;
};

}  // namespace wharf::tool
