// TemporaryLink: a link for which a queue or a topic is made that goes with it (JMS-7): a dynamic
// node. What else the link does is what any link to that entity does.
//
// Owned by BrokerLinks, on the strand of the connection.
#pragma once

#include <memory>
#include <string>

#include "broker/doors/amqp/entities/jms/jms_world.h"
#include "broker/doors/amqp/entities/jms/outer_link.h"
#include "broker/doors/amqp/entities/links/link_world.h"

namespace wharf::amqp {

class TemporaryLink final : public OuterLink, public std::enable_shared_from_this<TemporaryLink> {
 public:
  TemporaryLink(LinkWorld world, JmsWorld jms, access::PermitPtr permit)
      : world_(std::move(world)), jms_(std::move(jms)), permit_(std::move(permit)) {}

  void Begin(const Attach& attach);
  void Renew(const access::PermitPtr& permit) override;
  void End() override;

 private:
  void OnCreated(const Status& created);

  // Its path is that of what is made.
  LinkWorld world_;
  const JmsWorld jms_;
  access::PermitPtr permit_;
  Attach attach_;
  bool has_ended_ = false;
  Roster::PlacePtr place_;
};

}  // namespace wharf::amqp
