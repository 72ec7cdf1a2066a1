#include "broker/core/changes/span.h"

#include <iterator>
#include <utility>

namespace wharf {

// Of the numbers that lie between the ends of both, each would have to be an exception.
bool Span::Meets(const Span& other) const {
  const SequenceNumber lowest = std::max(first, other.first);
  const SequenceNumber highest = std::min(last, other.last);
  if (lowest > highest) return false;
  const auto between = [lowest, highest](const std::vector<SequenceNumber>& all) {
    const auto begin = std::lower_bound(all.begin(), all.end(), lowest);
    return std::pair(begin, std::upper_bound(begin, all.end(), highest));
  };
  const auto [begin, end] = between(exceptions);
  const auto [other_begin, other_end] = between(other.exceptions);
  std::vector<SequenceNumber> uncovered;
  std::set_union(begin, end, other_begin, other_end, std::back_inserter(uncovered));
  return uncovered.size() < highest.value() - lowest.value() + 1;
}

}  // namespace wharf
