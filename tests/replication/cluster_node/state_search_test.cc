#include "replication/cluster_node/state_search.h"

#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using Kind = SnapshotNotice::Kind;

constexpr Duration kNow = std::chrono::hours(1);
const std::vector<NodeId> kTwo = {NodeId(1), NodeId(2)};

TEST(StateSearchTest, AsksOneAfterTheOther) {
  StateSearch search(0);

  EXPECT_EQ(search.Next({}, kNow), std::nullopt) << "nobody is reached";
  EXPECT_EQ(search.Next(kTwo, kNow), NodeId(1));
  EXPECT_EQ(search.Next(kTwo, kNow), std::nullopt) << "it may answer yet";
  EXPECT_EQ(search.Next(kTwo, kNow + StateSearch::kPatience), NodeId(2));
  EXPECT_EQ(search.Next(kTwo, kNow + 2 * StateSearch::kPatience), NodeId(1));
}

TEST(StateSearchTest, WhoHasNoneIsFollowedAtOnceAndWhoMakesOneLater) {
  StateSearch search(1);
  EXPECT_EQ(search.Next(kTwo, kNow), NodeId(2));

  search.Note(Kind::kNone, kNow);
  EXPECT_EQ(search.Next(kTwo, kNow), NodeId(1));
  search.Note(Kind::kBeingMade, kNow);

  EXPECT_EQ(search.Next(kTwo, kNow + StateSearch::kPatience), std::nullopt);
  EXPECT_EQ(search.Next(kTwo, kNow + StateSearch::kMakingPatience), NodeId(2));
}

TEST(StateSearchTest, WhoHasAStateAsksNobody) {
  StateSearch search(0);

  search.End();

  EXPECT_TRUE(search.has_ended());
  EXPECT_EQ(search.Next(kTwo, kNow), std::nullopt);
}

}  // namespace
}  // namespace wharf
