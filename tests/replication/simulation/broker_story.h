// BrokerStory: clients work with the broker of whoever leads a simulated cluster, until he leads no
// more; then the network heals, and with the next one they check what they know; many times.
//
// Clients are those of the power tests: Meet(BrokerLife&), at each start; Step(), false if the
// broker no longer answers; and Check(), after a start.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/tables.h"
#include "tests/replication/simulation/broker_keeper.h"
#include "tests/replication/simulation/sim_cluster.h"
#include "tests/replication/simulation/sim_reign.h"

namespace wharf {

template <typename Clients>
class BrokerStory {
 public:
  BrokerStory(std::uint64_t seed, RaftId nodes)
      : cluster_({.seed = seed,
                  .nodes = nodes,
                  .founding = Founding(seed % 2 == 0),
                  .sizes = kSizes,
                  .pause_max = kFaultPauseMax}),
        clients_(seed) {
    cluster_.Start();
  }
  ~BrokerStory() { reign_.reset(); }

  // So many leaderships, each until it falls, or has lasted long.
  void Run(int leaderships) {
    for (int i = 0; i < leaderships && !HasFailure(); ++i) {
      Meet();
      if (!HasFailure()) clients_.Check();
      if (!HasFailure()) Work();
    }
    Meet();
    if (!HasFailure()) clients_.Check();
    End();
  }

  const std::map<std::string, int>& faults() const { return cluster_.faults(); }
  std::uint64_t trace() const { return cluster_.trace(); }
  std::uint64_t steps() const { return steps_; }
  // On all nodes.
  std::size_t dropped_rows() const {
    std::size_t dropped = 0;
    for (const auto& node : cluster_.nodes()) dropped += node->store().dropped_rows();
    return dropped;
  }
  // Leaderships that did not end by the will of the test.
  std::uint64_t falls() const { return falls_; }

 private:
  // Larger than those of rows, as batches are.
  static constexpr SimNode::Sizes kSizes{.entry_max = 1500,
                                         .message_max = 3000,
                                         .ready_max = 5000,
                                         .proposed_max = 10000,
                                         .applying_max = 4000};
  // Clients come to something meanwhile.
  static constexpr SimCluster::Time kFaultPauseMax = 1000;
  // An election, and who has to step down for it.
  static constexpr SimCluster::Time kSettleTime = 600;
  static constexpr SimCluster::Time kLeadershipMax = 6000;
  // Nobody waits longer for an answer, whatever happens.
  static constexpr SimCluster::Time kAnswerMax = 20000;

  // On some clusters rows that are garbage go; on the others all states are the same at each entry.
  static SimFounding Founding(bool drops_garbage) {
    SimFounding founding{BrokerTables(), BrokerAppliedIndex(), EncodeFormat()};
    if (drops_garbage) founding.make_keeper = [] { return std::make_unique<BrokerKeeper>(); };
    return founding;
  }

  bool HasFailure() const {
    return ::testing::Test::HasFailure() || !cluster_.history().violations().empty();
  }

  // With the one that leads when everything is calm.
  void Meet() {
    cluster_.Heal();
    reign_.reset();
    cluster_.RunFor(kSettleTime);
    SimNode* const leader = cluster_.Leader();
    ASSERT_NE(leader, nullptr) << "nobody leads a cluster without faults";
    reign_ = std::make_unique<SimReign>(*leader, cluster_.Chance(UINT32_MAX), [this] { WaitOn(); });
    clients_.Meet(*reign_);
  }

  void Work() {
    cluster_.BeginFaults();
    const SimCluster::Time end = cluster_.now() + kLeadershipMax;
    while (!reign_->is_over() && cluster_.now() < end && !HasFailure()) {
      clients_.Step();
      ++steps_;
      progress_at_ = cluster_.now();
      cluster_.RunFor(cluster_.Chance(20));
    }
    falls_ += reign_->is_over() ? 1 : 0;
    EXPECT_EQ(reign_->engine().wrong_turns(), "");
  }

  void WaitOn() {
    if (cluster_.now() > progress_at_ + kAnswerMax) throw std::runtime_error("no answer comes");
    cluster_.RunOne();
  }

  // What is garbage by time a node knows when it hears of a commit, and not from its state.
  void End() {
    if (!HasFailure()) {
      EXPECT_TRUE(reign_->engine().CreateQueue({.name = "the-end"}).ok());
    }
    reign_.reset();
    cluster_.Heal();
    cluster_.RunFor(kSettleTime);
    cluster_.CheckEqual();
    for (const std::string& violation : cluster_.history().violations()) {
      ADD_FAILURE() << violation;
    }
  }

  SimCluster cluster_;
  Clients clients_;
  std::unique_ptr<SimReign> reign_;
  SimCluster::Time progress_at_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t falls_ = 0;
};

}  // namespace wharf
