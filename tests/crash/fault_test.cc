#include "tools/crash/nodes/fault.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

std::vector<FaultKind> AllKinds() {
  std::vector<FaultKind> kinds;
  for (const std::string_view name : kFaultNames) kinds.push_back(FaultNamed(name).value());
  return kinds;
}

Fault Of(FaultKind kind) { return {.kind = kind, .leader = 0, .follower = 2}; }

TEST(FaultTest, EachKindHasANameOfItsOwn) {
  const std::vector<FaultKind> kinds = AllKinds();

  EXPECT_EQ(std::set(kinds.begin(), kinds.end()).size(), kFaultNames.size());
  for (std::size_t kind = 0; kind < kFaultNames.size(); ++kind) {
    EXPECT_EQ(NameOf(kinds[kind]), kFaultNames[kind]);
  }
  EXPECT_EQ(FaultNamed("kill-nobody"), std::nullopt);
}

TEST(FaultTest, ThoseThatChangeTheMembersComeLast) {
  const std::vector<FaultKind> kinds = AllKinds();

  EXPECT_TRUE(std::is_partitioned(kinds.begin(), kinds.end(),
                                  [](FaultKind kind) { return !Of(kind).changes_members(); }));
  EXPECT_TRUE(Of(FaultKind::kReplaceLeader).changes_members());
  EXPECT_FALSE(Of(FaultKind::kCutAllPower).changes_members());
}

TEST(FaultTest, TheWorkGoesOnWhereLeadershipIsHandedOver) {
  EXPECT_TRUE(Of(FaultKind::kTransfer).keeps_serving());
  EXPECT_TRUE(Of(FaultKind::kChangeVersions).keeps_serving());
  EXPECT_FALSE(Of(FaultKind::kStopLeader).keeps_serving());
  EXPECT_FALSE(Of(FaultKind::kKillLeader).keeps_serving());
}

// Nobody may be left in doubt by them.
TEST(FaultTest, VersionsChangeInOrder) {
  for (const FaultKind kind : {FaultKind::kChangeVersions, FaultKind::kUpgradeAll}) {
    EXPECT_TRUE(Of(kind).changes_versions());
    EXPECT_TRUE(Of(kind).is_orderly());
    EXPECT_FALSE(Of(kind).changes_members());
    EXPECT_FALSE(Of(kind).kills(0));
  }
  EXPECT_FALSE(Of(FaultKind::kStopLeader).changes_versions());
}

TEST(FaultTest, ItKillsWhomItStrikes) {
  EXPECT_TRUE(Of(FaultKind::kCutAllPower).kills(1));
  EXPECT_TRUE(Of(FaultKind::kKillTwo).kills(0));
  EXPECT_FALSE(Of(FaultKind::kKillTwo).kills(1));
  EXPECT_TRUE(Of(FaultKind::kReplaceDead).kills(2));
  EXPECT_FALSE(Of(FaultKind::kHoldLeaderDisk).kills(0));
}

TEST(FaultTest, WhoCannotWriteEndsByItself) {
  EXPECT_TRUE(Of(FaultKind::kFillLeaderDisk).ends(0));
  EXPECT_TRUE(Of(FaultKind::kFillFollowerDisk).ends(2));
  EXPECT_TRUE(Of(FaultKind::kBreakLeaderDisk).ends(0));
  EXPECT_FALSE(Of(FaultKind::kBreakLeaderDisk).ends(2));
  EXPECT_FALSE(Of(FaultKind::kHoldLeaderDisk).ends(0));
}

// The time until somebody leads is counted from the blow only where somebody has to take over.
TEST(FaultTest, WhoLeadsHasNoPartInWhatStrikesAFollower) {
  EXPECT_TRUE(Of(FaultKind::kFillFollowerDisk).spares_leader());
  EXPECT_TRUE(Of(FaultKind::kPauseFollower).spares_leader());
  EXPECT_TRUE(Of(FaultKind::kSlowFollowerDisk).spares_leader());
  EXPECT_FALSE(Of(FaultKind::kSlowLeaderDisk).spares_leader());
  EXPECT_FALSE(Of(FaultKind::kFillLeaderDisk).spares_leader());
  EXPECT_FALSE(Of(FaultKind::kBridge).spares_leader());
  EXPECT_FALSE(Of(FaultKind::kCutAllPower).spares_leader());
}

TEST(FaultDeckTest, AllKindsComeBeforeOneComesAgain) {
  FaultDeck deck(AllKinds(), Dice(7));

  for (int pass = 0; pass < 3; ++pass) {
    std::set<FaultKind> drawn;
    for (std::size_t i = 0; i < kFaultNames.size(); ++i) drawn.insert(deck.Draw(3, 1).kind);
    EXPECT_EQ(drawn.size(), kFaultNames.size());
  }
}

TEST(FaultDeckTest, TheSameSeedDrawsTheSame) {
  FaultDeck one(AllKinds(), Dice(7));
  FaultDeck other(AllKinds(), Dice(7));

  for (int i = 0; i < 100; ++i) {
    const Fault first = one.Draw(5, 2);
    const Fault second = other.Draw(5, 2);
    EXPECT_EQ(first.kind, second.kind);
    EXPECT_EQ(first.follower, second.follower);
    EXPECT_EQ(first.lasts, second.lasts);
    EXPECT_NE(first.follower, first.leader);
  }
}

}  // namespace
}  // namespace wharf::crash
