// PowerStory: clients work until the power fails, the broker starts again, and they check; many
// times.
//
// Clients have Meet(BrokerLife&), at each start; Step(), false if the broker no longer answers; and
// Check(), after a start. Used by the tests that cut the power under the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/from_environment.h"
#include "tests/power/power_life.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"

namespace wharf {

// One disk, and the broker's lives on it.
template <typename Clients>
class PowerStory {
 public:
  explicit PowerStory(std::uint64_t seed) : random_(seed), clients_(random_.Next()) {}

  // Works until the power fails, starts again, and checks.
  void CutOnce() {
    Open();
    if (::testing::Test::HasFailure()) return;
    disk().CutPowerAfter(1 + random_.Next() % 600, random_.Next());
    while (disk().has_power() && !::testing::Test::HasFailure()) {
      if (random_.Next() % 8 == 0) life_->Compact();
      const bool has_answered = clients_.Step();
      EXPECT_TRUE(has_answered || !disk().has_power()) << "the broker does not answer";
    }
    Close();
    disk().Reboot();
    Open();
    if (!::testing::Test::HasFailure()) clients_.Check();
    Close();
  }

  // In all lives.
  std::uint64_t dropped_messages() const { return dropped_messages_; }

 private:
  PowerLossDisk& disk() { return file_system_->disk(); }

  void Close() {
    dropped_messages_ += life_->dropped_messages();
    life_.reset();
  }

  void Open() {
    auto life = PowerLife::Open(file_system_, random_.Next());
    ASSERT_TRUE(life.ok()) << life.status().ToString();
    life_ = *std::move(life);
    clients_.Meet(*life_);
  }

  SeededRandom random_;
  std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  Clients clients_;
  std::unique_ptr<PowerLife> life_;
  std::uint64_t dropped_messages_ = 0;
};

// WHARF_ROUNDS cuts, from WHARF_SEED on; a failure names its seed. How many messages compactions
// dropped because they were counted out.
template <typename Clients>
std::uint64_t CutManyTimes() {
  const QuietLog quiet;
  const std::uint64_t rounds = FromEnvironment("WHARF_ROUNDS", 30);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  constexpr std::uint64_t kCutsPerDisk = 5;
  std::uint64_t dropped_messages = 0;
  const auto has_failure = [] { return ::testing::Test::HasFailure(); };
  for (std::uint64_t cut = 0, seed = first; cut < rounds && !has_failure(); ++seed) {
    const SeedNote note(fmt::format("WHARF_SEED={}", seed));
    PowerStory<Clients> story(seed);
    for (std::uint64_t i = 0; i < kCutsPerDisk && cut < rounds && !has_failure(); ++i, ++cut) {
      story.CutOnce();
    }
    dropped_messages += story.dropped_messages();
  }
  return dropped_messages;
}

}  // namespace wharf
