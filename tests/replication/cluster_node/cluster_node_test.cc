// Three nodes of a cluster: they begin, commit, stop, and follow who leads. Reliability 30, 31, 66.

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ClusterNodeTest, AnEmptyNodeWaitsAndNeverLeads) {
  a_.Start();

  EXPECT_FALSE(a_.node().is_member());
  EXPECT_THAT(a_.Voters(), IsEmpty());
  EXPECT_THAT(a_.Add("b", "127.0.0.1:1").message(), HasSubstr("belongs to no cluster"));
}

TEST_F(ClusterNodeTest, AClusterOfOneCommitsAndGoesOnAfterARestart) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutSomewhere({&a_}, "k", "v");

  a_.Stop();
  a_.Start();

  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));
  EXPECT_TRUE(Has(a_, "k", "v"));
  EXPECT_THAT(a_.Voters(), ElementsAre("a"));
}

// Two would halve what a disk can acknowledge.
TEST_F(ClusterNodeTest, ACommitIsOneSyncOfEachNode) {
  constexpr std::uint64_t kCommits = 100;
  FoundThree();
  const auto syncs = [](Machine* machine) { return machine->node().syncs(); };
  std::vector<std::uint64_t> before;
  for (Machine* machine : all()) before.push_back(syncs(machine));

  for (std::uint64_t i = 0; i < kCommits; ++i) PutSomewhere({&a_}, "k" + std::to_string(i), "v");

  std::uint64_t all_syncs = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    Machine* const machine = all()[i];
    ASSERT_TRUE(Eventually([&] { return Has(*machine, "k99", "v"); }));
    const std::uint64_t own = syncs(machine) - before[i];
    EXPECT_LT(own, kCommits * 3 / 2) << machine->name();
    all_syncs += own;
  }
  EXPECT_GE(all_syncs, 2 * kCommits) << "each is on the disks of a majority";
}

// What the first leader acknowledged is there, and it comes back as a follower.
TEST_F(ClusterNodeTest, TheOthersGoOnWhenTheLeaderDies) {
  FoundThree();
  PutSomewhere({&a_}, "acknowledged", "yes");

  a_.Stop();
  Machine* const next = Leader({&b_, &c_});
  ASSERT_NE(next, nullptr);
  EXPECT_TRUE(Has(*next, "acknowledged", "yes"));
  PutSomewhere({&b_, &c_}, "later", "too");
  a_.Start();

  EXPECT_TRUE(Eventually([this] { return Has(a_, "later", "too"); }));
  EXPECT_TRUE(Has(a_, "acknowledged", "yes"));
}

TEST_F(ClusterNodeTest, AllOfThemStopAndGoOn) {
  FoundThree();
  PutSomewhere({&a_}, "k", "v");

  for (Machine* machine : all()) machine->Stop();
  StartAll();

  PutSomewhere(all(), "after", "all");
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return Has(*machine, "after", "all"); }));
    EXPECT_TRUE(Has(*machine, "k", "v"));
  }
}

TEST_F(ClusterNodeTest, OneOfThreeCommitsNothing) {
  FoundThree();

  b_.Stop();
  c_.Stop();

  const Result<CommitIndex> put = Put(a_, "k", "v");
  ASSERT_FALSE(put.ok());
  EXPECT_TRUE(Eventually([this] { return !a_.leads(); }));
}

TEST_F(ClusterNodeTest, LeadershipIsHandedOver) {
  FoundThree();

  Lead(b_);

  EXPECT_TRUE(Eventually([this] { return !a_.leads(); }));
  PutSomewhere(all(), "k", "v");
}

// Clients that are refused wait for it.
TEST_F(ClusterNodeTest, WhoWatchesHearsAtOnceThatAnotherOneLeads) {
  FoundThree();
  AwaitAddressOf("c", "clients-of-c");
  Mutex mutex;
  std::vector<std::string> heard;
  ClusterNode& b = b_.node();
  b.WatchLeader([&] {
    const std::optional<MemberRecord> leader = b.leader();
    MutexLock lock(mutex);
    heard.push_back(leader ? leader->client_address : "nobody");
  });

  Lead(a_);
  Lead(c_);

  EXPECT_TRUE(Eventually([&] {
    MutexLock lock(mutex);
    return !heard.empty() && heard.back() == "clients-of-c";
  }));
  b.WatchLeader({});
}

TEST_F(ClusterNodeTest, AllKnowWhoLeadsAndWhereItsClientsAsk) {
  FoundThree();

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] {
      const std::optional<MemberRecord> leader = machine->node().leader();
      return leader && leader->name == "a" && leader->client_address == "clients-of-a";
    })) << machine->name();
  }
  Lead(c_);
  EXPECT_TRUE(Eventually([&] {
    const std::optional<MemberRecord> leader = a_.node().leader();
    return leader && leader->client_address == "clients-of-c";
  }));
}

// It tells its own all the time, and may be told that its clients are to ask elsewhere: behind a
// router, for example.
TEST_F(ClusterNodeTest, AnAddressThatAnOperatorSaysStays) {
  FoundThree();
  AwaitAddressOf("a", "clients-of-a");
  AwaitAddressOf("b", "clients-of-b");

  SetAddress("a", "router:1");
  SetAddress("b", "router:2");
  Lead(c_);
  for (Machine* machine : {&a_, &b_}) {
    machine->Stop();
    machine->Start();
  }
  // What would be told again comes with the next look; this one tells another address.
  c_.Stop();
  c_.client_address = "moved-c";
  c_.Start();

  AwaitAddressOf("c", "moved-c");
  AwaitAddressOf("a", "router:1");
  AwaitAddressOf("b", "router:2");
}

TEST_F(ClusterNodeTest, ANodeThatMovesSaysSoWhateverAnOperatorSaidBefore) {
  FoundThree();
  AwaitAddressOf("b", "clients-of-b");
  SetAddress("b", "router:2");

  b_.Stop();
  b_.client_address = "moved-b";
  b_.Start();

  AwaitAddressOf("b", "moved-b");
}

TEST_F(ClusterNodeTest, AFolderIsOfOneName) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  a_.Stop();

  a_.Rename("z");

  EXPECT_FALSE(a_.TryStart().ok());
}

}  // namespace
}  // namespace wharf
