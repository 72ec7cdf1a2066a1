// RandomRun: mixed load from a seed, and a daemon that does not survive it; then the judgement.
//
// One round is one life of the daemon: it is started, its queues are counted, everybody works, and
// at an acknowledgement that was drawn by lot it is killed, or now and then asked to end. Some
// starts are killed before they are over. At the end everything is received and completed.
#pragma once

#include <cstdint>
#include <functional>

#include "tools/crash/runs/daemon.h"
#include "tools/crash/runs/dice.h"
#include "tools/crash/runs/doors.h"
#include "tools/crash/runs/mixed_load.h"
#include "tools/crash/runs/standstill.h"

namespace wharf::crash {

class RandomRun {
 public:
  struct Options {
    Daemon::Options daemon;
    std::uint64_t rounds = 10;
    std::uint64_t seed = 1;
    Doors doors{};
    // Every life ends when it is asked to, and under full load: eight more senders and eight more
    // receivers are at work.
    bool stops_in_order = false;
    // Asked between two rounds: whether this was the last.
    std::function<bool()> is_asked_to_end = [] { return false; };
  };
  struct Counts {
    std::uint64_t kills = 0;
    std::uint64_t kills_at_start = 0;
    std::uint64_t stops = 0;

    std::uint64_t rounds() const { return kills + stops; }
  };

  explicit RandomRun(Options options);

  // An error if it cannot go on; what the broker did wrong is in the history.
  Status Run();

  // After Run, also if it failed.
  const History& history() const { return load_.history(); }
  const Counts& counts() const { return counts_; }

 private:
  // Until the daemon is ready, after as many starts as the dice want to see killed.
  Status Start(LifeRecord& life);
  Status KillSomeStarts();
  Status TakeStock();
  Addresses AddressesOf();
  Status Round();
  Status End(LifeRecord& life);
  Status StopForGood(LifeRecord& life);
  // Of a broker that has stopped.
  Status CheckLeftOver() const;

  const Options options_;
  Dice dice_;
  MixedLoad load_;
  Standstill standstill_;
  Counts counts_;
  Daemon daemon_;
};

}  // namespace wharf::crash
