// Random operations from a seed, on the broker and on the model; they must agree about everything.
//
//   model_test                     a few seeds, every second over a store that drops garbage
//   WHARF_MODEL_SEEDS=500 model_test --gtest_filter='*ManySeeds*'
//   WHARF_MODEL_SEED=77 model_test --gtest_filter='*OneSeed*'
//   WHARF_MODEL_DISK_SEEDS=100 model_test --gtest_filter='*OnADisk*'     of these over RocksDB

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/model/model_run.h"
#include "tests/engine/model/session_model_run.h"
#include "tests/engine/world/world_run.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

constexpr int kSteps = 400;

// The rules that every step relies on: SEQ-1, SEQ-2, SEQ-5, SEQ-7, SEQ-8, STA-1, STA-2, LCK-2,
// LCK-3, LCK-6, LCK-11, STL-7, STL-10, CNT-2..4, CNT-7, CNT-12, MAX-2..5, DLQ-7, DLQ-9, PEEK-1..3,
// RTP-1..3, RTP-11, TTL-1..3, TTL-6..9, TTL-11, TTL-14, TTL-15, SCH-3..7, SCX-1, DEF-1..5, DFX-1,
// STA-4, CNT-6, RTY-1..4, RTY-6, ONE-1, BDL-1, BDL-4, BDL-6, BRW-1, PRG-1, RDR-1, DUP-3..6, DUP-8,
// DUP-12, DUP-13, RCP-1. With levels or partitions: PRI-1, PRI-2, PAR-1..5.
//
// With sessions, also partitioned: SES-2..13, SES-16..20, SES-22, CNT-8, CNT-9, DEF-7, RTY-5,
// TTS-1..7, SST-2, SST-3, SST-5, SST-7, SLS-1..3, SLS-5, PEEK-8, DLQ-6.
//
// With several entities, and several requests under way: SND-1, TOP-1, TOP-2, TOP-8, RUL-1..6,
// RUL-8, RUL-10, RUL-13, RUL-16, COR-3, COR-4, SQL-12, SQL-17, SQL-18, ACT-1, ACT-2, FWD-1, FWD-2,
// FWD-7, FWD-9..14, FWD-18, SEQ-6, SEQ-9, CNT-14, TTL-12, TTL-16, TTL-17, SCH-11, SCH-13, DUP-9,
// DUP-10, TXN-1, TXN-10..13, TXN-21, TXX-1, JOB-1, RDR-1..3, PRG-1, PRG-2, STA-5.
template <typename Run>
void RunSeed(std::uint64_t seed, bool is_on_disk = false) {
  const SeedNote note(fmt::format(
      "seed {}: WHARF_MODEL_SEED={} model_test --gtest_filter='*OneSeed*'", seed, seed));
  Run run(seed, is_on_disk);
  for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) run.Step();
  if (!::testing::Test::HasFailure()) run.CheckAccounts();
}

// Rows in small files, compactions by lot: of the seeds of before, those that drop garbage.
template <typename Run>
void RunOnDisk() {
  const std::uint64_t seeds = FromEnvironment("WHARF_MODEL_DISK_SEEDS", 3);
  for (std::uint64_t seed = 2; seed <= seeds * 2 && !::testing::Test::HasFailure(); seed += 2) {
    RunSeed<Run>(seed, /*is_on_disk=*/true);
  }
}

template <typename Run>
void RunManySeeds() {
  const std::uint64_t seeds = FromEnvironment("WHARF_MODEL_SEEDS", 60);
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    RunSeed<Run>(seed);
  }
}

TEST(ModelTest, TheBrokerAgreesWithTheModelForManySeeds) { RunManySeeds<ModelRun>(); }

TEST(ModelTest, TheBrokerAgreesWithTheModelForOneSeed) {
  RunSeed<ModelRun>(FromEnvironment("WHARF_MODEL_SEED", 1));
}

TEST(ModelTest, TheBrokerAgreesWithTheModelOnADisk) { RunOnDisk<ModelRun>(); }

TEST(SessionModelTest, TheBrokerAgreesWithTheModelForManySeeds) { RunManySeeds<SessionModelRun>(); }

TEST(SessionModelTest, TheBrokerAgreesWithTheModelForOneSeed) {
  RunSeed<SessionModelRun>(FromEnvironment("WHARF_MODEL_SEED", 1));
}

TEST(SessionModelTest, TheBrokerAgreesWithTheModelOnADisk) { RunOnDisk<SessionModelRun>(); }

TEST(WorldModelTest, TheBrokerAgreesWithTheModelForManySeeds) { RunManySeeds<WorldRun>(); }

TEST(WorldModelTest, TheBrokerAgreesWithTheModelForOneSeed) {
  RunSeed<WorldRun>(FromEnvironment("WHARF_MODEL_SEED", 1));
}

TEST(WorldModelTest, TheBrokerAgreesWithTheModelOnADisk) { RunOnDisk<WorldRun>(); }

}  // namespace
}  // namespace wharf
