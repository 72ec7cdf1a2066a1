#include "broker/reading/recount/given_numbers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace wharf {
namespace {

// Faster than any broker sends. If nobody knows how many numbers were given, it was fewer.
constexpr std::int64_t kNumbersPerSecondMax = 1'000'000;
constexpr std::uint64_t kNumberOfPartitionMax = std::uint64_t{1} << 47;

}  // namespace

void GivenNumbers::Note(SequenceNumber number) {
  SequenceNumber& highest = highest_[PartitionOf(number)];
  highest = std::max(highest, number);
}

bool GivenNumbers::WasGiven(SequenceNumber number) const {
  return !stored_ || First(number, number.Next()).has_value();
}

std::optional<SequenceNumber> GivenNumbers::First(SequenceNumber from, SequenceNumber until) const {
  if (!stored_) return std::nullopt;
  for (PartitionId partition = PartitionOf(from); from < until && partition < kPartitions;) {
    const std::vector<SequenceNumber>& others = stored_->next_numbers;
    const bool is_known = partition == 0 || partition <= others.size();
    if (!is_known) return std::nullopt;
    if (from < (partition == 0 ? stored_->next_number : others[partition - 1U])) return from;
    if (++partition < kPartitions) from = std::max(from, FirstNumberOf(partition));
  }
  return std::nullopt;
}

SequenceNumber GivenNumbers::NextOf(PartitionId partition, SequenceNumber stored) const {
  const auto seen = highest_.find(partition);
  SequenceNumber next = stored;
  if (seen != highest_.end()) next = std::max(next, seen->second.Next());
  if (stored_) return next;
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now_ - created_at_);
  const auto given = static_cast<std::uint64_t>(std::max<std::int64_t>(age.count() + 1, 1)) *
                     static_cast<std::uint64_t>(kNumbersPerSecondMax);
  const std::uint64_t first = FirstNumberOf(partition).value();
  return std::max(next, SequenceNumber(first + std::min(given, kNumberOfPartitionMax)));
}

void GivenNumbers::Complete(LaneCounters& counters) const {
  counters.next_number = NextOf(0, counters.next_number);
  const bool has_numbers = !counters.next_numbers.empty() || !stored_ || highest_.size() > 1;
  if (has_partitions_ && has_numbers) CompletePartitions(counters);
}

void GivenNumbers::CompletePartitions(LaneCounters& counters) const {
  counters.next_numbers.resize(kPartitions - 1U);
  for (PartitionId partition = 1; partition < kPartitions; ++partition) {
    SequenceNumber& next = counters.next_numbers[partition - 1U];
    next = NextOf(partition, std::max(next, FirstNumberOf(partition)));
  }
}

}  // namespace wharf
