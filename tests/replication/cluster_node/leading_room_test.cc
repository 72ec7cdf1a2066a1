#include "replication/cluster_node/leading_room.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr RaftId kOther = 2;
constexpr Duration kTick = std::chrono::milliseconds(250);

TEST(LeadingRoomTest, WhoseDiskDoesNotAnswerIsShortUntilItDoes) {
  LeadingRoom room(0, {});
  room.Look(LeadingRoom::kAnswerMax - kTick, Duration(0));
  EXPECT_FALSE(room.is_short());
  EXPECT_EQ(room.trouble(), "");

  room.Look(LeadingRoom::kAnswerMax + kTick, kTick);
  EXPECT_TRUE(room.is_short());
  EXPECT_EQ(room.trouble(),
            "the disk of this node has not answered for 2.2 s: it leads only where no other one "
            "can");

  // It may be as slow again a moment later.
  room.Look(kTick, 2 * kTick);
  EXPECT_TRUE(room.is_short());
  room.Look(kTick, kTick + LeadingRoom::kSilentFor);
  EXPECT_FALSE(room.is_short());
  EXPECT_EQ(room.trouble(), "");
}

// What nodes say comes a moment after they have: leadership must not go to one in between.
TEST(LeadingRoomTest, WhoHasJustComeIsNotKnownToHaveRoom) {
  LeadingRoom room(0, {});
  EXPECT_FALSE(room.IsKnownToHaveRoom(kOther, Duration(0)));

  room.NoteThere({kOther}, Duration(0));
  EXPECT_FALSE(room.IsKnownToHaveRoom(kOther, kTick));
  room.NoteThere({kOther}, LeadingRoom::kSilentFor);

  EXPECT_TRUE(room.IsKnownToHaveRoom(kOther, LeadingRoom::kSilentFor));
}

TEST(LeadingRoomTest, WhoComesBackMustBeSilentAgain) {
  LeadingRoom room(0, {});
  room.NoteThere({kOther}, Duration(0));
  room.NoteThere({}, LeadingRoom::kSilentFor);
  room.NoteThere({kOther}, LeadingRoom::kSilentFor + kTick);

  EXPECT_FALSE(room.IsKnownToHaveRoom(kOther, LeadingRoom::kSilentFor + 2 * kTick));
}

TEST(LeadingRoomTest, WhoSaysThatItsDiskIsShortIsBelievedForAWhile) {
  LeadingRoom room(0, {});
  room.NoteThere({kOther}, Duration(0));
  const Duration said = LeadingRoom::kSilentFor;
  room.NoteShort(kOther, said);

  EXPECT_FALSE(room.IsKnownToHaveRoom(kOther, said + LeadingRoom::kHeardFor));
  EXPECT_TRUE(room.IsKnownToHaveRoom(kOther, said + LeadingRoom::kHeardFor + kTick));
}

}  // namespace
}  // namespace wharf
