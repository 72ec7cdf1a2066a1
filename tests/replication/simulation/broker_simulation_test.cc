// Whole brokers on clusters under random faults: engine, log, peers, state and clients on one
// thread, under a seed that repeats what it found (seed_runs.h).
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/power/forward_power_clients.h"
#include "tests/power/power_clients.h"
#include "tests/power/session_power_clients.h"
#include "tests/power/topic_power_clients.h"
#include "tests/power/transaction_power_clients.h"
#include "tests/quiet_log.h"
#include "tests/replication/shared_library.h"
#include "tests/replication/simulation/broker_story.h"
#include "tests/replication/simulation/seed_runs.h"

namespace wharf {
namespace {

constexpr int kLeaderships = 4;

// Whether what they do leaves rows that are garbage in the end.
enum class Leaves : bool { kNothing, kGarbage };

template <typename Clients>
void RunSeeds(const std::string& clients, Leaves leaves) {
  const QuietLog quiet;
  SeedRuns runs("broker_simulation_test, " + clients, 20);
  const bool has_sums = runs.Run([&runs](std::uint64_t seed) {
    SharedLibrary().Run([&] {
      BrokerStory<Clients> story(seed, seed % 3 == 0 ? 5 : 3);
      story.Run(kLeaderships);
      runs.CountFaults(story.faults());
      runs.Count("steps of clients", story.steps());
      runs.Count("rows dropped", story.dropped_rows());
      runs.Count("leaderships that fell", story.falls());
    });
  });
  if (!has_sums) return;

  if (leaves == Leaves::kGarbage) {
    EXPECT_GT(runs.sum("rows dropped"), runs.seeds());
  }
  EXPECT_GT(runs.sum("steps of clients"), 20 * runs.seeds());
  EXPECT_GT(runs.sum("leaderships that fell"), 2 * runs.seeds());
}

// LCK-11, SND-1, SND-5, SCH-3..7, TTL-6, DEF-1..5, PRG-1, JOB-1, DUP-5, DUP-6.
// reliability 14, 15, 27, 29, 30, 31, 32, 35, 49
TEST(BrokerSimulationTest, NothingAcknowledgedIsLostWithALeader) {
  RunSeeds<PowerClients>("queue", Leaves::kGarbage);
}

// SES-6, SES-8..11, SES-24, CNT-8..10, SST-3; reliability 48.
TEST(BrokerSimulationTest, SessionsStayWithTheirHoldersOverLeaders) {
  RunSeeds<SessionPowerClients>("sessions", Leaves::kNothing);
}

// TOP-6, TOP-8, SCH-11.
TEST(BrokerSimulationTest, AMessageReachesAllItsSubscriptionsOrNone) {
  RunSeeds<TopicPowerClients>("topic", Leaves::kNothing);
}

// FWD-1, FWD-11, FWD-15, DUP-9.
TEST(BrokerSimulationTest, AMessageOnItsWayIsInOnePlace) {
  RunSeeds<ForwardPowerClients>("forwarding", Leaves::kGarbage);
}

// TXN-11, TXX-1.
TEST(BrokerSimulationTest, TransactionsEndAsTheyWereToldTo) {
  RunSeeds<TransactionPowerClients>("transactions", Leaves::kGarbage);
}

// Else a seed that found something would be of no use.
TEST(BrokerSimulationTest, ASeedRepeatsItself) {
  const QuietLog quiet;
  std::uint64_t traces[2] = {};
  for (std::uint64_t& trace : traces) {
    SharedLibrary().Run([&trace] {
      BrokerStory<SessionPowerClients> story(1, 3);
      story.Run(2);
      trace = story.trace();
    });
  }
  EXPECT_EQ(traces[0], traces[1]);
}

}  // namespace
}  // namespace wharf
