// Nodes on which a flush does not end: what a start would have to apply has a bound.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/node/raft_node.h"
#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

class FullLogTest : public ShortLogTest {
 protected:
  static constexpr std::uint64_t kReplayed = 256 << 10;

  FullLogTest() {
    for (Machine* machine : all()) {
      machine->log_bound.replayed_bytes_max = kReplayed;
      machine->log_bound.kept_bytes_max = 64 << 20;  // Nobody needs a snapshot.
    }
  }
  // Of what it keeps, one segment may be there from before.
  static bool IsBounded(Machine& machine) {
    return machine.Report().log.bytes <= kReplayed + 2 * machine.segment_bytes;
  }
};

TEST_F(FullLogTest, AFollowerTakesNoMoreThanAStartMayApply) {
  FoundThree();
  Lead(a_);
  c_.flushes->Hold();

  PutMany(all(), "row", 900);

  EXPECT_TRUE(c_.flushes->has_held());
  EXPECT_TRUE(IsBounded(c_)) << c_.Report().log.bytes;
  EXPECT_TRUE(Eventually([this] { return HasAll(b_, "row", 900); }));
  c_.flushes->Release();
  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 900); }));
}

// Its parts are in no flush before the last one is there.
TEST_F(FullLogTest, ABatchThatIsLargerThanTheBoundComesAllTheSame) {
  FoundThree();

  // More than is proposed before something of it is committed.
  PutSomewhere(all(), "large", std::string(2 * RaftNode::Options().proposed_bytes_max, 'x'));

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([machine] { return machine->Row("large").has_value(); }))
        << machine->name();
  }
}

// It proposes nothing, and clients wait no longer than until another one leads.
TEST_F(FullLogTest, ALeaderHandsOver) {
  FoundThree();
  Lead(a_);
  a_.flushes->Hold();

  PutMany(all(), "row", 900);

  EXPECT_FALSE(a_.leads());
  EXPECT_TRUE(IsBounded(a_)) << a_.Report().log.bytes;
  EXPECT_THAT(a_.node().trouble(), HasSubstr("the disk of this node has not answered for"));
  a_.flushes->Release();
  EXPECT_TRUE(Eventually([this] { return a_.node().trouble().empty(); }));
  EXPECT_TRUE(Eventually([this] { return HasAll(a_, "row", 900); }));
}

}  // namespace
}  // namespace wharf
