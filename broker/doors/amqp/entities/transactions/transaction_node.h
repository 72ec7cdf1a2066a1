// TransactionNode: the transactions of one connection (TXN-15 to TXN-18): links that declare and
// discharge them, and what all links of the connection do in them.
//
// What a link does is added to the broker's transaction at once, and takes effect with its commit.
// Whatever of it cannot be added makes the transaction fail, whether its client waits for answers
// or not; so a discharge waits until all that came before it is answered. Owned by BrokerLinks, on
// the strand of the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/entities/transactions/begun_transactions.h"
#include "broker/doors/amqp/entities/transactions/control_message.h"
#include "storage/base/status.h"

namespace wharf::amqp {

// The transaction that a delivery or a settlement is in; null: none.
const TransactionalState* TransactionIn(const std::optional<DeliveryState>& state);
// Why a transaction fails of which something came by a link that had ended, or did not come whole.
Status WithoutLink();

// How work in a transaction is answered that is in it.
DeliveryState AcceptedIn(const Binary& txn_id);

class TransactionNode {
 public:
  // All outlive it. `stay`: while it lives there is a broker.
  TransactionNode(Requests& requests, std::shared_ptr<void> stay, OpenConnection& connection)
      : requests_(requests), stay_(std::move(stay)), connection_(connection) {}
  ~TransactionNode() { End(); }

  // The client attaches a control link, and is answered.
  void Attach(const EntityLinks::Granted& granted);
  bool Has(LinkId link) const { return links_.contains(link); }
  void OnDelivered(const Delivered& part);
  void Renew(LinkId link, const access::PermitPtr& permit);
  // With the link its transactions are rolled back.
  void Forget(LinkId link);
  // The connection ends.
  void End();

  // --- of links with work

  // Not ok: the client has declared no such transaction, or has discharged it.
  Status Check(const Binary& txn_id) const;
  // Adds it in the name of a link. `then` hears whether it is in it, if the connection is still
  // there then.
  using Added = std::function<void(const Status& added)>;
  void Add(const LinkWorld& world, Caller caller, const Binary& txn_id, wharf::Operation operation,
           std::size_t bytes, Added then);
  // Something that should be in it is not.
  void Fail(const Binary& txn_id, const Status& why);
  // Locks that a client has forgotten in it: if it does not commit, their deliveries have failed.
  void NoteForgotten(const Binary& txn_id, const EntityRef& entity, const TokenList& tokens);

 private:
  // Of one link that are not answered, by credit.
  static constexpr std::uint32_t kCredit = 100;
  static constexpr std::uint64_t kMessageBytesMax = 4096;
  // Of a connection.
  static constexpr std::size_t kTransactionsMax = 100;

  struct Control {
    access::PermitPtr permit;
    std::shared_ptr<BegunTransactions> begun;
    std::string message{};
    // Why it is not done: nothing more of it is kept.
    Status refused{};
    std::uint32_t unanswered = 0;
  };
  // What a client has asked for to end it.
  struct Ending {
    DeliveryId delivery;
    bool is_commit = false;
  };
  struct Transaction {
    LinkId link;
    // Then the broker has rolled it back (TXN-10).
    Connection::Instant expires_at;
    // Why it can only be rolled back.
    Status failed{};
    // Asked of the broker to be added, and not answered.
    std::uint32_t under_way = 0;
    std::optional<Ending> ending{};
  };
  using TransactionPtr = std::shared_ptr<Transaction>;

  void Collect(Control& control, const Delivered& part) const;
  // Of a whole message.
  void Handle(LinkId link, Control& control, DeliveryId delivery);
  void Declare(LinkId link, Control& control, const amqp::Declare& declare, DeliveryId delivery);
  void OnBegun(LinkId link, DeliveryId delivery, const TrackingId& tracking_id,
               const Result<TransactionRecord>& record);
  void Discharge(LinkId link, Control& control, const amqp::Discharge& discharge,
                 DeliveryId delivery);
  void OnAdded(const TransactionId& id, const TransactionPtr& transaction, const Status& added);
  // The discharge that was asked for, once nothing is under way.
  void TryEnd(const TransactionId& id, const TransactionPtr& transaction);
  template <typename Request>
  void AskToEnd(const TransactionId& id, const TransactionPtr& transaction);
  void OnEnded(const Transaction& transaction, const Status& ended, const TrackingId& tracking_id);
  // Of one that is not committed; `then` goes on when all of them have ended.
  void FailForgotten(const std::vector<ForgottenLocks>& forgotten, std::function<void()> then);
  // Whether the broker takes another one of this connection.
  Status CheckRoom();
  void Answer(LinkId link, DeliveryId delivery, DeliveryState state);
  void Refuse(LinkId link, DeliveryId delivery, const Status& why);
  void GiveCredit(LinkId link);
  TransactionPtr Find(const Binary& txn_id) const;
  LinkWorld WorldOf(LinkId link) { return {requests_, connection_, *this, link, {}}; }

  Requests& requests_;
  const std::shared_ptr<void> stay_;
  OpenConnection& connection_;
  absl::flat_hash_map<LinkId, Control> links_;
  // By the id of the broker, whose bytes are the client's.
  absl::flat_hash_map<TransactionId, TransactionPtr> transactions_;
  // Asked for, and not begun.
  std::size_t beginning_ = 0;
};

}  // namespace wharf::amqp
