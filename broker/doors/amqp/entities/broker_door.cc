#include "broker/doors/amqp/entities/broker_door.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broker/doors/amqp/entities/management_node.h"
#include "broker/doors/amqp/entities/receive_link.h"
#include "broker/doors/amqp/entities/send_link.h"
#include "broker/doors/amqp/entities/transaction_node.h"

namespace wharf::amqp {
namespace {

Status CheckNode(const EntityLinks::Granted& granted) {
  const bool sends = granted.attach.role == Role::kSender;
  if (sends && granted.node.kind == NodeKind::kTransferDeadLetter) {
    return {ErrorCode::kInvalidOperation, "nobody sends to a transfer dead-letter queue"};
  }
  return {};
}

}  // namespace

// Of a connection, for as long as it has the broker.
class BrokerDoor::Ticket {
 public:
  explicit Ticket(BrokerDoor& door) : door_(door) {}
  ~Ticket() {
    MutexLock lock(door_.mutex_);
    --door_.served_;
    door_.changed_.notify_all();
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

 private:
  BrokerDoor& door_;
};

// The links of one connection.
class BrokerDoor::BrokerLinks final : public EntityLinks {
 public:
  BrokerLinks(BrokerDoor& door, Requests& requests, OpenConnection& connection)
      : ticket_(door),
        requests_(requests),
        connection_(connection),
        transactions_(requests, connection),
        management_(requests, connection, transactions_,
                    [this](const std::string& path, const std::string& id) {
                      return SessionOf(path, id);
                    }) {}
  ~BrokerLinks() override {
    for (const auto& [id, link] : links_) link->End();
  }

  void OnAttached(const Granted& granted) override {
    LinkWorld world{requests_, connection_, transactions_, granted.link, granted.node.path};
    if (const Status bad = CheckNode(granted); !bad.ok()) {
      return world.Refuse(bad, NewTrackingId());
    }
    if (granted.node.kind == NodeKind::kCoordinator) return transactions_.Attach(granted);
    if (granted.node.kind == NodeKind::kManagement) return management_.Attach(granted);
    if (granted.attach.role == Role::kSender) {
      const auto sender =
          std::make_shared<SendLink>(std::move(world), granted.permit, granted.node.via);
      links_.emplace(granted.link, sender);
      return sender->Begin(granted.attach);
    }
    Result<ReceiveWish> wish = WishOf(granted.node, granted.attach);
    if (!wish.ok()) return world.Refuse(wish.status(), NewTrackingId());
    const auto receiver =
        std::make_shared<ReceiveLink>(std::move(world), granted.permit, *std::move(wish));
    links_.emplace(granted.link, receiver);
    receiver->Begin(granted.attach);
  }

  void OnRenewed(LinkId link, const access::PermitPtr& permit) override {
    transactions_.Renew(link, permit);
    management_.Renew(link, permit);
    if (NodeLink* const there = Find(link)) there->Renew(permit);
  }

  void OnEvent(Event& event) override {
    if (const auto* const part = std::get_if<amqp::Delivered>(&event)) {
      if (transactions_.Has(part->link)) return transactions_.OnDelivered(*part);
      if (management_.Has(part->link)) return management_.OnDelivered(*part);
      if (NodeLink* const link = Find(part->link)) link->OnDelivered(*part);
      heard_.insert(part->link);
    } else if (const auto* const credit = std::get_if<CreditGiven>(&event)) {
      if (management_.Has(credit->link)) return management_.OnCredit(*credit);
      if (NodeLink* const link = Find(credit->link)) link->OnCredit(*credit);
    } else if (const auto* const disposed = std::get_if<Disposed>(&event)) {
      OnDisposed(*disposed);
    } else if (std::holds_alternative<MayWrite>(event)) {
      SendAll();
    }
  }

  void OnHeard() override {
    for (const LinkId heard : std::exchange(heard_, {})) {
      if (NodeLink* const link = Find(heard)) link->OnHeard();
    }
  }

  void OnWritten() override {
    for (const auto& [id, link] : links_) link->OnWritten();
  }

  void OnDetached(LinkId link) override {
    transactions_.Forget(link);
    management_.Forget(link);
    const auto gone = links_.extract(link);
    if (!gone.empty()) gone.mapped()->End();
  }

  void OnClosing() override {
    for (const auto& [id, link] : links_) link->Close();
  }

 private:
  NodeLink* Find(LinkId link) const {
    const auto found = links_.find(link);
    return found == links_.end() ? nullptr : found->second.get();
  }

  const AcceptedSession* SessionOf(const std::string& path, const std::string& id) const {
    const std::optional<LaneId> lane = requests_.Find(path).lane;
    if (!lane.has_value()) return nullptr;
    for (const auto& [link, node] : links_) {
      const AcceptedSession* const session = node->SessionOf(*lane);
      if (session != nullptr && session->id == id) return session;
    }
    return nullptr;
  }

  void SendAll() {
    management_.SendAll();
    for (const auto& [id, link] : links_) link->Send();
  }

  void OnDisposed(const Disposed& disposed) {
    if (disposed.role != Role::kReceiver) return;
    std::map<LinkId, std::vector<DeliveryId>> by_link;
    for (const DeliveryRef& ref : disposed.deliveries) by_link[ref.link].push_back(ref.delivery);
    for (const auto& [link, deliveries] : by_link) {
      if (NodeLink* const there = Find(link)) there->OnDisposed(deliveries, disposed);
      heard_.insert(link);
    }
  }

  const Ticket ticket_;  // First, so that it is given back last.
  Requests& requests_;
  OpenConnection& connection_;
  // Before all that work in them.
  TransactionNode transactions_;
  std::map<LinkId, std::shared_ptr<NodeLink>> links_;
  // Of what is read at one go.
  std::set<LinkId> heard_;
  ManagementNode management_;
};

void BrokerDoor::Open(Requests& requests) {
  MutexLock lock(mutex_);
  requests_ = &requests;
}

void BrokerDoor::Close() {
  MutexLock lock(mutex_);
  requests_ = nullptr;
}

bool BrokerDoor::WaitUntilNone(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (served_ > 0) {
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) return served_ == 0;
  }
  return true;
}

void BrokerDoor::WaitUntilNone() {
  MutexLock lock(mutex_);
  while (served_ > 0) changed_.wait(mutex_);
}

bool BrokerDoor::is_open() const {
  MutexLock lock(mutex_);
  return requests_ != nullptr;
}

std::unique_ptr<EntityLinks> BrokerDoor::Serve(OpenConnection& connection) {
  MutexLock lock(mutex_);
  if (requests_ == nullptr) return nullptr;
  ++served_;
  return std::make_unique<BrokerLinks>(*this, *requests_, connection);
}

}  // namespace wharf::amqp
