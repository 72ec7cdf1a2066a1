// Clusters under random faults, whose clients append rows (row_simulation.h); seed_runs.h tells
// how to run many seeds, or one.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tests/replication/shared_library.h"
#include "tests/replication/simulation/row_simulation.h"
#include "tests/replication/simulation/seed_runs.h"

namespace wharf {
namespace {

class SimulationTest : public ::testing::Test {
 protected:
  // Elections lost and won are many here.
  SimulationTest() { spdlog::set_level(spdlog::level::err); }
  ~SimulationTest() override { spdlog::set_level(spdlog::level::info); }

  static void RunSeed(std::uint64_t seed, SeedRuns& runs) {
    SharedLibrary().Run([&] { RunSeedInside(seed, runs); });
  }

 private:
  static void RunSeedInside(std::uint64_t seed, SeedRuns& runs) {
    const RaftId nodes = seed % 3 == 0 ? 5 : 3;
    RowSimulation simulation(seed, nodes);
    simulation.Run();
    const History& history = simulation.history();
    for (const std::string& violation : history.violations()) ADD_FAILURE() << violation;
    runs.CountFaults(simulation.cluster().faults());
    runs.Count("batches acknowledged", history.acknowledged_batches());
    runs.Count("looks", history.looks());
    runs.Count("unknown", history.unknown_batches());
    runs.Count("leaderships", history.leaderships());
    runs.Count("joined", simulation.cluster().joined());
    runs.Count("left", simulation.cluster().left());
    RowSimulation again(seed, nodes);
    again.Run();
    EXPECT_EQ(again.cluster().trace(), simulation.cluster().trace())
        << "seed " << seed << " does not repeat itself";
  }
};

TEST_F(SimulationTest, NoSeedLosesWhatWasAcknowledged) {  // reliability 27, 29, 30, 32
  SeedRuns runs("replication_test, simulation", 100);
  if (!runs.Run([&runs](std::uint64_t seed) { RunSeed(seed, runs); })) return;

  EXPECT_GT(runs.sum("leaderships"), 4 * runs.seeds());
  EXPECT_GT(runs.sum("batches acknowledged"), 100 * runs.seeds());
  EXPECT_GT(runs.sum("looks"), 20 * runs.seeds());
  EXPECT_GT(runs.sum("unknown"), 0U);
  EXPECT_GT(runs.sum("joined"), runs.seeds());
  EXPECT_GT(runs.sum("left"), runs.seeds() / 2);
}

}  // namespace
}  // namespace wharf
