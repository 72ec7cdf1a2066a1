// NumberRanges: sequence numbers for a sentence: "1-150, 160 and 3 more".
//
// Numbers mostly come in their order; those that do not begin a range of their own. Of more ranges
// than a sentence shows only the count of their numbers is kept. A value, used on one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wharf::tool {

class NumberRanges {
 public:
  void Add(std::int64_t number);
  std::uint64_t count() const { return count_; }
  std::string ToString() const;

 private:
  struct Range {
    std::int64_t first;
    std::int64_t last;
  };
  static constexpr std::size_t kRangesMax = 10;

  std::vector<Range> ranges_;
  std::uint64_t count_ = 0;
  std::uint64_t unnamed_ = 0;
};

}  // namespace wharf::tool
