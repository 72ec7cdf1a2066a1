#include "broker/doors/common/health.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(HealthTest, ItStartsAndIsThenWell) {
  Health health;
  EXPECT_THAT(health.findings(), SizeIs(1));
  EXPECT_EQ(health.findings().front().ailment, Ailment::kStarting);

  health.Heal(Ailment::kStarting);

  EXPECT_TRUE(health.is_well());
  EXPECT_THAT(health.findings(), IsEmpty());
}

TEST(HealthTest, OnlyAChangeIsTold) {
  Health health;
  std::vector<bool> told;
  health.SetWatch([&](bool is_well) { told.push_back(is_well); });

  health.Heal(Ailment::kStarting);
  health.Note(Ailment::kFullDisk, "1 byte is left");
  health.Note(Ailment::kFullDisk, "2 bytes are left");
  health.Note(Ailment::kSlowDisk, "it takes long");
  health.Heal(Ailment::kFullDisk);
  health.Heal(Ailment::kSlowDisk);
  health.SetWatch({});
  health.Note(Ailment::kStopping, "it stops");

  EXPECT_THAT(told, ElementsAre(false, true, false, true));
}

TEST(HealthTest, TheLastReasonIsTold) {
  Health health;
  health.Note(Ailment::kFullDisk, "1 byte is left");
  health.Note(Ailment::kFullDisk, "2 bytes are left");

  EXPECT_EQ(health.findings().back().why, "2 bytes are left");
}

TEST(HealthTest, OnlyWhatARestartHealsEndsItsLife) {
  Health health;
  for (const Ailment ailment : AllAilments()) health.Note(ailment, "why");
  EXPECT_FALSE(health.is_alive());

  health.Heal(Ailment::kHungTurn);

  EXPECT_TRUE(health.is_alive());
  EXPECT_FALSE(health.is_well());
}

TEST(HealthTest, EachAilmentHasANameOfItsOwn) {
  std::vector<std::string_view> names;
  for (const Ailment ailment : AllAilments()) names.push_back(NameOf(ailment));
  EXPECT_THAT(names, ElementsAre("starting", "stopping", "closed-log", "full-disk", "slow-disk",
                                 "hung-turn"));
}

}  // namespace
}  // namespace wharf
