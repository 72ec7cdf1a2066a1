// RouteRun: messages are published, forwarded and moved in transactions, and the daemon does not
// survive it; after each start everything that lies in it is held against what was asked for.
//
// One round is one life of the daemon: it is started, everything is looked at, now and then places
// are emptied, everybody works, and at an acknowledgement that was drawn by lot it is killed. Some
// starts are killed before they are over. The first round that finds a broken promise is the last.
// At the end everything is emptied, and nothing must be left.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tools/crash/history/violation.h"
#include "tools/crash/routes/route_inspector.h"
#include "tools/crash/routes/route_ledger.h"
#include "tools/crash/routes/route_mover.h"
#include "tools/crash/routes/route_sender.h"
#include "tools/crash/routes/route_switch.h"
#include "tools/crash/routes/route_taker.h"
#include "tools/crash/runs/daemon.h"
#include "tools/crash/runs/dice.h"
#include "tools/crash/runs/progress.h"

namespace wharf::crash {

class RouteRun {
 public:
  struct Options {
    Daemon::Options daemon;
    std::uint64_t rounds = 10;
    std::uint64_t seed = 1;
  };
  struct Counts {
    std::uint64_t rounds = 0;
    std::uint64_t kills = 0;
    std::uint64_t kills_at_start = 0;
    std::uint64_t emptied = 0;  // Places.
  };

  explicit RouteRun(Options options);

  // An error if it cannot go on; names seed and round, as violations do.
  Status Run();

  // After Run, also if it failed.
  const Violations& violations() const { return violations_; }
  const Counts& counts() const { return counts_; }
  RouteLedger::Totals totals() { return ledger_.totals(); }
  // Of all movers.
  RouteMover::Counts moves() const;

 private:
  Status RunAll();
  Status Round();
  Status End();
  Status Start();
  Status KillSomeStarts();
  Status TakeStock(RouteInspector& inspector);
  Status LookAtRest(RouteInspector& inspector);
  Status EmptySome(RouteInspector& inspector);
  Status EmptyAll(RouteInspector& inspector);
  Status Empty(RouteInspector& inspector, Place place);
  Status Live();
  std::vector<std::thread> StartWorkers(RouteLife& life);
  Status WaitForEnd();
  void CollectViolations();
  std::string Name() const;

  const Options options_;
  Dice dice_;
  Progress progress_;
  RouteLedger ledger_;
  std::vector<RouteSender> senders_;
  std::vector<RouteTaker> takers_;
  std::vector<RouteSwitch> switches_;
  std::vector<RouteMover> movers_;
  Counts counts_;
  Violations violations_;
  Daemon daemon_;
};

}  // namespace wharf::crash
