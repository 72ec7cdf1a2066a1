// UnsubscribeLink: a link without a source, named after a durable subscription of JMS: it is
// answered if there is one, and its end removes that (JMS-5). A link that goes otherwise removes
// nothing.
//
// Owned by BrokerLinks, on the strand of the connection.
#pragma once

#include <memory>
#include <string>

#include "broker/doors/amqp/entities/jms/jms_world.h"
#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/entities/links/node_link.h"

namespace wharf::amqp {

class UnsubscribeLink final : public NodeLink,
                              public std::enable_shared_from_this<UnsubscribeLink> {
 public:
  // `stored_name`: of the subscription, without its topic.
  UnsubscribeLink(LinkWorld world, JmsWorld jms, std::string stored_name)
      : world_(std::move(world)), jms_(std::move(jms)), stored_name_(std::move(stored_name)) {}

  void Begin(const Attach& attach);
  bool OnClosed() override;
  void End() override;
  void Renew(const access::PermitPtr& /*permit*/) override {}

 private:
  void OnFound(const Result<std::string>& path);
  void OnRemoved(const Status& removed);

  LinkWorld world_;
  const JmsWorld jms_;
  const std::string stored_name_;
  Attach attach_;
  bool has_ended_ = false;
  access::PermitPtr permit_;
  Roster::PlacePtr place_;
};

}  // namespace wharf::amqp
