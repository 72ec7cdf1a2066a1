// A leader whose disk is short of space.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

bool IsShortOfDisk(Machine& asked, const std::string& name) {
  for (const MemberReport& member : asked.Report().members) {
    if (member.record.name == name) return member.is_short_of_disk;
  }
  return false;
}

// Before the disk is full: what is under way is finished, and clients are told who leads.
TEST_F(ClusterNodeTest, ALeaderWhoseDiskIsShortHandsOverToWhoHasRoom) {
  FoundThree();
  b_.free_bytes = 10;
  ASSERT_TRUE(Eventually([this] { return IsShortOfDisk(a_, "b"); }));
  EXPECT_EQ(a_.node().trouble(), "");

  a_.free_bytes = 10;

  ASSERT_TRUE(Eventually([this] { return c_.leads() && !a_.leads(); }));
  PutSomewhere({&c_}, "k", "v");
  EXPECT_TRUE(Eventually([this] { return Has(a_, "k", "v"); })) << "it follows while it can";
  EXPECT_THAT(a_.node().trouble(), HasSubstr("the disk of this node has 0 MB left"));
  EXPECT_THAT(c_.Transfer("a").message(), HasSubstr("its disk is short"));
}

// Or nobody could receive, and make room.
TEST_F(ClusterNodeTest, WhereNoDiskHasRoomSomebodyLeadsAllTheSame) {
  FoundThree();
  for (Machine* machine : all()) machine->free_bytes = 10;
  ASSERT_TRUE(Eventually([this] { return IsShortOfDisk(a_, "b") && IsShortOfDisk(a_, "c"); }));
  PutSomewhere(all(), "k", "v");
  a_.Stop();

  Machine* const next = Leader({&b_, &c_});

  ASSERT_NE(next, nullptr);
  PutSomewhere({&b_, &c_}, "and", "on");
  // One that has room again is given it.
  Machine* const other = next == &b_ ? &c_ : &b_;
  other->free_bytes = 5000;
  EXPECT_TRUE(Eventually([other] { return other->leads(); }));
}

}  // namespace
}  // namespace wharf
