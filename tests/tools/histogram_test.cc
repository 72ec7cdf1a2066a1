#include "tools/wharf/bench/histogram.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

using std::chrono::nanoseconds;

TEST(HistogramTest, PercentilesAreExactToAFewPercent) {
  Histogram histogram;
  for (int microseconds = 1; microseconds <= 1000; ++microseconds) {
    histogram.Add(nanoseconds(microseconds * 1000));
  }

  EXPECT_NEAR(static_cast<double>(histogram.Percentile(0.5).count()), 500'000, 10'000);
  EXPECT_NEAR(static_cast<double>(histogram.Percentile(0.99).count()), 990'000, 20'000);
  EXPECT_NEAR(static_cast<double>(histogram.Percentile(1).count()), 1'000'000, 20'000);
}

TEST(HistogramTest, SmallAndHugeTimesHaveTheirPlace) {
  Histogram histogram;
  histogram.Add(nanoseconds(3));
  histogram.Add(nanoseconds::max());

  EXPECT_EQ(histogram.Percentile(0.5), nanoseconds(3));
  EXPECT_GT(histogram.Percentile(1), std::chrono::hours(24 * 365 * 200));
}

TEST(HistogramTest, ATimeThatWentBackIsZero) {
  Histogram histogram;

  histogram.Add(nanoseconds(-5));

  EXPECT_EQ(histogram.Percentile(1), nanoseconds(0));
}

TEST(HistogramTest, MergedCountsAdd) {
  Histogram one;
  one.Add(nanoseconds(10));
  Histogram other;
  other.Add(nanoseconds(20));

  one.Merge(other);

  EXPECT_EQ(one.count(), 2U);
  EXPECT_EQ(one.Percentile(1), nanoseconds(20));
}

TEST(HistogramTest, NothingHasNoPercentile) {
  EXPECT_EQ(Histogram().Percentile(0.5), nanoseconds(0));
}

}  // namespace
}  // namespace wharf::tool
