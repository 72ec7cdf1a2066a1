// Two of three machines are gone for good.

#include "replication/cluster_node/recovery.h"

#include <future>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two of three machines are gone for good.
class RecoveryTest : public ClusterNodeTest {
 protected:
  void LoseTwo() {
    FoundThree();
    PutSomewhere(all(), "acknowledged", "yes");
    ASSERT_TRUE(Eventually([this] { return Has(c_, "acknowledged", "yes"); }));
    for (Machine* machine : all()) machine->Stop();
  }
};

TEST_F(RecoveryTest, OneThatIsLeftBecomesAClusterWithAllThatItHas) {
  LoseTwo();
  const ClusterId before = c_.Recovered(false).value();

  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();

  ASSERT_TRUE(Eventually([this] { return c_.leads(); }));
  EXPECT_NE(c_.node().cluster(), before);
  EXPECT_TRUE(Has(c_, "acknowledged", "yes"));
  EXPECT_THAT(c_.Voters(), ElementsAre("c"));
  PutSomewhere({&c_}, "new", "row");
  // It goes on by what it wrote, and takes others as any cluster does.
  c_.Stop();
  c_.Start();
  Machine d("d");
  d.Start();
  ASSERT_TRUE(Eventually([this] { return c_.leads(); }));
  const Status added = c_.Add("d", d.address());
  ASSERT_TRUE(added.ok()) << added.message();
  EXPECT_TRUE(Eventually([&d] { return Has(d, "new", "row"); }));
  EXPECT_TRUE(Has(d, "acknowledged", "yes"));
}

// What it did not know to be committed may have been acknowledged by others.
TEST_F(RecoveryTest, WhatIsOnlyInTheLogIsKept) {
  FoundThree();
  Lead(c_);
  PutSomewhere(all(), "known", "yes");
  a_.Stop();
  b_.Stop();
  const auto log = c_.log();
  ASSERT_NE(log, nullptr);
  WriteBatch batch;
  batch.Put(Machine::kRows, "unknown", "kept");
  std::promise<void> ended;
  log->Append(std::move(batch), [&ended](const Result<CommitIndex>&) { ended.set_value(); });
  ended.get_future().wait();
  c_.Stop();

  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();

  EXPECT_TRUE(Has(c_, "known", "yes"));
  EXPECT_TRUE(Has(c_, "unknown", "kept"));
}

TEST_F(RecoveryTest, NodesOfTheOldClusterAreRefused) {
  LoseTwo();
  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();
  ASSERT_TRUE(Eventually([this] { return c_.leads(); }));

  a_.Start();
  b_.Start();

  ASSERT_TRUE(Eventually([this] { return a_.leads() || b_.leads(); }));
  PutSomewhere({&a_, &b_}, "of the old", "two");
  EXPECT_THAT(c_.Voters(), ElementsAre("c"));
  EXPECT_FALSE(Has(c_, "of the old", "two"));
}

TEST_F(RecoveryTest, ANodeThatIsBeingRecoveredIsNotStarted) {
  LoseTwo();
  ASSERT_TRUE(c_.BreakRecoveryOff().ok());

  EXPECT_THAT(c_.TryStart().message(), HasSubstr("wharfd recover"));

  ASSERT_TRUE(c_.Recovered(true).ok());
  c_.Start();
  EXPECT_TRUE(Has(c_, "acknowledged", "yes"));
}

TEST_F(RecoveryTest, ANodeThatRunsIsLeftAlone) {
  FoundThree();
  EXPECT_THAT(c_.Recovered(true).status().message(), HasSubstr("in use"));
  PutSomewhere(all(), "k", "v");
  EXPECT_TRUE(Eventually([this] { return Has(c_, "k", "v"); }));
}

}  // namespace
}  // namespace wharf
