#include "broker/doors/amqp/entities/jms/unsubscribe_link.h"

#include <utility>

#include "broker/core/entities/names.h"
#include "broker/doors/amqp/entities/jms/topic_walk.h"
#include "broker/doors/amqp/jms/words.h"
#include "broker/requests/rights_for.h"

namespace wharf::amqp {
namespace {

Status NoneForThem() {
  return {ErrorCode::kMessagingEntityNotFound, "there is no such subscription"};
}

}  // namespace

void UnsubscribeLink::Begin(const Attach& attach) {
  attach_ = attach;
  FindFor(world_, stored_name_, jms_.stay,
          [self = shared_from_this()](const Result<std::string>& path) { self->OnFound(path); });
}

// Who has no right to it hears what is said of one that is not there, and not its topic.
void UnsubscribeLink::OnFound(const Result<std::string>& path) {
  if (has_ended_) return;
  world_.path = attach_.name;
  if (!path.ok()) return world_.Refuse(path.status(), NewTrackingId());
  if (path->empty()) return world_.Refuse(NoneForThem(), NewTrackingId());
  const Result<access::PermitPtr> permit =
      world_.connection.Prove({access::Right::kManage}, ResourceOfName(*path));
  if (!permit.ok()) return world_.Refuse(NoneForThem(), NewTrackingId());
  // Of other letters it is another client's (JMS-2).
  if (SplitSubscriptionPath(*path).name != stored_name_) {
    return world_.Refuse(NoneForThem(), NewTrackingId());
  }
  world_.path = *path;
  permit_ = *permit;
  place_ = jms_.roster->TryEnter(world_.requests, jms_.stay, *path);
  if (place_ == nullptr) {
    return world_.Refuse(
        {ErrorCode::kInvalidOperation, "the subscription has a consumer, and stays while it has"},
        NewTrackingId());
  }
  Source source;
  source.address = std::string(SplitSubscriptionPath(*path).topic);
  source.durable = TerminusDurability::kUnsettledState;
  source.expiry_policy = TerminusExpiryPolicy::kNever;
  source.distribution_mode = Symbol{std::string(std_dist_mode::kCopy)};
  source.capabilities = {Symbol{std::string(jms::kTopic)}};
  attach_.source = std::move(source);
  world_.Accept(attach_);
  // Its client may never close it, and a consumer that waited for that would hear nothing.
  place_->Ready();
}

// True: it is answered behind the commit.
bool UnsubscribeLink::OnClosed() {
  if (place_ == nullptr) return false;
  // Who comes from now on meets no subscription that is about to go.
  place_->HoldOthers();
  AskFor(
      world_, world_.CallerWith(permit_),
      DeleteEntityRequest{EntityKind::kSubscription, world_.path}, 0,
      [self = shared_from_this()](const Result<std::monostate>& removed) {
        self->OnRemoved(removed.status());
      },
      [place = place_](const auto&) {});
  return true;
}

void UnsubscribeLink::OnRemoved(const Status& removed) {
  Link* const link = world_.link();
  if (link == nullptr) return;
  if (removed.ok() || removed.code() == ErrorCode::kMessagingEntityNotFound) {
    return link->SendDetach(true);
  }
  world_.Detach(removed);
}

void UnsubscribeLink::End() {
  has_ended_ = true;
  place_.reset();
}

}  // namespace wharf::amqp
