#include "broker/requests/one_more_loss.h"

#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// As the leader n1 sees it.
ClusterStatus Cluster(std::size_t voters, std::size_t reachable) {
  ClusterStatus status{.cluster_id = "c1", .node_name = "n1", .leader = "n1"};
  for (std::size_t i = 0; i < voters; ++i) {
    status.members.push_back({.is_voter = true, .is_reachable = i < reachable});
  }
  return status;
}

TEST(OneMoreLossTest, ThreeThatAreThereSurviveOne) {
  const std::string sentence = OneMoreLoss(Cluster(3, 3));

  EXPECT_THAT(sentence, HasSubstr("nothing would be lost and the cluster would go on"));
  EXPECT_THAT(sentence, HasSubstr("lose 1 node at once."));
}

TEST(OneMoreLossTest, FiveThatAreThereSurviveTwo) {
  EXPECT_THAT(OneMoreLoss(Cluster(5, 5)), HasSubstr("lose 2 nodes at once."));
  EXPECT_THAT(OneMoreLoss(Cluster(5, 4)), HasSubstr("lose 1 node at once."));
}

TEST(OneMoreLossTest, TwoOfThreeLoseNothingButStop) {
  const std::string sentence = OneMoreLoss(Cluster(3, 2));

  EXPECT_THAT(sentence, HasSubstr("nothing acknowledged would be lost"));
  EXPECT_THAT(sentence, HasSubstr("nothing more would be acknowledged"));
}

TEST(OneMoreLossTest, OneOfThreeAcknowledgesNothingNow) {
  EXPECT_EQ(OneMoreLoss(Cluster(3, 1)),
            "Nothing is acknowledged: 1 of 3 voters can be reached, and 2 must be.");
}

TEST(OneMoreLossTest, OneAloneLosesEverything) {
  EXPECT_THAT(OneMoreLoss(Cluster(1, 1)), HasSubstr("everything would be lost"));
}

TEST(OneMoreLossTest, AnEvenNumberIsToldThatItIsNoBetter) {
  EXPECT_THAT(OneMoreLoss(Cluster(2, 2)), HasSubstr("2 voters survive no more than 1 would"));
  EXPECT_THAT(OneMoreLoss(Cluster(4, 4)), HasSubstr("4 voters survive no more than 3 would"));
  EXPECT_THAT(OneMoreLoss(Cluster(3, 3)), Not(HasSubstr("no more than")));
}

TEST(OneMoreLossTest, LearnersDoNotCount) {
  ClusterStatus status = Cluster(1, 1);
  status.members.push_back({.is_voter = false, .is_reachable = true});

  EXPECT_THAT(OneMoreLoss(status), HasSubstr("everything would be lost"));
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
}

TEST(OneMoreLossTest, WhoHasNoClusterLosesWhatItKeeps) {
  EXPECT_THAT(OneMoreLoss(ClusterStatus()), HasSubstr("belongs to no cluster"));
}

}  // namespace
}  // namespace wharf
