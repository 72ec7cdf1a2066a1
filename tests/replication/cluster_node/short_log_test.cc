// A log that is cut, and nodes that lack more than it has left.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

TEST_F(ShortLogTest, TheLogIsCutAtWhatTheStateAndTheFollowersHave) {
  FoundThree();

  PutMany(all(), "row", 600);

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([machine] {
      const NodeReport report = machine->Report();
      return report.log.first_index > 1 && report.log.bytes < (300 << 10);
    })) << machine->name();
  }
  // And everything is there after a start, which has less to apply.
  a_.Stop();
  a_.Start();
  PutSomewhere(all(), "after", "it");
  EXPECT_TRUE(Eventually([this] { return Has(a_, "after", "it"); }));
  EXPECT_TRUE(HasAll(a_, "row", 600));
}

TEST_F(ShortLogTest, WhoWasAwayForLongerThanTheLogIsSentASnapshot) {
  FoundThree();
  PutMany(all(), "before", 10);
  c_.Stop();
  PutMany({&a_, &b_}, "away", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  EXPECT_TRUE(HasAll(c_, "before", 10));
  EXPECT_EQ(c_.reopened, 1);
  // It goes on by the log, and votes: with one of the others it is a majority.
  PutSomewhere(all(), "later", "on");
  EXPECT_TRUE(Eventually([this] { return Has(c_, "later", "on"); }));
  a_.Stop();
  PutSomewhere({&b_, &c_}, "without", "a");
  // And once more from its new folder.
  c_.Stop();
  c_.Start();
  EXPECT_TRUE(Eventually([this] { return Has(c_, "without", "a"); }));
  EXPECT_TRUE(HasAll(c_, "away", 600));
}

TEST_F(ShortLogTest, ASnapshotThatDoesNotFitIsRefusedAndTakenWhenThereIsRoom) {
  FoundThree();
  c_.Stop();
  PutMany({&a_, &b_}, "away", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));
  c_.free_bytes = 20 << 20;

  c_.Start();

  ASSERT_TRUE(Eventually([this] { return !c_.Report().snapshots.refusal.empty(); }));
  EXPECT_THAT(c_.Report().snapshots.refusal, HasSubstr("20 MB are free"));
  PutSomewhere({&a_, &b_}, "meanwhile", "acknowledged");
  c_.free_bytes = std::uint64_t{1} << 40;
  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  EXPECT_TRUE(Eventually([this] { return Has(c_, "meanwhile", "acknowledged"); }));
  EXPECT_EQ(c_.Report().snapshots.refusal, "");
}

TEST_F(ShortLogTest, ANewcomerIsSentASnapshotAndVotes) {
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutMany({&a_}, "row", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));

  ASSERT_TRUE(a_.Add("b", b_.address()).ok());

  EXPECT_TRUE(Eventually([this] { return HasAll(b_, "row", 600); }));
  EXPECT_TRUE(Eventually([this] { return b_.Voters().size() == 2; }));
  PutSomewhere({&a_, &b_}, "of", "two");
  EXPECT_TRUE(Eventually([this] { return Has(b_, "of", "two"); }));
}

}  // namespace
}  // namespace wharf
