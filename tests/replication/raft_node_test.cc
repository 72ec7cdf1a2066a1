#include "replication/node/raft_node.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/shared_library.h"
#include "tests/replication/test_cluster.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RaftNodeTest, WhatIsProposedIsAppliedEverywhereInItsOrder) {
  TestCluster cluster(3);
  cluster.Elect(1);
  ASSERT_THAT(cluster[1].leading, ElementsAre(1));

  cluster.Propose(1, "a");
  cluster.Propose(1, "b");
  cluster.Deliver();
  cluster.Tick(1, 1);

  for (RaftId id = 1; id <= 3; ++id) {
    EXPECT_THAT(cluster[id].state().values, ElementsAre("1:a", "1:b"));
    EXPECT_EQ(cluster[id]->leader(), 1U);
  }
}

TEST(RaftNodeTest, NothingIsAppliedBeforeAMajorityHasIt) {
  TestCluster cluster(3);
  cluster.Elect(1);

  cluster.Propose(1, "a");
  cluster.Run(1);
  EXPECT_EQ(cluster[1].log().last_index(), 2U);
  EXPECT_THAT(cluster[1].state().values, IsEmpty());

  cluster.Deliver();
  EXPECT_THAT(cluster[1].state().values, ElementsAre("1:a"));
}

// The disk of a follower stops before its sync: the leader must not hear that it has the entry.
TEST(RaftNodeTest, AFollowerThatCannotSyncDoesNotAnswer) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Kill(3);
  cluster[2].log().stops = true;

  cluster.Propose(1, "a");
  cluster.Deliver();

  EXPECT_FALSE(cluster[2].is_running());
  EXPECT_THAT(cluster[1].state().values, IsEmpty());
}

TEST(RaftNodeTest, ALeaderSendsItsEntriesBeforeItSyncs) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster[1].log().stops = true;

  cluster.Propose(1, "a");
  cluster.Deliver();

  EXPECT_FALSE(cluster[1].is_running());
  EXPECT_EQ(cluster[2].log().last_index(), 2U);
}

// R1: who has voted does not vote for another one in the same term, whatever happens between.
TEST(RaftNodeTest, AVoteIsRememberedOverAPowerCut) {
  TestCluster cluster(3);
  cluster.Cut(2, 1);
  cluster.Elect(1);
  ASSERT_EQ(cluster[2].log().hard_state().vote, 1U);

  cluster.CutPower(2);

  EXPECT_EQ(cluster[2].log().hard_state().term, 1U);
  EXPECT_EQ(cluster[2].log().hard_state().vote, 1U);
}

TEST(RaftNodeTest, ALeaderServesWhenTheFirstEntryOfItsTermIsApplied) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Propose(1, "a");
  cluster.Deliver();
  cluster[2].HoldApplier();

  cluster.CutOff(1);
  cluster.Elect(2);
  EXPECT_EQ(cluster[2]->status().role, RaftRole::kLeader);
  EXPECT_FALSE(cluster[2]->is_leading());
  EXPECT_EQ(cluster[2]->room(), 0U);
  EXPECT_FALSE(cluster[2]->Propose("too early"));

  cluster[2].ReleaseApplier();
  cluster.Deliver();
  EXPECT_TRUE(cluster[2]->is_leading());
  EXPECT_THAT(cluster[2].state().values, ElementsAre("1:a"));
}

TEST(RaftNodeTest, ALeaderThatHearsOfNobodyEnds) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.CutOff(1);

  cluster.Tick(1, 20);

  EXPECT_EQ(cluster[1].endings, 1);
  EXPECT_FALSE(cluster[1]->is_leading());
}

TEST(RaftNodeTest, ALeaderWhoseLogIsFullHasNoRoomUntilItIsNot) {
  TestCluster cluster(3);
  cluster.Elect(1);

  cluster[1].is_log_full = true;
  EXPECT_EQ(cluster[1]->room(), 0U);
  cluster.Tick(1, 20);
  cluster.Deliver();
  EXPECT_TRUE(cluster[1]->is_leading());

  cluster[1].is_log_full = false;
  EXPECT_GT(cluster[1]->room(), 0U);
}

