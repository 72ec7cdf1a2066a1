// BrokerLife: a whole broker from its start to its end, for clients that outlive it. What it stands
// on is up to whoever makes it: a disk that loses power, or a cluster.
#pragma once

#include "storage/store.h"
#include "tests/harness/engine_harness.h"

namespace wharf {

class BrokerLife {
 public:
  virtual ~BrokerLife() = default;
  virtual EngineHarness& engine() = 0;
  virtual const Store& store() const = 0;

  // Runs until nothing is under way and nothing is due.
  void RunUntilQuiet() {
    for (;;) {
      engine().Run();
      if (engine().shard().turns_in_flight() == 0) return;
      engine().work().RunUntil([this] { return engine().shard().turns_in_flight() == 0; });
    }
  }
};

}  // namespace wharf
