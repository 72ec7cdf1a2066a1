// Who holds what, and how much one connection may hold.

#include "broker/engine/delivery/holders.h"

#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;

constexpr LaneId kLane{EntityId(1), LaneKind::kMain};
constexpr LaneId kBills{EntityId(2), LaneKind::kMain};
// More than anyone asks for.
constexpr std::size_t kPlenty = 1000000;

class HoldersTest : public ::testing::Test {
 protected:
  // Locks as many as it may while so many are left on the lane; how many that were.
  std::size_t LockAll(HolderId holder, std::size_t left) {
    const std::size_t count = holders_.Allowance(holder, left);
    holders_.NoteLocked(holder, count);
    return count;
  }

  // Connections whose locks went with their lane.
  std::vector<HolderId> ForgetAll() {
    std::vector<HolderId> connections;
    while (holders_.has_forgotten()) {
      const std::optional<HolderId> connection = holders_.ForgetNext();
      if (connection) connections.push_back(*connection);
    }
    return connections;
  }

  Holders holders_{100};
};

TEST_F(HoldersTest, AllStreamsAndCallsOfAConnectionCountTogether) {
  const HolderId stream = holders_.JoinStream("here", kLane);
  const HolderId other = holders_.JoinStream("here", kBills);
  const HolderId calls = holders_.JoinCalls("here", kBills);
  holders_.NoteLocked(stream, 60);
  holders_.NoteLocked(other, 30);

  EXPECT_EQ(holders_.Allowance(calls, kPlenty), 10U);
  EXPECT_EQ(holders_.Allowance(holders_.JoinCalls("there", kBills), kPlenty), 100U);
}

TEST_F(HoldersTest, TheCallsOfAConnectionOnALaneAreOneHolder) {
  const HolderId calls = holders_.JoinCalls("here", kLane);

  EXPECT_EQ(holders_.JoinCalls("here", kLane), calls);
  EXPECT_NE(holders_.JoinCalls("here", kBills), calls);
  EXPECT_NE(holders_.JoinCalls("there", kLane), calls);
}

TEST_F(HoldersTest, OneThatTakesEverythingLeavesAShareForOthers) {
  Holders many(kPlenty);
  const HolderId greedy = many.JoinStream("greedy", kLane);

  EXPECT_EQ(many.Allowance(greedy, 100), 90U);
  many.NoteLocked(greedy, 90);

  EXPECT_EQ(many.Allowance(greedy, 10), 0U);
  EXPECT_EQ(many.Allowance(many.JoinStream("modest", kLane), 10), 9U);
}

TEST_F(HoldersTest, TheShareIsOfOneLane) {
  Holders many(kPlenty);
  many.NoteLocked(many.JoinStream("here", kLane), 90);

  EXPECT_EQ(many.Allowance(many.JoinStream("here", kBills), 100), 90U);
}

TEST_F(HoldersTest, WhoeverHoldsNothingMayLockTheLastOne) {
  EXPECT_EQ(holders_.Allowance(holders_.JoinStream("here", kLane), 1), 1U);
  EXPECT_EQ(holders_.Allowance(holders_.JoinStream("here", kLane), 0), 0U);
}

TEST_F(HoldersTest, WhatIsFreedMayBeLockedAgain) {
  const HolderId stream = holders_.JoinStream("here", kLane);
  ASSERT_EQ(LockAll(stream, kPlenty), 100U);
  EXPECT_EQ(holders_.Refusal(stream, kPlenty).code(), ErrorCode::kQuotaExceeded);

  holders_.NoteFreed(stream);

  EXPECT_EQ(holders_.Allowance(stream, kPlenty), 1U);
}

TEST_F(HoldersTest, WhatIsFreedIsRoomForItsConnection) {
  const HolderId full = holders_.JoinStream("here", kLane);
  const HolderId other = holders_.JoinStream("here", kBills);
  const HolderId stranger = holders_.JoinStream("there", kBills);
  LockAll(full, kPlenty);

  EXPECT_EQ(holders_.NoteFreed(full), holders_.ConnectionOf(other));
  EXPECT_NE(holders_.ConnectionOf(stranger), holders_.ConnectionOf(other));
  EXPECT_EQ(holders_.NoteFreed(HolderId()), std::nullopt);
}

