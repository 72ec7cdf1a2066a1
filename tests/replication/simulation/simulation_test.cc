// Clusters under random faults. WHARF_RAFT_SEEDS=3000 runs long, WHARF_RAFT_SEED=7 one seed,
// WHARF_RAFT_FIRST=101 begins there. WHARF_RAFT_LEDGER names a file that a line is added to
// (tools/ledger/ledger.h): without a first seed it is the one behind those that the file has, and
// SIGINT ends the run behind the seed that is under way.

#include "tests/replication/simulation/simulation.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tests/replication/shared_library.h"
#include "tools/ledger/interrupt.h"
#include "tools/ledger/ledger.h"

namespace wharf {
namespace {

// What the ledger calls them.
constexpr char kWords[] = "replication_test, simulation";

std::uint64_t NumberOf(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

class SimulationTest : public ::testing::Test {
 protected:
  // Elections lost and won are many here.
  SimulationTest() { spdlog::set_level(spdlog::level::err); }
  ~SimulationTest() override { spdlog::set_level(spdlog::level::info); }

  // What happened in all seeds together.
  struct Sum {
    std::map<std::string, int> faults;
    std::size_t batches = 0;
    std::size_t looks = 0;
    std::size_t unknown = 0;
    std::size_t leaderships = 0;
    std::size_t violations = 0;
  };

  static void RunSeed(std::uint64_t seed, Sum& sum) {
    SharedLibrary().Run([&] { RunSeedInside(seed, sum); });
  }

 private:
  static void RunSeedInside(std::uint64_t seed, Sum& sum) {
    const RaftId nodes = seed % 3 == 0 ? 5 : 3;
    Simulation simulation(seed, nodes);
    simulation.Run();
    const History& history = simulation.history();
    for (const std::string& violation : history.violations()) {
      ADD_FAILURE() << violation << "; again: WHARF_RAFT_SEED=" << seed;
    }
    sum.violations += history.violations().size();
    for (const auto& [fault, times] : simulation.faults()) sum.faults[fault] += times;
    sum.batches += history.acknowledged_batches();
    sum.looks += history.looks();
    sum.unknown += history.unknown_batches();
    sum.leaderships += history.leaderships();
    Simulation again(seed, nodes);
    again.Run();
    EXPECT_EQ(again.trace(), simulation.trace()) << "seed " << seed << " does not repeat itself";
  }
};

TEST_F(SimulationTest, NoSeedLosesWhatWasAcknowledged) {  // reliability 27, 29
  Sum sum;
  if (const std::uint64_t one = NumberOf("WHARF_RAFT_SEED", 0); one != 0) return RunSeed(one, sum);
  const auto start = std::chrono::steady_clock::now();
  const char* const path = std::getenv("WHARF_RAFT_LEDGER");
  Result<Ledger> ledger = Ledger::Open(path == nullptr ? "" : path);
  ASSERT_TRUE(ledger.ok()) << ledger.status().message();
  const std::uint64_t wanted = NumberOf("WHARF_RAFT_SEEDS", 100);
  const std::uint64_t first = NumberOf("WHARF_RAFT_FIRST", ledger->NextSeed(kWords));
  const Interrupt interrupt;

  std::uint64_t seeds = 0;
  while (seeds < wanted && !HasFailure() && !interrupt.is_asked()) RunSeed(first + seeds++, sum);

  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (path != nullptr) {
    LedgerLine line{.what = kWords, .seed = first, .seeds = seeds, .seconds = took.count()};
    line.kinds.insert(sum.faults.begin(), sum.faults.end());
    line.violations = sum.violations;
    if (HasFailure()) line.verdict = fmt::format("see WHARF_RAFT_SEED={}", first + seeds - 1);
    EXPECT_TRUE(ledger->Append(line).ok());
  }

  std::string faults;
  for (const auto& [fault, times] : sum.faults)
    faults += ", " + fault + ' ' + std::to_string(times);
  std::cout << seeds << " seeds: " << sum.leaderships << " leaderships, " << sum.batches
            << " batches acknowledged, " << sum.unknown << " unknown, " << sum.looks << " looks"
            << faults << '\n';
  EXPECT_GT(sum.leaderships, 4 * seeds);
  EXPECT_GT(sum.batches, 100 * seeds);
  EXPECT_GT(sum.looks, 20 * seeds);
  EXPECT_GT(sum.unknown, 0U);
}

// Entries that come right behind a snapshot found the state before it.
TEST_F(SimulationTest, NothingIsAppliedBetweenASnapshotAndItsState) {
  Sum sum;
  RunSeed(921, sum);
}

}  // namespace
}  // namespace wharf
