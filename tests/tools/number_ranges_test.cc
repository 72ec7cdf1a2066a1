#include "tools/wharf/text/number_ranges.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

TEST(NumberRangesTest, NumbersInARowAreOneRange) {
  NumberRanges ranges;
  for (int number = 3; number <= 150; ++number) ranges.Add(number);
  ranges.Add(160);
  ranges.Add(7);

  EXPECT_EQ(ranges.ToString(), "3-150, 160, 7");
  EXPECT_EQ(ranges.count(), 150U);
}

TEST(NumberRangesTest, MoreThanASentenceTakesAreCountedOnly) {
  NumberRanges ranges;
  for (int number = 0; number < 100'000; number += 2) ranges.Add(number);

  EXPECT_EQ(ranges.ToString(), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18 and 49990 more");
  EXPECT_EQ(ranges.count(), 50'000U);
}

}  // namespace
}  // namespace wharf::tool
