#include "broker/doors/amqp/entities/jms/subscription_link.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "broker/core/entities/names.h"
#include "broker/doors/amqp/entities/jms/topic_walk.h"
#include "broker/doors/amqp/entities/links/receive_link.h"
#include "broker/doors/amqp/jms/source_filters.h"
#include "broker/doors/amqp/jms/subscription_name.h"
#include "broker/requests/rights_for.h"

namespace wharf::amqp {
namespace {

// Consumers that share a subscription ask for so many messages at a time at most; where many do,
// for so many together, as long as that is enough for each to have some on their way.
constexpr std::uint64_t kTurnMax = 16;
constexpr std::uint64_t kTurnsTogether = 512;
constexpr std::uint64_t kTurnMin = 4;

}  // namespace

void SubscriptionLink::Begin(const Attach& attach) {
  attach_ = attach;
  attach_.source->filter = jms::WithoutNoLocal(attach_.source->filter);
  const Roster::Use use = wish_.is_shared ? Roster::Use::kShared : Roster::Use::kAlone;
  // It holds as much as a question does, however long it waits.
  wait_.emplace(world_.connection.unanswered_bytes(), kAskedBytesMin);
  turn_ = jms_.roster->Enter(world_.requests, jms_.stay, wish_.path, use,
                             [self = shared_from_this(), post = world_.connection.poster()](
                                 const Result<Roster::PlacePtr>& place) {
                               post([self, place] { self->OnPlace(place); });
                             });
}

void SubscriptionLink::OnPlace(const Result<Roster::PlacePtr>& place) {
  if (has_ended_) return;
  wait_.reset();
  if (!place.ok()) return Refuse(place.status());
  place_ = *place;
  Look();
}

// One that goes with its consumers and is there before the first of them was left over.
void SubscriptionLink::Look() {
  if (++looks_ > kLooksMax) {
    return Refuse({ErrorCode::kServiceBusy, "the subscription is changed again and again"});
  }
  if (!world_.requests.Find(wish_.path).lane.has_value()) {
    return wish_.is_durable ? LookElsewhere() : Create();
  }
  if (!wish_.is_durable && place_->is_alone()) return Replace();
  AskFor(world_, DoorItself(world_.CallerWith(permit_)),
         GetEntityRequest{.kind = EntityKind::kSubscription, .name = wish_.path}, 0,
         [self = shared_from_this()](const Result<QueueSnapshot>& there) {
           if (self->has_ended_) return;
           if (!there.ok()) return self->Refuse(there.status());
           self->OnSpelled(there->record.description.name);
         });
}

void SubscriptionLink::OnSpelled(const std::string& path) {
  const std::string_view name = SplitSubscriptionPath(path).name;
  if (name != wish_.stored_name) return Refuse(jms::SpelledOtherwise(wish_.stored_name, name));
  AskFor(world_, DoorItself(world_.CallerWith(permit_)),
         ListRulesRequest{.subscription = wish_.path, .after = {}, .count_max = 2}, 0,
         [self = shared_from_this()](const Result<RulePage>& rules) { self->OnRules(rules); });
}

// Rules that an operator has made are not thrown away, and not taken for the selector either.
void SubscriptionLink::OnRules(const Result<RulePage>& rules) {
  if (has_ended_) return;
  if (!rules.ok()) return Refuse(rules.status());
  const bool is_one = rules->rules.size() == 1 && rules->rules[0].name == kDefaultRuleName &&
                      !rules->rules[0].action.has_value();
  if (is_one && rules->rules[0].filter == wish_.filter) return Receive();
  if (!is_one) {
    return Refuse({ErrorCode::kInvalidOperation,
                   "the rules of the subscription are not those of a selector any more"});
  }
  if (!place_->is_alone()) {
    return Refuse(
        {ErrorCode::kInvalidOperation, "the subscription has a consumer with another selector"});
  }
  Replace();
}

template <typename Request, typename Then>
void SubscriptionLink::AskAsManager(Request request, Then then) {
  const Result<access::PermitPtr> permit =
      world_.connection.Prove({access::Right::kManage}, ResourceOfName(wish_.path));
  if (!permit.ok()) return Refuse(permit.status());
  AskFor(
      world_, world_.CallerWith(*permit), std::move(request), 0,
      [self = shared_from_this(), then](const Result<typename Request::Response>& answer) {
        if (!self->has_ended_) then(*self, answer.status());
      },
      // Nobody else comes in before it is answered.
      [place = place_](const auto&) {});
}

// As JMS has it: to change the selector is to unsubscribe, and to subscribe anew.
void SubscriptionLink::Replace() {
  AskAsManager(DeleteEntityRequest{EntityKind::kSubscription, wish_.path},
               [](SubscriptionLink& self, const Status& removed) {
                 const bool is_gone =
                     removed.ok() || removed.code() == ErrorCode::kMessagingEntityNotFound;
                 if (!is_gone) return self.Refuse(removed);
                 self.Create();
               });
}

void SubscriptionLink::LookElsewhere() {
  FindFor(world_, wish_.stored_name, place_,
          [self = shared_from_this()](const Result<std::string>& path) { self->OnFound(path); });
}

void SubscriptionLink::OnFound(const Result<std::string>& path) {
  if (has_ended_) return;
  if (!path.ok()) return Refuse(path.status());
  if (path->empty()) return Create();
  // Which topic that is, is told to who may receive from it.
  const bool may_know =
      world_.connection.Prove({access::Right::kListen}, ResourceOfName(*path)).ok();
  const std::string_view name = SplitSubscriptionPath(*path).name;
  if (may_know && name != wish_.stored_name) {
    return Refuse(jms::SpelledOtherwise(wish_.stored_name, name));
  }
  const std::string where = may_know ? "as " + Quoted(*path) : "of another topic";
  Refuse({ErrorCode::kInvalidOperation,
          fmt::format("the subscription is there, {}: unsubscribe it first", where)});
}

// What goes with its consumers is the roster's to remove before it is there: a kill -9 between the
// two leaves it to the sweep.
void SubscriptionLink::Create() {
  if (!wish_.is_durable) place_->GoesWithIt(EntityKind::kSubscription);
  CreateEntityRequest request{.kind = EntityKind::kSubscription};
  request.description.name = wish_.path;
  // What a selector cannot be reckoned out for is not selected (JMS 2.0, 3.8.1.2), and nobody who
  // speaks JMS would find it among dead letters.
  request.description.dead_lettering_on_filter_evaluation_exceptions = false;
  if (!wish_.is_durable) request.description.user_metadata = std::string(kGoesWithItsUsers);
  request.first_rule =
      RuleDescription{.name = std::string(kDefaultRuleName), .filter = wish_.filter};
  AskAsManager(std::move(request), [](SubscriptionLink& self, const Status& created) {
    if (created.code() == ErrorCode::kMessagingEntityAlreadyExists) return self.Look();
    if (!created.ok()) return self.Refuse(created);
    self.Receive();
  });
}

void SubscriptionLink::Receive() {
  LinkWorld below = world_;
  below.path = wish_.path;
  const auto receiver =
      std::make_shared<ReceiveLink>(std::move(below), permit_,
                                    ReceiveWish{.path = wish_.path,
                                                .mode = wish_.mode,
                                                .turn = wish_.is_shared ? TurnOf(place_) : nullptr,
                                                .counts_rollbacks = true});
  receiver->Begin(attach_);
  Become(receiver);
  place_->Ready();
}

// The place is given up with this link, however long the broker knows of the one that receives.
std::function<std::uint64_t()> SubscriptionLink::TurnOf(std::weak_ptr<const Roster::Place> place) {
  return [place = std::move(place)] {
    const auto held = place.lock();
    const std::uint64_t sharers = held == nullptr ? 1 : held->count();
    return std::clamp(kTurnsTogether / sharers, kTurnMin, kTurnMax);
  };
}

void SubscriptionLink::Refuse(const Status& why) {
  place_.reset();
  world_.Refuse(why, NewTrackingId());
}

void SubscriptionLink::Renew(const access::PermitPtr& permit) {
  permit_ = permit;
  OuterLink::Renew(permit);
}

void SubscriptionLink::End() {
  has_ended_ = true;
  OuterLink::End();
  turn_.reset();
  wait_.reset();
  place_.reset();
}

}  // namespace wharf::amqp
