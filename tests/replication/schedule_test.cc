// Schedules of the literature, and of faults that others had, as fixed orders of events.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/test_cluster.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Figure 8 of the Raft paper: an entry of an old term that a majority has is not committed by that,
// for another leader may still overwrite it. (Debian's libraft 0.15 counts.)
TEST(RaftScheduleTest, AnEntryOfAnOldTermIsNotCommittedByCounting) {
  TestCluster cluster(5, {.message_bytes_max = 0});
  const auto leads = [&](RaftId id) {
    return [&cluster, id] { return cluster[id]->status().role == RaftRole::kLeader; };
  };
  // (a) Only node 2 gets the entry of node 1.
  cluster.Elect(1);
  for (const RaftId id : {3, 4, 5}) cluster.Cut(1, id);
  cluster.Propose(1, "of the first");
  cluster.Deliver();
  ASSERT_EQ(cluster[2].log().last_index(), 2U);

  // (b) It dies. Nodes 3 and 4 elect node 5, which dies with an entry that nobody else has.
  cluster.Kill(1);
  cluster.CutOff(2);
  cluster.BeginElection(5);
  cluster.DeliverUntil(leads(5));
  ASSERT_EQ(cluster[5].log().TermOf(2), 2U);
  cluster.Kill(5);

  // (c) Node 1 is elected again, and its old entry reaches node 3: now three of five have it.
  cluster.Start(1);
  cluster.Heal();
  cluster.CutOff(2);
  for (int i = 0; i < 2; ++i) {
    cluster.BeginElection(1);
    cluster.DeliverUntil(leads(1));
  }
  ASSERT_EQ(cluster[1]->status().role, RaftRole::kLeader);
  cluster.Cut(1, 4);
  cluster.DeliverUntil([&] { return cluster[1]->ProgressOf(3)->match == 2; });
  ASSERT_EQ(cluster[3].log().TermOf(2), 1U);
  ASSERT_EQ(cluster[2].log().TermOf(2), 1U);
  EXPECT_EQ(cluster[1]->committed(), 1U);
  EXPECT_THAT(cluster[1].state().values, IsEmpty());

  // (d) It dies before one of its own term has reached a majority: node 5 overwrites all of it.
  cluster.Kill(1);
  cluster.Heal();
  cluster.Start(5);
  cluster.Elect(5);
  ASSERT_TRUE(cluster[5]->is_leading());
  cluster.Propose(5, "of the fifth");
  cluster.Deliver();
  cluster.Start(1);
  cluster.Tick(5, 3);
  for (RaftId id = 1; id <= 5; ++id) {
    EXPECT_THAT(cluster[id].state().values, ElementsAre(HasSubstr("of the fifth")));
  }
}

// A leader whose entries nobody else has is deposed, and comes back: what it alone has goes.
TEST(RaftScheduleTest, TheTailOfADeposedLeaderIsOverwritten) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Propose(1, "kept");
  cluster.Deliver();
  cluster.CutOff(1);
  for (const char* data : {"stale 1", "stale 2", "stale 3"}) cluster.Propose(1, data);
  cluster.Deliver();
  ASSERT_EQ(cluster[1].log().last_index(), 5U);

  cluster.Elect(2);
  cluster.Propose(2, "newer");
  cluster.Deliver();
  cluster.Heal();
  cluster.Tick(2, 3);

  for (RaftId id = 1; id <= 3; ++id) {
    EXPECT_THAT(cluster[id].state().values, ElementsAre("1:kept", "2:newer"));
  }
  EXPECT_EQ(cluster[1].log().last_index(), cluster[2].log().last_index());
  EXPECT_EQ(cluster[1].log().TermOf(3), 2U);
}

// A follower must not acknowledge a log that it never compared with the leader's, because it is as
// long. (Debian's libraft 0.15 does when the leader's first message finds it so.)
TEST(RaftScheduleTest, AFollowerAcknowledgesOnlyWhatItHasCompared) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.CutOff(1);
  for (const char* data : {"stale 1", "stale 2", "stale 3"}) cluster.Propose(1, data);
  cluster.Deliver();
  // The log of the deposed one is the longer one, and the new leader writes with node 3 away.
  cluster.Elect(2);
  cluster.Kill(3);
  ASSERT_EQ(cluster[1].log().last_index(), 4U);
  ASSERT_EQ(cluster[2].log().last_index(), 2U);

  // Now only the deposed one can make a majority: with its first answer nothing may commit.
  cluster.Heal();
  cluster.Propose(2, "newer 1");
  cluster.Propose(2, "newer 2");
  cluster[2]->Tick();
  cluster.DeliverUntil([&] { return cluster[2]->committed() > 2; });
  ASSERT_EQ(cluster[2]->committed(), 4U);

  EXPECT_EQ(cluster[1].log().TermOf(3), 2U);
  EXPECT_EQ(cluster[1].log().TermOf(4), 2U);
  cluster.Tick(2, 2);
  EXPECT_THAT(cluster[1].state().values, ElementsAre("2:newer 1", "2:newer 2"));
}

// What was acknowledged by two of three is there when the third, which has none of it, is the first
// to ask for votes.
TEST(RaftScheduleTest, WhoLacksWhatIsCommittedIsNotElected) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.CutOff(3);
  cluster.Propose(1, "acknowledged");
  cluster.Deliver();
  ASSERT_THAT(cluster[1].state().values, ElementsAre("1:acknowledged"));
  cluster.Kill(1);
  cluster.Heal();

  cluster.Elect(3);
  EXPECT_NE(cluster[3]->status().role, RaftRole::kLeader);
  cluster.Elect(2);
  cluster.Tick(2, 2);

  EXPECT_THAT(cluster[3].state().values, ElementsAre("1:acknowledged"));
}

// A batch that was planned by a leader that is deposed before it proposes goes nowhere.
TEST(RaftScheduleTest, ADeposedLeaderProposesNothingInAnotherTerm) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Cut(1, 2);
  cluster.Cut(1, 3);
  cluster.Elect(2);
  // Node 1 has heard of the new term, and has not run since.
  EXPECT_FALSE(cluster[1]->Propose("planned in term 1"));

  cluster.Heal();
  cluster.Tick(2, 2);

  for (RaftId id = 1; id <= 3; ++id) EXPECT_THAT(cluster[id].state().values, IsEmpty());
}

}  // namespace
}  // namespace wharf
