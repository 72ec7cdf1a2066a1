#include "replication/cluster_node/level_keeper.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(LevelKeeperTest, ItIsTheHighestThatAllRead) {
  EXPECT_EQ(LevelToRaiseTo(1, 2, {2, 2}), 2U);
  EXPECT_EQ(LevelToRaiseTo(1, 3, {4, 2}), 2U);
  EXPECT_EQ(LevelToRaiseTo(1, 2, {}), 2U);
}

TEST(LevelKeeperTest, ItStaysWhereSomebodyReadsNoMoreOrIsNotKnown) {
  EXPECT_EQ(LevelToRaiseTo(1, 2, {2, 1}), std::nullopt);
  EXPECT_EQ(LevelToRaiseTo(1, 2, {2, std::nullopt}), std::nullopt);
  EXPECT_EQ(LevelToRaiseTo(2, 2, {2, 2}), std::nullopt);
}

}  // namespace
}  // namespace wharf
