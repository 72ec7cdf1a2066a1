// Client: the way to one broker, of one node or of several; makes senders and receivers, holds the
// management, the topics, the clock, the sessions, the transactions, the cluster and the backups,
// and carries single calls.
//
// The first thing an application makes. Any thread may call. Senders and receivers may outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/backups.h"
#include "tools/client/clock.h"
#include "tools/client/cluster.h"
#include "tools/client/endpoints.h"
#include "tools/client/management.h"
#include "tools/client/receiver.h"
#include "tools/client/sender.h"
#include "tools/client/sessions.h"
#include "tools/client/target.h"
#include "tools/client/topics.h"
#include "tools/client/transactions.h"
#include "wharf/v1/messaging.grpc.pb.h"

namespace wharf::client {

struct ClientOptions {
  // A TCP connection of its own, instead of one shared by all clients of this address in the
  // process.
  bool has_own_connection = false;
  // How long a single call may take, beyond what it waits for messages.
  Duration timeout = std::chrono::seconds(60);
  // How long a call looks for who leads, among several addresses or from a node that names another
  // one: an election takes about a second. Within `timeout`.
  Duration leader_patience = kLeaderPatience;
};

class Client {
 public:
  explicit Client(Target target, ClientOptions options = {});

  // Whether the broker can be reached: ServiceCommunicationProblem, and nothing was done, if not.
  // Where connections are refused it waits three seconds at most: a broker may just be starting.
  // Of several addresses one must say that it leads.
  Status Connect(Duration patience);
  // The same, but whether it leads does not matter: for what is asked of the cluster.
  Status ConnectToAny(Duration patience);

  Management& management() { return management_; }
  Topics& topics() { return topics_; }
  Clock& clock() { return clock_; }
  Sessions& sessions() { return sessions_; }
  Transactions& transactions() { return transactions_; }
  Cluster& cluster() { return cluster_; }
  Backups& backups() { return backups_; }
  // With `on_returned` messages come back that the broker did not take because it stops.
  std::unique_ptr<Sender> CreateSender(const std::string& entity_path, SenderOptions options = {},
                                       Sender::ReturnedCallback on_returned = nullptr);
  // With `on_messages`, messages go to this callback; without, they are taken by Receiver::Receive.
  // `on_sessions` hears of the sessions that the receiver accepts.
  std::unique_ptr<Receiver> CreateReceiver(const std::string& entity_path,
                                           Receiver::Options options = {},
                                           Receiver::MessagesCallback on_messages = nullptr,
                                           Receiver::SessionCallbacks on_sessions = {});

  // Single calls, each waiting for its answer.
  // kAlsoIfUnknown, for a queue that detects duplicates, holds if all messages have ids.
  Result<v1::SendResponse> Send(const v1::SendRequest& request, Repeat repeat = Repeat::kIfNotDone);
  Result<v1::ReceiveResponse> Receive(const v1::ReceiveRequest& request);
  Result<v1::SettleResponse> Settle(const v1::SettleRequest& request);
  // With `timeout` the answer must come in this time.
  Result<v1::RenewLockResponse> RenewLock(const v1::RenewLockRequest& request,
                                          std::optional<Duration> timeout = std::nullopt);
  Result<v1::PeekResponse> Peek(const v1::PeekRequest& request);
  // One piece.
  Result<v1::PeekBodyResponse> PeekBody(const v1::PeekBodyRequest& request);
  // One page.
  Result<v1::TraceMessageResponse> TraceMessage(const v1::TraceMessageRequest& request);
  Result<v1::ReceiveResponse> ReceiveDeferred(const v1::ReceiveDeferredRequest& request);
  Result<v1::UndeferMessagesResponse> UndeferMessages(const v1::UndeferMessagesRequest& request);
  Result<v1::ReceiveResponse> ReceiveBySequenceNumber(
      const v1::ReceiveBySequenceNumberRequest& request);
  Result<v1::SettleBySequenceNumberResponse> SettleBySequenceNumber(
      const v1::SettleBySequenceNumberRequest& request);
  // One page.
  Result<v1::ExportBySequenceNumberResponse> ExportBySequenceNumber(
      const v1::ExportBySequenceNumberRequest& request);
  Result<v1::DeleteMessagesResponse> DeleteMessages(const v1::DeleteMessagesRequest& request);
  Result<v1::CancelScheduledMessagesResponse> CancelScheduledMessages(
      const v1::CancelScheduledMessagesRequest& request);
  Result<v1::RescheduleMessagesResponse> RescheduleMessages(
      const v1::RescheduleMessagesRequest& request);
  Result<v1::ActivateScheduledMessagesResponse> ActivateScheduledMessages(
      const v1::ActivateScheduledMessagesRequest& request);
  Result<v1::ListScheduledMessagesResponse> ListScheduledMessages(
      const v1::ListScheduledMessagesRequest& request);

 private:
  const ClientOptions options_;
  const std::shared_ptr<Endpoints> endpoints_;
  Management management_;
  Topics topics_;
  Clock clock_;
  Sessions sessions_;
  Transactions transactions_;
  Cluster cluster_;
  Backups backups_;
};

}  // namespace wharf::client
