#include "broker/doors/amqp/entities/broker_door.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "broker/doors/amqp/entities/jms/browse_link.h"
#include "broker/doors/amqp/entities/jms/jms_sweep.h"
#include "broker/doors/amqp/entities/jms/relay_link.h"
#include "broker/doors/amqp/entities/jms/subscription_link.h"
#include "broker/doors/amqp/entities/jms/subscription_wish.h"
#include "broker/doors/amqp/entities/jms/temporary_link.h"
#include "broker/doors/amqp/entities/jms/unsubscribe_link.h"
#include "broker/doors/amqp/entities/links/receive_link.h"
#include "broker/doors/amqp/entities/links/send_link.h"
#include "broker/doors/amqp/entities/management/management_node.h"
#include "broker/doors/amqp/entities/transactions/transaction_node.h"
#include "broker/doors/amqp/jms/source_filters.h"

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

// Of a connection, or of something that goes on for itself, for as long as it has the broker.
class BrokerDoor::Ticket {
 public:
  // Counted already, with the look at whether there is a broker.
  explicit Ticket(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~Ticket() {
    MutexLock lock(state_->mutex);
    --state_->users;
    state_->changed.notify_all();
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

 private:
  const std::shared_ptr<State> state_;
};

// The links of one connection.
class BrokerDoor::BrokerLinks final : public EntityLinks {
 public:
  BrokerLinks(const BrokerDoor& door, Requests& requests, OpenConnection& connection)
      : jms_{door.roster_, std::make_shared<Ticket>(door.state_)},
        serves_jms_(door.serves_jms_),
        requests_(requests),
        connection_(connection),
        transactions_(requests, jms_.stay, connection),
        management_(requests, connection, transactions_,
                    [this](const std::string& path, const std::string& id) {
                      return SessionOf(path, id);
                    }) {}
  ~BrokerLinks() override {
    for (const auto& [id, link] : links_) link->End();
  }

  void OnAttached(const Granted& granted) override {
    LinkWorld world{requests_,    connection_,       transactions_,
                    granted.link, granted.node.path, serves_jms_};
    if (const Status bad = CheckNode(granted); !bad.ok()) {
      return world.Refuse(bad, NewTrackingId());
    }
    if (granted.node.kind == NodeKind::kCoordinator) return transactions_.Attach(granted);
    if (granted.node.kind == NodeKind::kManagement) return management_.Attach(granted);
    if (serves_jms_ && AttachForJms(granted, world)) return;
    if (granted.attach.role == Role::kSender) {
      return Begin(granted,
                   std::make_shared<SendLink>(std::move(world), granted.permit, granted.node.via));
    }
    BeginReceiving(granted, std::move(world), granted.attach);
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
    } else if (const auto* const missed = std::get_if<Missed>(&event)) {
      FailTransactionOf(missed->state);
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

  bool OnDetached(LinkId link, bool is_closed) override {
    transactions_.Forget(link);
    management_.Forget(link);
    temporary_.erase(link);
    const auto gone = links_.extract(link);
    if (gone.empty()) return false;
    const bool answers_itself = is_closed && gone.mapped()->OnClosed();
    gone.mapped()->End();
    return answers_itself;
  }

  void OnClosing() override {
    for (const auto& [id, link] : links_) link->Close();
  }

 private:
  // Of dynamic nodes that are there at a time.
  static constexpr std::size_t kTemporaryMax = 100;

  template <typename NewLink>
  void Begin(const Granted& granted, const std::shared_ptr<NewLink>& link) {
    links_.emplace(granted.link, link);
    link->Begin(granted.attach);
  }

  void BeginReceiving(const Granted& granted, LinkWorld world, const Attach& attach) {
    Result<ReceiveWish> wish = WishOf(granted.node, attach);
    if (!wish.ok()) return world.Refuse(wish.status(), NewTrackingId());
    wish->counts_rollbacks = world.serves_jms && WantsQueue(attach);
    const auto receiver =
        std::make_shared<ReceiveLink>(std::move(world), granted.permit, *std::move(wish));
    links_.emplace(granted.link, receiver);
    receiver->Begin(attach);
  }

  // False: it is nothing that only JMS has.
  bool AttachForJms(const Granted& granted, const LinkWorld& world) {
    switch (granted.node.kind) {
      case NodeKind::kRelay:
        Begin(granted, std::make_shared<RelayLink>(world));
        return true;
      case NodeKind::kTemporary:
        AttachTemporary(granted, world);
        return true;
      case NodeKind::kSubscriptionName:
        Unsubscribe(granted, world);
        return true;
      case NodeKind::kEntity:
        if (granted.attach.role == Role::kSender) return false;
        if (WantsTopic(granted.attach)) {
          Subscribe(granted, world);
        } else {
          ReceiveFromQueue(granted, world);
        }
        return true;
      default:
        return false;
    }
  }

  void AttachTemporary(const Granted& granted, const LinkWorld& world) {
    if (temporary_.size() >= kTemporaryMax) {
      return world.Refuse(
          {ErrorCode::kQuotaExceeded,
           fmt::format("a connection has at most {} temporary queues and topics", kTemporaryMax)},
          NewTrackingId());
    }
    temporary_.insert(granted.link);
    Begin(granted, std::make_shared<TemporaryLink>(world, jms_, granted.permit));
  }

  void Unsubscribe(const Granted& granted, const LinkWorld& world) {
    Result<std::string> name = UnsubscribedName(granted.attach, connection_.container_id());
    if (!name.ok()) return world.Refuse(name.status(), NewTrackingId());
    Begin(granted, std::make_shared<UnsubscribeLink>(world, jms_, *std::move(name)));
  }

  void Subscribe(const Granted& granted, const LinkWorld& world) {
    std::string unique = wharf::ToString(NewTrackingId());
    Result<SubscriptionWish> wish =
        SubscriptionOf(granted.node, granted.attach, connection_.container_id(), unique);
    if (!wish.ok()) return world.Refuse(wish.status(), NewTrackingId());
    Begin(granted,
          std::make_shared<SubscriptionLink>(world, jms_, granted.permit, *std::move(wish)));
  }

  // A message that a selector leaves would have to stay for others: that is not offered.
  void ReceiveFromQueue(const Granted& granted, const LinkWorld& world) {
    Result<jms::SourceFilters> filters = jms::FiltersOf(*granted.attach.source);
    if (filters.ok() && !filters->selector.value_or("").empty()) {
      filters = Status(ErrorCode::kNotImplemented,
                       "jms-selector: only a consumer of a topic has one; a queue, or a "
                       "subscription by its own address, has none");
    }
    if (!filters.ok()) return world.Refuse(filters.status(), NewTrackingId());
    Attach attach = granted.attach;
    attach.source->filter.reset();
    if (!filters->others.entries.empty()) attach.source->filter = std::move(filters->others);
    if (!WantsToBrowse(attach)) return BeginReceiving(granted, world, attach);
    if (attach.source->filter.has_value()) {
      return world.Refuse({ErrorCode::kNotImplemented, "a browser has no filter"}, NewTrackingId());
    }
    const auto browser = std::make_shared<BrowseLink>(world, granted.permit, browsed_pages_);
    links_.emplace(granted.link, browser);
    browser->Begin(attach);
  }

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

  // Behind the one that took the last room it begins the next time: else the first links would have
  // all of it, or one that has more to send than there is ever room for.
  void SendAll() {
    management_.SendAll();
    bool has_room = connection_.endpoint().wants_input();
    std::optional<LinkId> taker;
    const auto send = [&](auto begin, auto end) {
      for (auto at = begin; at != end; ++at) {
        at->second->Send();
        const bool had_room = std::exchange(has_room, connection_.endpoint().wants_input());
        if (had_room && !has_room) taker = at->first;
      }
    };
    const auto begin = links_.upper_bound(last_taker_);
    send(begin, links_.end());
    send(links_.begin(), begin);
    if (taker.has_value()) last_taker_ = *taker;
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

  // Its client may commit before it hears that this will never be a part of it.
  void FailTransactionOf(const std::optional<DeliveryState>& state) {
    const TransactionalState* const in = TransactionIn(state);
    if (in != nullptr) transactions_.Fail(in->txn_id, WithoutLink());
  }

  // First, so that its ticket is given back last.
  const JmsWorld jms_;
  const bool serves_jms_;
  Requests& requests_;
  OpenConnection& connection_;
  // Before all that work in them.
  TransactionNode transactions_;
  std::map<LinkId, std::shared_ptr<NodeLink>> links_;
  // Of them the one that took the last room for what is sent.
  LinkId last_taker_{};
  // Of them those that have something made for them.
  std::set<LinkId> temporary_;
  const std::shared_ptr<Walks> browsed_pages_ = std::make_shared<Walks>(BrowseLink::kPagesMax);
  // Of what is read at one go.
  std::set<LinkId> heard_;
  ManagementNode management_;
};

BrokerDoor::BrokerDoor(bool serves_jms) : serves_jms_(serves_jms) {}

void BrokerDoor::Open(Requests& requests) {
  {
    MutexLock lock(state_->mutex);
    state_->requests = &requests;
    if (!serves_jms_) return;
    ++state_->users;
  }
  roster_->ForgetLeftOver();
  SweepJms(requests, {roster_, std::make_shared<Ticket>(state_)}, [state = state_, &requests] {
    MutexLock lock(state->mutex);
    return state->requests == &requests;
  });
}

void BrokerDoor::Close() {
  MutexLock lock(state_->mutex);
  state_->requests = nullptr;
}

bool BrokerDoor::WaitUntilNone(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  MutexLock lock(state_->mutex);
  while (state_->users > 0) {
    if (state_->changed.wait_until(state_->mutex, until) == std::cv_status::timeout) {
      return state_->users == 0;
    }
  }
  return true;
}

void BrokerDoor::WaitUntilNone() {
  MutexLock lock(state_->mutex);
  while (state_->users > 0) state_->changed.wait(state_->mutex);
}

bool BrokerDoor::is_open() const {
  MutexLock lock(state_->mutex);
  return state_->requests != nullptr;
}

std::unique_ptr<EntityLinks> BrokerDoor::Serve(OpenConnection& connection) {
  Requests* requests = nullptr;
  {
    MutexLock lock(state_->mutex);
    requests = state_->requests;
    if (requests == nullptr) return nullptr;
    ++state_->users;
  }
  return std::make_unique<BrokerLinks>(*this, *requests, connection);
}

}  // namespace wharf::amqp
