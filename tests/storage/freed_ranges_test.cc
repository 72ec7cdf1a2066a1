#include "storage/rocks/freed_ranges.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Names(const FreedRanges& ranges) {
  std::vector<std::string> names;
  for (const FreedRange& each : ranges.All()) {
    names.push_back(std::to_string(each.table) + " " + each.range.begin + "-" + each.range.end);
  }
  return names;
}

TEST(FreedRangesTest, WhatTouchesIsOne) {
  FreedRanges ranges;
  ranges.Note({1, {"c", "e"}, 1});
  ranges.Note({1, {"g", "h"}, 2});
  ranges.Note({2, {"e", "g"}, 3});
  EXPECT_THAT(Names(ranges), ElementsAre("1 c-e", "1 g-h", "2 e-g"));

  ranges.Note({1, {"e", "g"}, 4});
  EXPECT_THAT(Names(ranges), ElementsAre("1 c-h", "2 e-g"));

  ranges.Note({1, {"a", "d"}, 5});
  ranges.Note({1, {"b", "c"}, 6});
  EXPECT_THAT(Names(ranges), ElementsAre("1 a-h", "2 e-g"));
  EXPECT_EQ(ranges.All().front().noted_at, 6U);
}

TEST(FreedRangesTest, BeyondTheBoundNeighboursAreOne) {
  FreedRanges ranges;
  ranges.Note({2, {"a", "b"}, 1});
  for (int i = 0; i < 2000; ++i) {
    const std::string number = std::to_string(10'000 + i);
    ranges.Note({1, {number + "a", number + "b"}, 1});
  }

  EXPECT_THAT(ranges.All(), SizeIs(FreedRanges::kRangesMax));
  EXPECT_EQ(ranges.All()[FreedRanges::kRangesMax - 2].range.end, "11999b");
  EXPECT_EQ(ranges.All().back().table, 2);
  // It has what lives between them.
  EXPECT_TRUE(ranges.All()[FreedRanges::kRangesMax - 2].is_mixed);
  EXPECT_FALSE(ranges.All().front().is_mixed);
}

TEST(FreedRangesTest, OneThatWasNotedAgainIsNotForgotten) {
  FreedRanges ranges;
  ranges.Note({1, {"a", "b"}, 1});
  const FreedRange first = ranges.All().front();
  ranges.Note({1, {"a", "b"}, 2});

  ranges.Forget(first);
  ranges.Spend(first, 10);
  EXPECT_THAT(Names(ranges), ElementsAre("1 a-b"));
  EXPECT_EQ(ranges.All().front().spent_bytes, 0U);

  ranges.Spend(ranges.All().front(), 10);
  EXPECT_EQ(ranges.All().front().spent_bytes, 10U);
  ranges.Forget(ranges.All().front());
  EXPECT_THAT(ranges.All(), IsEmpty());
}

}  // namespace
}  // namespace wharf
