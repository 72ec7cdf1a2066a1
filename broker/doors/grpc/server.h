// Server: serves clients over gRPC, with health checking and reflection. Made by the Daemon.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "absl/base/thread_annotations.h"
#include "broker/doors/common/doorway.h"
#include "broker/doors/common/gates.h"
#include "broker/doors/common/open_connections.h"
#include "broker/doors/common/vouched_callers.h"
#include "broker/doors/grpc/inner_channel.h"
#include "broker/doors/grpc/services/backups_service.h"
#include "broker/doors/grpc/services/clock_service.h"
#include "broker/doors/grpc/services/cluster_service.h"
#include "broker/doors/grpc/services/management_service.h"
#include "broker/doors/grpc/services/messaging_service.h"
#include "broker/doors/grpc/services/sessions_service.h"
#include "broker/doors/grpc/services/topics_service.h"
#include "broker/doors/grpc/services/transactions_service.h"
#include "broker/requests/lone_node.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/ticker.h"

namespace wharf {

class Server {
 public:
  // Nobody is let in yet, and there is no broker: calls would be refused. Whoever comes is counted
  // among `connections`, which outlive it and say whether one may stay (QUO-6).
  static Result<std::unique_ptr<Server>> Start(std::vector<Doorway> doorways,
                                               OpenConnections& connections);

  // Before anybody is let in: this node takes part in a cluster, or waits to. What is asked of the
  // cluster, and of its backups, is answered from now on until Stop, whoever leads; health says of
  // "", wharf.v1.Cluster and wharf.v1.Backups that the node is well, of all other services that it
  // leads. Without it the daemon runs by itself.
  void TakePart(const CallGate::Node& node);
  // Lets clients in, from now on.
  Status Listen();

  // For other doors of this daemon.
  InnerCalls& inner_calls() { return *inner_; }

  // Calls go to this broker from now on, and health says SERVING, unless it was told that the
  // broker is not well. There is no other one.
  void Open(const CallGate::Broker& broker);
  // While there is no broker here: calls and streams that come are refused for this reason from now
  // on, as PartitionNotOwned with the address of who leads now (ERR-26). Any thread; nothing
  // happens while there is one.
  void Refuse(const Status& reason);
  // Of what streams hold that their clients have not read. Any thread.
  std::uint64_t stream_bytes() const;
  // Whether health says SERVING while there is a broker. Any thread.
  void SetWell(bool is_well);
  // Ends all calls and streams in order, so that no client that reads is left in doubt: health says
  // NOT_SERVING, new calls are refused for this reason, waits end, and streams end behind the
  // answers to what they took. What has not come to its end when `grace` is over is cut off: as a
  // rule its client does not read. Returns when no call is left; the broker must answer everything
  // meanwhile, and may still tell streams that have ended.
  void Close(const Status& reason, Duration grace);
  // Closes, also what is asked of the cluster, whose control must answer everything meanwhile;
  // then, when all is quiet, no client is let in any more and connections are closed.
  void Stop(Duration grace);

 private:
  // Where clients come in.
  struct Way {
    std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
    std::unique_ptr<Listener> listener;  // It goes first, because it calls the acceptor.
  };

  explicit Server(OpenConnections& connections);

  void AddWay(grpc::ServerBuilder& builder, Doorway doorway);
  // On a listener's thread.
  void LetIn(grpc::experimental::ExternalConnectionAcceptor& acceptor, int connection);

  void LeaveCluster();
  void OpenForLoneNode(const CallGate::Broker& broker);
  void TellHealth() ABSL_EXCLUSIVE_LOCKS_REQUIRED(health_mutex_);
  // From now on; those under way are told to end.
  void RefuseCalls(const Status& reason);
  void RefuseCallsOfCluster(const Status& reason);
  // Unless there is a cluster beyond this broker.
  void RefuseCallsOfLoneNode(const Status& reason);

  OpenConnections& connections_;
  LogLimit refusals_;
  CallGate gate_;
  CallGate cluster_gate_;
  const std::unique_ptr<Clock> reads_clock_;
  ReadGate reads_;
  ReadGate cluster_reads_;
  ReadGate answers_;
  LoneNode lone_node_;
  HeldBytes::Total stream_bytes_ = 0;
  VouchedCallers vouched_;
  BackupsService backups_;
  ClockService clock_;
  ClusterService cluster_;
  ManagementService management_;
  MessagingService messaging_;
  SessionsService sessions_;
  TopicsService topics_;
  TransactionsService transactions_;
  Ticker looks_at_reads_;
  Ticker looks_at_permits_;
  // gRPC asks those with TLS for their certificates.
  std::vector<std::shared_ptr<grpc::ServerCredentials>> credentials_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<InnerChannel> inner_;
  Mutex health_mutex_;
  bool is_open_ ABSL_GUARDED_BY(health_mutex_) = false;
  bool is_well_ ABSL_GUARDED_BY(health_mutex_) = true;
  bool takes_part_ ABSL_GUARDED_BY(health_mutex_) = false;
  std::vector<Way> ways_;  // Last: they go first.
};

}  // namespace wharf
