#include "broker/doors/amqp/entities/broker_door.h"

#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "broker/doors/amqp/entities/receive_link.h"
#include "broker/doors/amqp/entities/send_link.h"

namespace wharf::amqp {
namespace {

// A client that asks for a part of what there is must not get all of it.
Status CheckWanted(const EntityLinks::Granted& granted) {
  if (granted.node.kind != NodeKind::kEntity) {
    return {ErrorCode::kNotImplemented, "only queues, topics and subscriptions have links yet"};
  }
  const auto& source = granted.attach.source;
  if (source.has_value() && source->filter.has_value() && !source->filter->entries.empty()) {
    return {ErrorCode::kNotImplemented, "no filter of a link is known yet"};
  }
  if (granted.attach.role == Role::kReceiver &&
      granted.attach.snd_settle_mode == SenderSettleMode::kSettled) {
    return {ErrorCode::kNotImplemented, "a link receives in peek-lock only, yet"};
  }
  return {};
}

class BrokerLinks final : public EntityLinks {
 public:
  BrokerLinks(Requests& requests, OpenConnection& connection)
      : requests_(requests), connection_(connection) {}
  ~BrokerLinks() override {
    for (const auto& [id, receiver] : receivers_) receiver->End();
  }

  void OnAttached(const Granted& granted) override {
    Link& link = *connection_.endpoint().FindLink(granted.link);
    if (const Status bad = CheckWanted(granted); !bad.ok()) {
      return link.Refuse(ErrorOn(granted.node.path, bad, NewTrackingId()));
    }
    LinkWorld world{requests_, connection_, granted.link, granted.node.path};
    if (link.role() == Role::kReceiver) {
      const auto sender = std::make_shared<SendLink>(std::move(world), granted.permit);
      senders_.emplace(granted.link, sender);
      return sender->Begin(granted.attach);
    }
    const auto receiver = std::make_shared<ReceiveLink>(std::move(world), granted.permit);
    receivers_.emplace(granted.link, receiver);
    receiver->Begin(granted.attach);
  }

  void OnRenewed(LinkId link, const access::PermitPtr& permit) override {
    if (const auto sender = senders_.find(link); sender != senders_.end()) {
      sender->second->Renew(permit);
    }
    if (const auto receiver = receivers_.find(link); receiver != receivers_.end()) {
      receiver->second->Renew(permit);
    }
  }

  void OnEvent(Event& event) override {
    if (const auto* const part = std::get_if<amqp::Delivered>(&event)) {
      const auto sender = senders_.find(part->link);
      if (sender != senders_.end()) sender->second->OnDelivered(*part);
    } else if (const auto* const credit = std::get_if<CreditGiven>(&event)) {
      const auto receiver = receivers_.find(credit->link);
      if (receiver != receivers_.end()) receiver->second->OnCredit(*credit);
    } else if (const auto* const disposed = std::get_if<Disposed>(&event)) {
      OnDisposed(*disposed);
    } else if (std::holds_alternative<MayWrite>(event)) {
      for (const auto& [id, receiver] : receivers_) receiver->Send();
    }
  }

  void OnDetached(LinkId link) override {
    senders_.erase(link);
    const auto receiver = receivers_.extract(link);
    if (!receiver.empty()) receiver.mapped()->End();
  }

 private:
  void OnDisposed(const Disposed& disposed) {
    if (disposed.role != Role::kReceiver) return;
    std::map<LinkId, std::vector<DeliveryId>> by_link;
    for (const DeliveryRef& ref : disposed.deliveries) by_link[ref.link].push_back(ref.delivery);
    for (const auto& [link, deliveries] : by_link) {
      const auto receiver = receivers_.find(link);
      if (receiver != receivers_.end()) receiver->second->OnDisposed(deliveries, disposed);
    }
  }

  Requests& requests_;
  OpenConnection& connection_;
  std::map<LinkId, std::shared_ptr<SendLink>> senders_;
  std::map<LinkId, std::shared_ptr<ReceiveLink>> receivers_;
};

}  // namespace

std::unique_ptr<EntityLinks> BrokerDoor::Serve(OpenConnection& connection) {
  return std::make_unique<BrokerLinks>(requests_, connection);
}

}  // namespace wharf::amqp
