// RandomRun: mixed load from a seed, and a daemon that does not survive it; then the judgement.
//
// One round is one life of the daemon: it is started, its queues are counted, everybody works, and
// at an acknowledgement that was drawn by lot it is killed, or now and then asked to end. Some
// starts are killed before they are over. At the end everything is received and completed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/history/held_locks.h"
#include "tools/crash/history/recorder.h"
#include "tools/crash/load/exchanger.h"
#include "tools/crash/load/queue_changer.h"
#include "tools/crash/load/redriver.h"
#include "tools/crash/load/worker.h"
#include "tools/crash/runs/daemon.h"
#include "tools/crash/runs/progress.h"

namespace wharf::crash {

class RandomRun {
 public:
  struct Options {
    Daemon::Options daemon;
    std::uint64_t rounds = 10;
    std::uint64_t seed = 1;
    // Every life ends when it is asked to, and under full load: eight more senders and eight more
    // receivers are at work.
    bool stops_in_order = false;
  };
  struct Counts {
    std::uint64_t kills = 0;
    std::uint64_t kills_at_start = 0;
    std::uint64_t stops = 0;
  };

  explicit RandomRun(Options options);

  // An error if it cannot go on; what the broker did wrong is in the history.
  Status Run();

  // After Run, also if it failed.
  const History& history() const { return recorder_.history(); }
  const Counts& counts() const { return counts_; }

 private:
  void MakeWorkers();
  void MakeFullLoad();
  Status Prepare(const std::string& address);
  // Until the daemon is ready, after as many starts as the dice want to see killed.
  Status Start(LifeRecord& life);
  Status KillSomeStarts();
  Status TakeStock(const std::string& address);
  Status Round();
  void Work(Life& life);
  Status End(LifeRecord& life);
  Status Drain(const std::string& address);
  Status SettleHeld(RecordedClient& client);
  Status DrainQueue(RecordedClient& client, QueueIndex queue);
  static Status DrainLane(RecordedClient& client, const Source& source);
  static Status DrainSession(RecordedClient& client, QueueIndex queue);
  static Status DrainDeferred(RecordedClient& client, QueueIndex queue);
  Status StopForGood(LifeRecord& life);

  const Options options_;
  Dice dice_;
  Recorder recorder_;
  Progress progress_;
  HeldLocks held_locks_;
  LoadQueues queues_;
  // Three of the workers.
  QueueChanger* changer_ = nullptr;
  Exchanger* exchanger_ = nullptr;
  Redriver* redriver_ = nullptr;
  std::vector<std::unique_ptr<Worker>> workers_;
  Counts counts_;
  Daemon daemon_;
};

}  // namespace wharf::crash