// What it lets be lost is as what a network loses; and it hears its leader all the same.
TEST(RaftNodeTest, AFollowerWhoseLogIsFullTakesNoEntriesUntilItIsNot) {
  TestCluster cluster(3);
  cluster.Elect(1);
  const std::uint64_t before = cluster[3].log().last_index();
  cluster[3].is_log_full = true;

  for (const char* data : {"a", "b", "c"}) {
    cluster.Propose(1, data);
    for (int i = 0; i < 20; ++i) {
      for (const RaftId id : {1, 2, 3}) cluster.Tick(id, 1);
      cluster.Deliver();
    }
  }

  EXPECT_EQ(cluster[3].log().last_index(), before);
  EXPECT_EQ(cluster[3]->leader(), 1U);
  EXPECT_THAT(cluster[2].state().values, ElementsAre("1:a", "1:b", "1:c"));

  cluster[3].is_log_full = false;
  cluster.Tick(1, 2);
  cluster.Deliver();
  cluster.Tick(1, 2);
  cluster.Deliver();
  EXPECT_THAT(cluster[3].state().values, ElementsAre("1:a", "1:b", "1:c"));
  EXPECT_EQ(cluster[1].leading.size(), 1U);
}

// Where a majority is full nothing is lost, and nothing is committed.
TEST(RaftNodeTest, ALeaderCanBeginWhereLogsAreFull) {
  TestCluster cluster(3);
  for (const RaftId id : {1, 2, 3}) cluster[id].is_log_full = true;

  cluster.Elect(2);

  EXPECT_TRUE(cluster[2]->is_leading());
}

TEST(RaftNodeTest, MoreIsNotProposedThanThereIsRoomFor) {
  TestCluster cluster(3);
  cluster[1].options.proposed_bytes_max = 10;
  cluster.Kill(1);
  cluster.Start(1);
  cluster.Elect(1);
  EXPECT_EQ(cluster[1]->room(), 10U);

  cluster.Propose(1, "1234567");
  EXPECT_EQ(cluster[1]->room(), 3U);
  cluster.Propose(1, "890");
  cluster.Run(1);
  EXPECT_EQ(cluster[1]->room(), 0U);

  cluster.Deliver();
  EXPECT_EQ(cluster[1]->room(), 10U);
}

TEST(RaftNodeTest, AFollowerThatAppliesSlowlyIsNotOverrun) {
  TestCluster cluster(3);
  cluster[2].options.applying_bytes_max = 100;
  cluster.Kill(2);
  cluster.Start(2);
  cluster.Elect(1);
  cluster[2].HoldApplier();

  for (int i = 0; i < 20; ++i) {
    cluster.Propose(1, std::string(40, 'x'));
    cluster.Deliver();
  }
  cluster.Tick(1, 1);
  EXPECT_EQ(cluster[2]->committed(), 21U);
  EXPECT_LE(cluster[2].held_bytes(), 140U);

  for (int i = 0; i < 20; ++i) {
    cluster[2].ReleaseApplier();
    cluster.Deliver();
  }
  EXPECT_EQ(cluster[2].state().values.size(), 20U);
}

TEST(RaftNodeTest, ALookIsTrueWhenAMajorityHasAnsweredAfterItWasPlanned) {
  TestCluster cluster(3);
  cluster.Elect(1);

  const ReadRound first = cluster[1]->RequestRead();
  cluster.Run(1);
  const ReadRound second = cluster[1]->RequestRead();
  cluster.Run(1);
  EXPECT_EQ(second, first.Next());
  EXPECT_EQ(cluster[1].readable, std::nullopt);

  cluster.Deliver();
  EXPECT_EQ(cluster[1].readable, second);
}

TEST(RaftNodeTest, ALookWaitsUntilWhatWasCommittedIsApplied) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster[1].HoldApplier();
  cluster.Propose(1, "a");
  cluster.Deliver();

  const ReadRound round = cluster[1]->RequestRead();
  cluster.Deliver();
  EXPECT_EQ(cluster[1].readable, std::nullopt);

  cluster[1].ReleaseApplier();
  cluster.Deliver();
  EXPECT_EQ(cluster[1].readable, round);
}

// A leader that is cut off does not know it yet, and another one has been elected.
TEST(RaftNodeTest, ALookOfADeposedLeaderIsNeverTrue) {  // reliability 36
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.CutOff(1);
  cluster.Elect(2);
  cluster.Propose(2, "newer");
  cluster.Deliver();
  ASSERT_TRUE(cluster[1]->is_leading());

  cluster[1]->RequestRead();
  cluster.Tick(1, 5);
  EXPECT_EQ(cluster[1].readable, std::nullopt);

  cluster.Heal();
  cluster.Tick(2, 2);
  EXPECT_EQ(cluster[1].readable, std::nullopt);
  EXPECT_EQ(cluster[1].endings, 1);
}

