// SimReign: the broker of a simulated node for as long as it leads: made of the state that it has
// then, as a daemon does.
//
// When the node leads no more, or is killed, all that was asked hears so, and nothing that is asked
// of it is answered. Clients wait for nothing but time: while they do, the cluster goes on.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "storage/apply/caught_up_store.h"
#include "tests/harness/broker_life.h"
#include "tests/harness/restless_limits.h"
#include "tests/replication/simulation/sim_node.h"

namespace wharf {

class SimReign final : public BrokerLife {
 public:
  // The node leads. `meanwhile`: a step of the cluster.
  SimReign(SimNode& node, std::uint64_t seed, std::function<void()> meanwhile)
      : node_(node),
        leading_(node.leading()),
        store_(node.store(), [&node, life = node.life()] { return node.CatchUp(life); }),
        random_(seed),
        engine_(OptionsOf(seed, std::move(meanwhile)), store_, leading_->log) {}
  // What is under way hears so; the node begins to lead anew, if it leads.
  ~SimReign() override {
    leading_->log.Close({ErrorCode::kServiceCommunicationProblem, "the broker ends"});
    engine_.work().RunUntil([this] { return engine_.shard().turns_in_flight() == 0; });
    engine_.work().RunAll();
  }

  // Whether it still leads, as far as it knows.
  bool is_over() const { return !node_.is_leading() || node_.leading() != leading_; }

  EngineHarness& engine() override { return engine_; }
  const Store& store() const override { return store_; }

 private:
  EngineHarness::Options OptionsOf(std::uint64_t seed, std::function<void()> meanwhile) {
    EngineHarness::Options options{.seed = seed, .limits = RestlessLimits(random_)};
    options.clock = &leading_->clock;
    options.meanwhile = std::move(meanwhile);
    return options;
  }

  SimNode& node_;
  const std::shared_ptr<SimLeading> leading_;
  const CaughtUpStore store_;
  SeededRandom random_;
  EngineHarness engine_;
};

}  // namespace wharf
