#include "tools/crash/nodes/replica_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

const ReplicaRows kRows{{{"counters", "a"}, "1"}, {{"messages", "b"}, "2"}};

TEST(ReplicaRowsTest, EqualRowsDoNotDiffer) { EXPECT_EQ(DifferenceOf(kRows, kRows), ""); }

TEST(ReplicaRowsTest, ARowThatDiffersIsNamed) {
  ReplicaRows other = kRows;
  other[{"messages", "b"}] = "3";

  EXPECT_EQ(DifferenceOf(kRows, other), "the row 62 of 'messages' is 32 and 33");
}

TEST(ReplicaRowsTest, ARowThatOneOfThemLacksIsNamed) {
  for (const auto& [row, value] : kRows) {
    ReplicaRows other = kRows;
    other.erase(row);

    EXPECT_THAT(DifferenceOf(kRows, other), testing::EndsWith(" and nothing"));
    EXPECT_THAT(DifferenceOf(other, kRows), testing::HasSubstr("is nothing and "));
  }
}

}  // namespace
}  // namespace wharf::crash
