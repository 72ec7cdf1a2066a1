// RelayLink: a link by which a JMS producer without a destination sends: each message goes to the
// queue or topic that its `to` names, by the right to send there.
//
// Messages of at most 1 MiB. Owned by BrokerLinks, on the strand of the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/entities/links/node_link.h"

namespace wharf::amqp {

class RelayLink final : public NodeLink, public std::enable_shared_from_this<RelayLink> {
 public:
  explicit RelayLink(LinkWorld world) : world_(std::move(world)) {}
  ~RelayLink() override { GiveBackPartial(); }

  void Begin(const Attach& attach);
  void OnDelivered(const Delivered& part) override;
  void End() override;
  // What each message needs is proven for it.
  void Renew(const access::PermitPtr& /*permit*/) override {}

 private:
  static constexpr std::uint32_t kCredit = 1000;

  void Collect(const Delivered& part);
  void Handle(const Delivered& part);
  Result<Message> Read(const Delivered& part) const;
  void SendTo(const Delivered& part, const std::string& to, Message message);
  void Reject(const Delivered& part, const Status& why);
  void OnSent(DeliveryId delivery, const LinkWorld& to, const TrackingId& tracking_id,
              const Status& failed, DeliveryState outcome);
  void GiveBackPartial();
  void GiveCredit();

  const LinkWorld world_;
  std::string message_;
  std::optional<Binary> txn_id_;
  // Why what is coming will not be sent.
  Status refused_;
  bool has_ended_ = false;
  std::uint32_t unanswered_ = 0;
};

}  // namespace wharf::amqp
