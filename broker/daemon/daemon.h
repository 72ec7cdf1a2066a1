// Daemon: the running broker, from the store up to the door: one leadership over the log of this
// machine. Made and used by main.cc on the main thread.
#pragma once

#include <functional>
#include <memory>

#include "broker/access/client_rules.h"
#include "broker/backup/backup_keeper.h"
#include "broker/config/settings.h"
#include "broker/daemon/folder/store_care.h"
#include "broker/daemon/leadership.h"
#include "broker/daemon/listening/listeners.h"
#include "broker/daemon/process/daemon_clock.h"
#include "broker/daemon/process/thread_pool.h"
#include "broker/daemon/process/watchdog.h"
#include "broker/doors/amqp/entities/amqp_door.h"
#include "broker/doors/common/guard_gate.h"
#include "broker/doors/common/health.h"
#include "broker/doors/common/open_connections.h"
#include "broker/doors/common/statistics_gate.h"
#include "broker/doors/grpc/server.h"
#include "broker/doors/http/console/console_door.h"
#include "broker/doors/http/servicebus/servicebus_door.h"
#include "broker/requests/broker_statistics.h"
#include "broker/trace/tracer.h"
#include "storage/base/ticker.h"
#include "storage/log/segment_commit_log.h"

namespace wharf {

class Daemon {
 public:
  // Outlive it.
  struct World {
    Garbage& garbage;
    CommitLog::Observer& observer;
    Health& health;
    StatisticsGate& statistics;
    GuardGate& guard;
    // Whom others vouch for.
    std::shared_ptr<const access::ClientRules> clients;
    // Whether clients must prove who they are.
    bool is_access_on = false;
    // Gets spans of messages that are followed. Null: none is.
    trace::Tracer* tracer = nullptr;
    // What is asked of the broker before a client can; an error ends the start. Null: nothing.
    std::function<Status(Requests& broker)> before_clients{};
    // Whom backups and the archive are encrypted to.
    std::optional<Recipient> backup_recipient{};
  };

  // The state has all that is in the log.
  Daemon(std::unique_ptr<RocksStore> store, std::unique_ptr<SegmentLog> log, BrokerImage image,
         DaemonClock clock, const config::Settings& settings, const World& world);
  // If it was not stopped, because something was thrown: nobody comes in any more, or looks at it.
  ~Daemon();

  // Waits until the shard has begun to work, and serves clients from now on.
  Status Start(Listeners& listeners);
  // From now on; of the settings, what a reload takes over.
  Status Take(const config::Settings& settings);

  // Calls under way end first, then the threads that read and plan, then what they planned is
  // committed, and then the store is closed. What the broker does of itself (jobs, forwarding,
  // reclaiming) is broken off between two steps; the next start goes on with it.
  void Stop(bool is_healthy);

 private:
  Status Serve(Listeners& listeners);
  // Sends all clients away, of all doors at once.
  void StopDoors();
  Status TakeClients(const config::Settings& settings);
  // There are so many rules of access. When it is made, then on the shard's thread.
  void NoteRules(std::size_t rules);
  BrokerStatistics Statistics();
  // From now on those who watch find no broker here.
  void CloseGates();

  Watchdog::World ForWatchdog();
  BackupKeeper::World ForBackups();
  SegmentCommitLog::World ForLog(CommitLog::Observer& observer);

  // In the order of their making; they go down in the opposite one.
  Health& health_;
  StatisticsGate& statistics_;
  GuardGate& guard_gate_;
  trace::Tracer* const tracer_;
  const std::function<Status(Requests& broker)> before_clients_;
  const bool is_emulator_;
  // Of rules of access: those of the start, and any.
  bool knows_rules_ = false;
  bool has_rules_ = false;
  const DaemonClock clock_;
  const Timestamp started_at_;
  StoreCare care_;
  // One works, the other lists.
  ThreadPool backup_threads_;
  // Null: nothing is archived.
  const std::shared_ptr<BatchArchive> archive_;
  BackupKeeper backups_;
  SegmentCommitLog log_;
  // Null: everybody may do everything.
  const std::unique_ptr<access::Guard> guard_;
  // Of gRPC.
  OpenConnections connections_;
  // Before the leadership, whose streams may outlive their calls.
  std::unique_ptr<Server> server_;
  // Null: AMQP is not listened for.
  std::unique_ptr<amqp::AmqpDoor> amqp_;
  // Null: Service Bus over HTTP is not listened for.
  std::unique_ptr<ServiceBusDoor> http_;
  // Null: the console is not listened for. Its calls are those of the server.
  std::unique_ptr<ConsoleDoor> console_;
  Leadership leadership_;
  Watchdog watchdog_;
  std::unique_ptr<Ticker> watches_;
  bool is_stopped_ = false;
};

}  // namespace wharf
