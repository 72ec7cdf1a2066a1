// Daemon: the running broker, from the store up to the door. Made and used by main.cc on the main
// thread.
#pragma once

#include <memory>

#include "broker/daemon/daemon_clock.h"
#include "broker/daemon/options.h"
#include "broker/daemon/thread_pool.h"
#include "broker/doors/grpc/listener.h"
#include "broker/doors/grpc/server.h"
#include "broker/engine/manual_alarm.h"
#include "broker/engine/requests/pipeline.h"
#include "broker/engine/shard.h"
#include "broker/engine/shard_thread.h"
#include "broker/reading/readers.h"
#include "broker/reading/upkeep.h"
#include "broker/requests/broker_statistics.h"
#include "broker/requests/clock_control.h"
#include "storage/base/random.h"
#include "storage/base/ticker.h"
#include "storage/disk/disk_gate.h"
#include "storage/disk/disk_reserve.h"
#include "storage/disk/disk_space.h"
#include "storage/disk/space_keeper.h"
#include "storage/log/local_commit_log.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

class Daemon {
 public:
  // `garbage` and `observer` outlive it.
  Daemon(std::unique_ptr<RocksStore> store, BrokerImage image, DaemonClock clock, Garbage& garbage,
         const DaemonOptions& options, CommitLog::Observer& observer);

  // Waits until the shard has begun to work.
  Status Start();
  // Serves clients from now on.
  Status Serve(std::unique_ptr<Listener> listener);

  // Calls under way end first, then the threads that read and plan, then what they planned is
  // committed, and then the store is closed. What the broker does of itself (jobs, forwarding,
  // reclaiming) is broken off between two steps; the next start goes on with it.
  void Stop(bool is_healthy);

 private:
  void AwaitCommit();
  Alarm& alarm();
  BrokerStatistics Statistics() const;

  // In the order of their making; they go down in the opposite one.
  SystemRandom random_;
  const DaemonClock clock_;
  const Timestamp started_at_;
  std::unique_ptr<RocksStore> store_;
  const FolderDisk disk_;
  DiskReserve reserve_;
  DiskGate gate_;
  std::unique_ptr<ShardThread> thread_;
  ManualAlarm manual_alarm_;
  // What somebody waits for; what nobody waits for; what may take minutes.
  ThreadPool awaited_reads_;
  ThreadPool background_reads_;
  ThreadPool lazy_;
  // Of one thread: callers hear there of what is committed.
  ThreadPool publisher_;
  const Readers readers_;
  SpaceKeeper keeper_;
  Upkeep upkeep_;
  std::unique_ptr<LocalCommitLog> log_;
  Shard shard_;
  std::unique_ptr<Requests> requests_;
  ClockControl clock_control_;
  std::unique_ptr<Ticker> looks_;  // At the disk.
  std::unique_ptr<Server> server_;
};

}  // namespace wharf
