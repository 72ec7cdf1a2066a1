#include "tools/wharf/bench/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wharf::tool {

void Histogram::Add(std::chrono::nanoseconds span) {
  buckets_[BucketOf(static_cast<std::uint64_t>(std::max<std::int64_t>(0, span.count())))]++;
  count_++;
}

void Histogram::Merge(const Histogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
}

std::chrono::nanoseconds Histogram::Percentile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted && seen > 0) return std::chrono::nanoseconds(LowestOf(i));
  }
  return std::chrono::nanoseconds(0);
}

std::size_t Histogram::BucketOf(std::uint64_t nanoseconds) {
  const int bits = std::bit_width(nanoseconds);
  if (bits <= kPrecisionBits) return nanoseconds;
  const int shift = bits - kPrecisionBits - 1;
  // The highest bit is one: it moves on to the next row of buckets.
  return (static_cast<std::size_t>(shift) << kPrecisionBits) + (nanoseconds >> shift);
}

std::uint64_t Histogram::LowestOf(std::size_t bucket) {
  const std::size_t row = bucket >> kPrecisionBits;
  if (row == 0) return bucket;
  const std::size_t shift = row - 1;
  return static_cast<std::uint64_t>(bucket - (shift << kPrecisionBits)) << shift;
}

}  // namespace wharf::tool