// The core would, and whoever leads now would refuse it.
TEST(RaftNodeTest, ALookIsNotForwardedToAnotherLeader) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.CutOff(1);
  cluster.Elect(2);
  cluster.Heal();
  cluster[2]->Tick();
  cluster.Run(2);
  while (cluster.DeliverOne()) {
  }

  cluster[1]->RequestRead();
  cluster.Deliver();

  EXPECT_FALSE(cluster[1]->is_leading());
  EXPECT_EQ(cluster[1].readable, std::nullopt);
}

TEST(RaftNodeTest, LeadershipIsHandedOverToWhoHasEverything) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Propose(1, "a");
  cluster.Deliver();

  EXPECT_TRUE(cluster[1]->TransferLeader(3));
  EXPECT_EQ(cluster[1]->room(), 0U);
  cluster.Deliver();

  EXPECT_TRUE(cluster[3]->is_leading());
  EXPECT_FALSE(cluster[1]->is_leading());
  EXPECT_FALSE(cluster[2]->TransferLeader(2));
}

// M3: the core does not look.
TEST(RaftNodeTest, MembersDoNotChangeWhileLeadershipIsHandedOver) {
  TestCluster cluster(3);
  cluster.Elect(1);
  const MemberChange change{.kind = MemberChange::Kind::kAddLearner, .node = 4};

  ASSERT_TRUE(cluster[1]->ProposeMember(change));
  EXPECT_FALSE(cluster[1]->TransferLeader(3));
  EXPECT_FALSE(cluster[1]->ProposeMember(change));
  cluster.Run(1);
  EXPECT_FALSE(cluster[1]->TransferLeader(3));
  cluster.Deliver();

  EXPECT_TRUE(cluster[1]->TransferLeader(3));
  EXPECT_FALSE(cluster[1]->ProposeMember(change));
}

TEST(RaftNodeTest, AChangeOfMembersIsAppliedInItsPlace) {
  TestCluster cluster(3);
  cluster.Elect(1);

  cluster.Propose(1, "a");
  ASSERT_TRUE(cluster[1]->ProposeMember({.kind = MemberChange::Kind::kRemove, .node = 3}));
  cluster.Propose(1, "b");
  cluster.Deliver();

  EXPECT_THAT(cluster[2].state().values, ElementsAre("1:a", "1:b"));
  EXPECT_EQ(SharedLibrary().DecodeMembers(cluster[2].state().position.members).value(),
            (Members{.voters = {1, 2}}));
  EXPECT_EQ(cluster[1]->ProgressOf(3), std::nullopt);
}

// raft.md, C3: so nobody who votes is ever more than one change behind, as far as is known.
TEST(RaftNodeTest, WhoVotesChangesWhenNoVoterThatIsHeardIsBehind) {
  TestCluster cluster(5);
  cluster.Elect(1);
  const std::uint64_t before = cluster[1].state().position.index;
  ASSERT_TRUE(cluster[1]->ProposeMember({.kind = MemberChange::Kind::kRemove, .node = 5}));
  cluster.DeliverUntil([&] { return cluster[1].state().position.index > before; });
  ASSERT_EQ(cluster[1]->VoterBehindMembers(0), 4U);

  EXPECT_FALSE(cluster[1]->ProposeMember({.kind = MemberChange::Kind::kRemove, .node = 3}));
  EXPECT_EQ(cluster[1]->VoterBehindMembers(4), std::nullopt) << "the one that is to go";
  cluster.Deliver();
  EXPECT_EQ(cluster[1]->VoterBehindMembers(0), std::nullopt);
  EXPECT_TRUE(cluster[1]->ProposeMember({.kind = MemberChange::Kind::kRemove, .node = 3}));
}

