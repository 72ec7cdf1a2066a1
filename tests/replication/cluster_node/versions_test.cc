// Members of which one reads less than the others. Reliability 61, 62.

#include <future>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

// Reliability 61, 62: one after the other is upgraded, and until the last of them is nothing is
// written that it could not read.
TEST_F(ClusterNodeTest, AClusterWritesWhatItsOldestMemberReads) {
  c_.format_level_max = kFirstFormatLevel;
  a_.format_level_max = b_.format_level_max = kFirstFormatLevel;
  FoundThree();
  for (Machine* machine : {&a_, &b_}) {
    machine->Stop();
    machine->format_level_max = kFormatLevelMax;
    machine->Start();
  }
  PutSomewhere(all(), "written", "by both versions");
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return Has(*machine, "written", "by both versions"); }));
    EXPECT_EQ(machine->Report().format_level, kFirstFormatLevel) << machine->name();
    EXPECT_EQ(machine->Format(), "none") << machine->name();
  }
  // Back to the older version, which is still possible.
  a_.Stop();
  a_.format_level_max = kFirstFormatLevel;
  a_.Start();
  PutSomewhere(all(), "back", "and forth");
  EXPECT_TRUE(Eventually([this] { return Has(a_, "back", "and forth"); }));

  for (Machine* machine : {&a_, &c_}) {
    machine->Stop();
    machine->format_level_max = kFormatLevelMax;
    machine->Start();
  }

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return machine->Report().format_level == kFormatLevelMax; }))
        << machine->name();
    // In the same write, so who knows the level has it.
    EXPECT_EQ(machine->node().format_level(), kFormatLevelMax) << machine->name();
    EXPECT_EQ(machine->Format(), "new") << machine->name();
  }
  EXPECT_EQ(Leader(all())->Compared().sentence, "");
  ASSERT_TRUE(b_.store().Flush().ok());
  b_.Stop();
  b_.format_level_max = kFirstFormatLevel;
  EXPECT_THAT(b_.TryStart().message(), HasSubstr("reads up to level 1"));
}

TEST_F(ClusterNodeTest, AnOlderNodeIsNotInvitedIntoANewerCluster) {
  b_.format_level_max = kFirstFormatLevel;
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));
  ASSERT_TRUE(Eventually([this] { return a_.Report().format_level == kFormatLevelMax; }));

  EXPECT_THAT(a_.Add("b", b_.address()).message(), HasSubstr("level"));

  EXPECT_FALSE(b_.node().is_member());
}

TEST_F(ClusterNodeTest, NoAddressIsSetThatAnOlderMemberWouldForget) {
  for (Machine* machine : all()) machine->format_level_max = kSetAddressesFormatLevel - 1;
  FoundThree();

  AwaitAddressOf("b", "clients-of-b");

  Status set;
  EXPECT_TRUE(Eventually([&] {
    set = Leader(all())->SetAddress("b", "router:2");
    return set.code() == ErrorCode::kInvalidOperation;
  }));
  EXPECT_THAT(set.message(), HasSubstr("--advertise"));
  AwaitAddressOf("b", "clients-of-b");
}

TEST_F(ClusterNodeTest, StatesAreNotComparedWhereSomebodyCouldNotReadTheQuestion) {
  for (Machine* machine : all()) machine->format_level_max = kFirstFormatLevel;
  FoundThree();
  std::promise<Result<StateReport>> told;

  a_.node().CompareStates(ClusterNode::Comparing::kBegin,
                          [&told](Result<StateReport> r) { told.set_value(std::move(r)); });

  EXPECT_THAT(told.get_future().get().status().message(), HasSubstr("level 1 of the format"));
}

}  // namespace
}  // namespace wharf
