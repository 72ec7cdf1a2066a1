#include "tools/wharf/text/number_ranges.h"

#include <fmt/core.h>

namespace wharf::tool {

void NumberRanges::Add(std::int64_t number) {
  ++count_;
  if (unnamed_ == 0 && !ranges_.empty() && ranges_.back().last + 1 == number) {
    ranges_.back().last = number;
  } else if (ranges_.size() < kRangesMax) {
    ranges_.push_back({number, number});
  } else {
    ++unnamed_;
  }
}

std::string NumberRanges::ToString() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += ", ";
    text += range.first == range.last ? std::to_string(range.first)
                                      : fmt::format("{}-{}", range.first, range.last);
  }
  return unnamed_ == 0 ? text : fmt::format("{} and {} more", text, unnamed_);
}

}  // namespace wharf::tool