TEST(RaftNodeTest, AVoterThatIsNotHeardKeepsNobodyFromLeaving) {
  TestCluster cluster(5);
  cluster.Elect(1);
  cluster.Kill(4);
  ASSERT_TRUE(cluster[1]->ProposeMember({.kind = MemberChange::Kind::kRemove, .node = 5}));
  cluster.Deliver();
  EXPECT_EQ(cluster[1]->VoterBehindMembers(0), 4U);
  EXPECT_TRUE(cluster[1]->ProposeMember({.kind = MemberChange::Kind::kAddLearner, .node = 6}));

  // The core asks meanwhile whom it has heard, and forgets it.
  cluster.Tick(1, cluster[1].options.core.election_ticks);
  EXPECT_EQ(cluster[1]->VoterBehindMembers(0), 4U);
  cluster.Tick(1, 1);

  EXPECT_EQ(cluster[1]->VoterBehindMembers(0), std::nullopt);
  EXPECT_TRUE(cluster[1]->ProposeMember({.kind = MemberChange::Kind::kRemove, .node = 3}));
}

TEST(RaftNodeTest, AMemberWhoseEntriesAreGoneGetsASnapshot) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Kill(3);
  for (const char* data : {"a", "b", "c"}) cluster.Propose(1, data);
  cluster.Deliver();
  ASSERT_TRUE(cluster[1]->CutLogUpTo(3).ok());
  cluster.Start(3);
  cluster.Tick(1, 2);
  EXPECT_THAT(cluster[3].state().values, IsEmpty());

  cluster[1].snapshot = {3, 1, cluster[1].state().position.members, "a and b"};
  cluster.Tick(1, 2);
  cluster[1]->OnSnapshotSent(3, true);
  cluster.Tick(1, 2);

  EXPECT_THAT(cluster[3].state().values, ElementsAre("a and b", "1:c"));
  EXPECT_EQ(cluster[3].log().start().index, 3U);
  cluster.CutPower(3);
  cluster.Start(3);
}

TEST(RaftNodeTest, TheLogIsNotCutAboveWhatIsApplied) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster[1].HoldApplier();
  cluster.Propose(1, "a");
  cluster.Deliver();

  ASSERT_TRUE(cluster[1]->CutLogUpTo(2).ok());

  EXPECT_EQ(cluster[1].log().start().index, 1U);
}

TEST(RaftNodeTest, AStartGoesOnFromLogAndState) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Propose(1, "a");
  cluster.Propose(1, "b");
  cluster.Deliver();
  cluster.Tick(1, 1);

  // The state on disk is older than the log; the commit index may be, too.
  cluster.CutPower(2);
  cluster[2].state().position.index = 2;
  cluster[2].state().values = {"1:a"};
  cluster.Start(2);
  cluster.Deliver();
  cluster.Tick(1, 2);

  EXPECT_THAT(cluster[2].state().values, ElementsAre("1:a", "1:b"));
}

TEST(RaftNodeTest, ALogThatDoesNotFitItsStateIsRefused) {
  const auto refusal = [](const LogPlace& place) {
    TestCluster cluster(1);
    cluster.Elect(1);
    for (int i = 0; i < 3; ++i) cluster.Propose(1, "a");
    cluster.Deliver();
    static_cast<void>(cluster[1]->CutLogUpTo(2));
    cluster.Kill(1);
    TestNode& node = cluster[1];
    StatePosition position = node.state().position;
    position.index = place.index;
    position.term = place.term;
    return RaftNode::Open(node.options, {SharedLibrary(), node.log(), node, node, node, node},
                          position)
        .status()
        .message();
  };

  EXPECT_EQ(refusal({3, 1}), "");
  EXPECT_THAT(refusal({5, 1}), HasSubstr("the state is at entry 5, and the log ends at 4"));
  EXPECT_THAT(refusal({1, 1}), HasSubstr("the state is at entry 1, and the log begins behind 2"));
  EXPECT_THAT(refusal({3, 2}), HasSubstr("entry 3 of term 2, and in the log it is of 1"));
}

// A leader whose log of commits had to close goes on in the same term, when nothing of before is
// under way.
TEST(RaftNodeTest, APausedLeaderBeginsAnewWhenWhatItProposedIsApplied) {
  TestCluster cluster(3);
  cluster.Elect(1);
  cluster.Propose(1, "a");

  cluster[1]->PauseLeading();
  cluster.Run(1);
  EXPECT_FALSE(cluster[1]->is_leading());
  EXPECT_EQ(cluster[1].endings, 1);

  cluster.Deliver();
  EXPECT_TRUE(cluster[1]->is_leading());
  EXPECT_THAT(cluster[1].leading, ElementsAre(1, 1));
  EXPECT_THAT(cluster[1].state().values, ElementsAre("1:a"));
}

}  // namespace
}  // namespace wharf