TEST_F(HoldersTest, AHolderThatLeftStaysAsLongAsItHoldsALock) {
  const HolderId stream = holders_.JoinStream("here", kLane);
  holders_.NoteLocked(stream, 1);

  holders_.Leave(stream);
  ASSERT_TRUE(holders_.Describe(stream, kPlenty));
  EXPECT_EQ(holders_.Describe(stream, kPlenty)->peer, "here");

  holders_.NoteFreed(stream);
  EXPECT_FALSE(holders_.Describe(stream, kPlenty));
  EXPECT_EQ(holders_.size(), 0U);
}

TEST_F(HoldersTest, CallsThatFoundNothingLeaveNothingBehind) {
  holders_.Leave(holders_.JoinCalls("here", kLane));

  EXPECT_EQ(holders_.size(), 0U);
}

TEST_F(HoldersTest, TheLocksOfALaneThatIsGoneAreNobodysBurden) {
  const HolderId gone = holders_.JoinStream("here", kLane);
  const HolderId waiting = holders_.JoinStream("here", kBills);
  LockAll(gone, kPlenty);
  holders_.Leave(gone);

  holders_.Forget(kLane);
  EXPECT_THAT(ForgetAll(), ElementsAre(holders_.ConnectionOf(waiting)));

  EXPECT_EQ(holders_.Allowance(waiting, kPlenty), 100U);
  EXPECT_EQ(holders_.size(), 1U);
}

// An entity that is fenced comes back under its name.
TEST_F(HoldersTest, WhatIsLockedOnALaneThatCameBackStays) {
  const HolderId before = holders_.JoinCalls("here", kLane);
  holders_.NoteLocked(before, 60);
  holders_.Forget(kLane);

  const HolderId calls = holders_.JoinCalls("here", kLane);
  const HolderId stream = holders_.JoinStream("here", kLane);
  holders_.NoteLocked(calls, 10);
  holders_.NoteLocked(stream, 10);
  EXPECT_EQ(holders_.Allowance(stream, kPlenty), 20U);
  holders_.Leave(before);
  ForgetAll();

  EXPECT_EQ(holders_.Allowance(stream, kPlenty), 80U);
  EXPECT_FALSE(holders_.Describe(before, kPlenty));
  EXPECT_TRUE(holders_.NoteFreed(calls));
  EXPECT_TRUE(holders_.NoteFreed(stream));
}

TEST_F(HoldersTest, OneThatIsAttachedWhenItsLaneIsForgottenStaysUntilItLeaves) {
  const HolderId stream = holders_.JoinStream("here", kLane);
  LockAll(stream, kPlenty);
  holders_.Forget(kLane);
  ForgetAll();
  EXPECT_EQ(holders_.size(), 1U);

  holders_.Leave(stream);
  EXPECT_EQ(holders_.size(), 0U);
}

TEST_F(HoldersTest, ItIsToldWhoHoldsAndWhetherItMayHoldMore) {
  const HolderId stream = holders_.JoinStream("here", kLane);
  const HolderId calls = holders_.JoinCalls("there", kLane);
  LockAll(stream, kPlenty);

  EXPECT_EQ(holders_.Describe(stream, kPlenty)->kind, HolderKind::kStream);
  EXPECT_TRUE(holders_.Describe(stream, kPlenty)->is_at_limit);
  EXPECT_EQ(holders_.Describe(calls, kPlenty)->kind, HolderKind::kCall);
  EXPECT_FALSE(holders_.Describe(calls, kPlenty)->is_at_limit);
  EXPECT_FALSE(holders_.Describe(HolderId(), kPlenty));
}

}  // namespace
}  // namespace wharf
