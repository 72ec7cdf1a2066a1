#include "replication/cluster_node/successors.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<RaftId> OrderOf(std::vector<Successor> nodes) {
  Successors successors(std::move(nodes));
  std::vector<RaftId> order;
  while (const auto next = successors.Next()) order.push_back(*next);
  return order;
}

TEST(SuccessorsTest, RoomCountsMoreThanASignOfLifeAndThatMoreThanTheLog) {
  EXPECT_THAT(OrderOf({{.node = 1, .has_room = false, .was_just_heard = true, .match = 9},
                       {.node = 2, .was_just_heard = false, .match = 8},
                       {.node = 3, .was_just_heard = true, .match = 6},
                       {.node = 4, .was_just_heard = true, .match = 7}}),
              ElementsAre(4, 3, 2, 1));
}

TEST(SuccessorsTest, EachIsAskedOnce) {
  EXPECT_THAT(OrderOf({{.node = 1}, {.node = 2}}), ElementsAre(1, 2));
  EXPECT_THAT(OrderOf({}), IsEmpty());
}

TEST(SuccessorsTest, TheBestIsTheFirst) {
  EXPECT_EQ(Successors({}).best(), nullptr);
  EXPECT_EQ(Successors({{.node = 1, .match = 1}, {.node = 2, .match = 2}}).best()->node, 2U);
}

}  // namespace
}  // namespace wharf
