#include "broker/requests/one_more_loss.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;

// As the leader n1 sees it: of the voters the first are reached, and learners come behind them.
ClusterStatus Cluster(std::size_t voters, std::size_t reachable, std::size_t learners = 0) {
  ClusterStatus status{.cluster_id = "c1", .node_name = "n1", .leader = "n1"};
  for (std::size_t i = 0; i < voters + learners; ++i) {
    status.members.push_back({.name = "n" + std::to_string(i + 1),
                              .is_voter = i < voters,
                              .is_reachable = i < reachable || i >= voters});
  }
  return status;
}

constexpr char kGoesOn1[] =
    "If one more node died, nothing would be lost and the cluster would go on; it can lose 1 node "
    "at once";
constexpr char kGoesOn2[] =
    "If one more node died, nothing would be lost and the cluster would go on; it can lose 2 nodes "
    "at once";
constexpr char kStops[] =
    "If one more node died, nothing acknowledged would be lost, but nothing more would be "
    "acknowledged until it was back";
constexpr char kAlone[] =
    "If this node died, everything would be lost that its disk loses: no other one votes";

struct Case {
  std::size_t voters;
  std::size_t reachable;
  std::size_t learners;
  std::size_t survived;
  std::string sentence;
};

TEST(OneMoreLossTest, TellsWhatOneMoreDeadNodeWouldMean) {
  for (const Case& each : std::vector<Case>{
           {1, 1, 0, 0, std::string(kAlone) + "."},
           {1, 1, 1, 0, std::string(kAlone) + ". Not counted before it has caught up: n2."},
           {2, 2, 0, 0,
            std::string(kStops) + "; 2 voters survive no more than 1 would, add another."},
           {2, 1, 0, 0,
            "Nothing is acknowledged: 1 of 2 voters can be reached, and 2 must be. Not reached: "
            "n2."},
           {3, 3, 0, 1, std::string(kGoesOn1) + "."},
           {3, 3, 2, 1, std::string(kGoesOn1) + ". Not counted before it has caught up: n4, n5."},
           {3, 2, 0, 0, std::string(kStops) + ". Not reached: n3."},
           {3, 2, 1, 0,
            std::string(kStops) + ". Not reached: n3. Not counted before it has caught up: n4."},
           {3, 1, 0, 0,
            "Nothing is acknowledged: 1 of 3 voters can be reached, and 2 must be. Not reached: "
            "n2, n3."},
           {4, 4, 0, 1,
            std::string(kGoesOn1) + "; 4 voters survive no more than 3 would, add another."},
           {4, 3, 0, 0,
            std::string(kStops) +
                "; 4 voters survive no more than 3 would, add another. Not reached: n4."},
           {5, 5, 0, 2, std::string(kGoesOn2) + "."},
           {5, 4, 0, 1, std::string(kGoesOn1) + ". Not reached: n5."},
           {5, 3, 0, 0, std::string(kStops) + ". Not reached: n4, n5."},
       }) {
    const ClusterStatus status = Cluster(each.voters, each.reachable, each.learners);
    EXPECT_EQ(OneMoreLoss(status), each.sentence);
    EXPECT_EQ(FailuresSurvived(status), each.survived) << each.sentence;
  }
}

TEST(OneMoreLossTest, WithoutALeaderNothingIsAcknowledged) {
  ClusterStatus status = Cluster(3, 3);
  status.leader.clear();

  EXPECT_THAT(OneMoreLoss(status), HasSubstr("until 2 of 3 voters reach each other"));
}

TEST(OneMoreLossTest, WhoDoesNotLeadSendsToWhoDoes) {
  ClusterStatus status = Cluster(3, 1);
  status.node_name = "n2";

  EXPECT_THAT(OneMoreLoss(status), HasSubstr("Ask n1, which leads"));
  EXPECT_EQ(FailuresSurvived(status), std::nullopt);
}

TEST(OneMoreLossTest, WhoHasNoClusterLosesWhatItKeeps) {
  EXPECT_THAT(OneMoreLoss(ClusterStatus()), HasSubstr("belongs to no cluster"));
}

}  // namespace
}  // namespace wharf
