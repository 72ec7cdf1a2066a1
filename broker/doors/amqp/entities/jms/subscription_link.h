// SubscriptionLink: a link by which a JMS consumer receives from a topic: from a subscription that
// is there, or is made (JMS-3 to JMS-6).
//
//   a place of the Roster -> is it there, with this selector? -> is made, or made anew ->
//   ReceiveLink
//
// Whoever makes one, or changes its selector, needs the right to manage it; the right to listen to
// its topic is enough to use it. Owned by BrokerLinks, on the strand of the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/doors/amqp/entities/jms/jms_world.h"
#include "broker/doors/amqp/entities/jms/outer_link.h"
#include "broker/doors/amqp/entities/jms/subscription_wish.h"
#include "broker/doors/amqp/entities/links/link_world.h"

namespace wharf::amqp {

class SubscriptionLink final : public OuterLink,
                               public std::enable_shared_from_this<SubscriptionLink> {
 public:
  SubscriptionLink(LinkWorld world, JmsWorld jms, access::PermitPtr permit, SubscriptionWish wish)
      : world_(std::move(world)),
        jms_(std::move(jms)),
        permit_(std::move(permit)),
        wish_(std::move(wish)) {}

  void Begin(const Attach& attach);
  void Renew(const access::PermitPtr& permit) override;
  void End() override;

 private:
  // Somebody else may make or remove it by another door meanwhile: then it is looked at again.
  static constexpr int kLooksMax = 3;

  void OnPlace(const Result<Roster::PlacePtr>& place);
  void Look();
  // As what is there is spelled.
  void OnSpelled(const std::string& path);
  void OnRules(const Result<RulePage>& rules);
  // What is there is not what is wanted.
  void Replace();
  // A durable one of the name might be of another topic.
  void LookElsewhere();
  void OnFound(const Result<std::string>& path);
  void Create();
  void Receive();
  // How many messages a consumer that shares with others asks for at a time.
  static std::function<std::uint64_t()> TurnOf(std::weak_ptr<const Roster::Place> place);
  void Refuse(const Status& why);
  // With the right to manage it.
  template <typename Request, typename Then>
  void AskAsManager(Request request, Then then);

  const LinkWorld world_;
  const JmsWorld jms_;
  access::PermitPtr permit_;
  const SubscriptionWish wish_;
  Attach attach_;
  // Of when it waits for its place.
  Roster::TurnPtr turn_;
  std::optional<HeldBytes> wait_;
  Roster::PlacePtr place_;
  int looks_ = 0;
  bool has_ended_ = false;
};

}  // namespace wharf::amqp
