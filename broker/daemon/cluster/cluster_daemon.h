// ClusterDaemon: the running broker of a node that belongs to a cluster, or waits to: the doors,
// the store, the node, and a leadership for as long as this node leads.
//
// The node's thread says when that is, or who watches that thread where it hangs; leaderships begin
// and end on a thread of their own, one after the other. Between them the doors say who leads. Made
// and used by main.cc on the main thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "broker/backup/backup_keeper.h"
#include "broker/config/settings.h"
#include "broker/daemon/cluster/cluster_desk.h"
#include "broker/daemon/cluster/node_access.h"
#include "broker/daemon/folder/store_care.h"
#include "broker/daemon/leadership.h"
#include "broker/daemon/listening/client_relay.h"
#include "broker/daemon/listening/listeners.h"
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
#include "broker/trace/tracer.h"
#include "replication/cluster_node/cluster_node.h"
#include "storage/base/broker_clock.h"
#include "storage/base/mutex.h"
#include "storage/base/ticker.h"

namespace wharf {

class ClusterDaemon final : private RaftThread::Leaderships {
 public:
  // Outlive it.
  struct World {
    Garbage& garbage;
    Health& health;
    StatisticsGate& statistics;
    GuardGate& guard;
    // Gets spans of messages that are followed. Null: none is.
    trace::Tracer* tracer = nullptr;
    // The node can do nothing any more: the process ends for this reason. Any thread.
    std::function<void(Status)> fail;
    // The folder is to be opened anew. Any thread.
    std::function<void()> reopen;
    // The store is that of a broker of a single node, which may found a cluster.
    bool is_single = false;
    // Why the state of the node is lost, and the store stands in for it; empty: it is there.
    std::string lost{};
    // Whom backups and the archive are encrypted to.
    std::optional<Recipient> backup_recipient{};
  };

  ClusterDaemon(std::unique_ptr<RocksStore> store, const config::Settings& settings,
                ClusterNode::Options node, NodeAccess::Options access, const World& world);
  // If it was not stopped, because something was thrown: nobody comes in any more.
  ~ClusterDaemon() override;

  // Takes part in the cluster, or waits, and serves clients from now on.
  Status Start(Listeners& listeners);
  // From now on; of the settings, what a reload takes over.
  Status Take(const config::Settings& settings);
  // Calls under way end first, then a leadership that goes on, then the node.
  void Stop(bool is_healthy);

 private:
  // The log of a time of leading, and broker time of then, which the log asks for as long as it is.
  struct LeadingLog;
  using LeadingLogPtr = std::shared_ptr<LeadingLog>;
  struct Reign {
    LeadingLogPtr leading;
    std::unique_ptr<Leadership> leadership;
    // Null: nobody has to prove anything.
    access::Guard* guard;
  };

  // --- RaftThread::Leaderships ---
  std::shared_ptr<RaftCommitLog> OnLeading(std::uint64_t term, CommitIndex last,
                                           std::function<void()> wake) override;
  void OnLeadingEnded() override;
  void OnHanging(const RaftCommitLog& log) override;
  void OnFailed(const Status& status) override { world_.fail(status); }

  // Null: it does not lead.
  void LeadBy(LeadingLogPtr leading);
  // --- on the thread of the leaderships ---
  void Run();
  // Waits until this node leads by another log, or by none; false: stop.
  bool Next(LeadingLogPtr& leading);
  void BeginReign(LeadingLogPtr leading);
  void BeginServing();
  // Of one that could not begin.
  void GiveUp(LeadingLog& leading, const Status& why);
  void EndReign();

  Status StartNode();
  // Why nobody is served here, and who serves.
  Status Elsewhere() const;
  // To the doors, which say it while this node does not lead. Any thread.
  void TellElsewhere();
  BrokerClock::GoesOnFrom TimeToGoOnFrom() const;
  // Null: of a node that does not lead.
  BrokerStatistics Statistics(const Reign* reign);
  // For who watches: whether clients are served here, and how the node takes part.
  void TellPart();
  void BeginWatches();
  Watchdog::World ForWatchdog();
  BackupKeeper::World ForBackups();
  // Or why there is nothing to make a backup of.
  Result<BackupKeeper::Owner> OwnerOfBackups() const;
  void CloseGates();
  void HandOver();

  // In the order of their making; they go down in the opposite one.
  const World world_;
  const Timestamp started_at_;
  const std::unique_ptr<Clock> wall_;
  StoreCare care_;
  NodeAccess access_;
  OpenConnections connections_;
  const ClusterNode::Options node_options_;
  // Null: nothing is archived.
  const std::shared_ptr<BatchArchive> archive_;
  std::unique_ptr<ClusterNode> node_;
  // One works, the other lists.
  ThreadPool backup_threads_;
  BackupKeeper backups_;
  std::unique_ptr<ClusterDesk> desk_;
  std::unique_ptr<Server> server_;
  // Null: AMQP is not listened for. While this node does not lead clients are brought to who does.
  std::unique_ptr<amqp::AmqpDoor> amqp_;
  // The same of Service Bus over HTTP.
  std::unique_ptr<ServiceBusDoor> http_;
  // The same of the console, whose calls are those of the server.
  std::unique_ptr<ConsoleDoor> console_;
  ClientRelay relay_;

  Mutex mutex_;
  std::condition_variable_any wake_;
  config::Settings settings_ ABSL_GUARDED_BY(mutex_);
  // What this node leads by, as was said last.
  LeadingLogPtr leads_by_ ABSL_GUARDED_BY(mutex_);
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Of the leadership that there is; null: there is none.
  Leadership* serving_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // Whoever tells last knows most.
  Mutex part_mutex_;
  Mutex elsewhere_mutex_;

  std::optional<Reign> reign_;  // Of the thread of the leaderships.
  Watchdog watchdog_;
  std::unique_ptr<Ticker> certificate_looks_;
  std::unique_ptr<Ticker> watches_;
  std::unique_ptr<Ticker> cluster_looks_;
  std::thread thread_;
  bool is_stopped_ = false;
};

}  // namespace wharf
