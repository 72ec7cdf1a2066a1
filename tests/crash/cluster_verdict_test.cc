#include "tools/crash/nodes/cluster_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

v1::VerifyStateResponse OfThree() {
  v1::VerifyStateResponse said;
  for (const char* name : {"n1", "n2", "n3"}) said.add_members()->set_name(name);
  return said;
}

TEST(ClusterVerdictTest, ItIsOfAllWhenItCameToItsEndAndNobodyWasLeftOut) {
  EXPECT_TRUE(IsOfAll(OfThree(), 3));
  EXPECT_EQ(DifferenceIn(OfThree()), "");

  v1::VerifyStateResponse goes_on = OfThree();
  goes_on.set_under_way(true);
  EXPECT_FALSE(IsOfAll(goes_on, 3));

  v1::VerifyStateResponse broken_off = OfThree();
  broken_off.set_trouble("leadership ended");
  EXPECT_FALSE(IsOfAll(broken_off, 3));
}

TEST(ClusterVerdictTest, ANodeThatWasLeftOutOrIsNoMemberIsMissing) {
  v1::VerifyStateResponse left_out = OfThree();
  left_out.mutable_members(1)->set_trouble("it is not reached");

  EXPECT_FALSE(IsOfAll(left_out, 3));
  EXPECT_FALSE(IsOfAll(OfThree(), 4));
  EXPECT_FALSE(IsOfAll({}, 3));
}

TEST(ClusterVerdictTest, ARowThatDiffersIsNamed) {
  v1::VerifyStateResponse said = OfThree();
  v1::StateDifference& found = *said.mutable_difference();
  found.set_table("counters");
  found.set_key("a\xFF");
  found.set_index(7);
  found.add_members("n2");
  found.set_has_majority(true);

  EXPECT_EQ(DifferenceIn(said),
            "the cluster says that n2 differ from the others in the row 61ff of 'counters', as of "
            "entry 7");

  found.add_members("n3");
  found.set_has_majority(false);
  EXPECT_THAT(DifferenceIn(said), testing::HasSubstr("n2, n3 differ from each other in the row "));
}

}  // namespace
}  // namespace wharf::crash
