#include "broker/doors/amqp/entities/jms/temporary_link.h"

#include <utility>
#include <variant>
#include <vector>

#include "broker/doors/amqp/entities/links/receive_link.h"
#include "broker/doors/amqp/entities/links/send_link.h"
#include "broker/doors/amqp/jms/words.h"

namespace wharf::amqp {
namespace {

const std::vector<Symbol>& CapabilitiesOf(const Attach& attach) {
  if (attach.role == Role::kReceiver) return attach.source->capabilities;
  return std::get<Target>(*attach.target).capabilities;
}

}  // namespace

// Its place is taken before it is there: whatever becomes of it, it goes.
void TemporaryLink::Begin(const Attach& attach) {
  attach_ = attach;
  const std::vector<Symbol>& capabilities = CapabilitiesOf(attach);
  const bool is_topic =
      jms::Has(capabilities, jms::kTemporaryTopic) || jms::Has(capabilities, jms::kTopic);
  const EntityKind kind = is_topic ? EntityKind::kTopic : EntityKind::kQueue;
  if (is_topic && attach.role == Role::kReceiver) {
    return world_.Refuse({ErrorCode::kInvalidOperation,
                          "a temporary topic is made by a link that sends: nobody receives from it "
                          "but through a subscription"},
                         NewTrackingId());
  }
  world_.path = std::string(kTemporaryPrefix) + wharf::ToString(NewTrackingId());
  place_ = jms_.roster->TryEnter(world_.requests, jms_.stay, world_.path);
  place_->GoesWithIt(kind);
  CreateEntityRequest request{.kind = kind};
  request.description.name = world_.path;
  request.description.user_metadata = std::string(kGoesWithItsUsers);
  AskFor(
      world_, world_.CallerWith(permit_), std::move(request), 0,
      [self = shared_from_this()](const Result<QueueSnapshot>& created) {
        self->OnCreated(created.status());
      },
      // Not before the answer is there may it be removed.
      [place = place_](const auto&) {});
}

void TemporaryLink::OnCreated(const Status& created) {
  if (has_ended_) return;
  if (!created.ok()) return world_.Refuse(created, NewTrackingId());
  if (attach_.role == Role::kReceiver) {
    attach_.source->address = world_.path;
    ReceiveWish wish{.path = world_.path};
    if (attach_.snd_settle_mode == SenderSettleMode::kSettled) {
      wish.mode = ReceiveMode::kReceiveAndDelete;
    }
    const auto receiver = std::make_shared<ReceiveLink>(world_, permit_, std::move(wish));
    receiver->Begin(attach_);
    return Become(receiver);
  }
  std::get<Target>(*attach_.target).address = world_.path;
  const auto sender = std::make_shared<SendLink>(world_, permit_, std::string());
  sender->Begin(attach_);
  Become(sender);
}

void TemporaryLink::Renew(const access::PermitPtr& permit) {
  permit_ = permit;
  OuterLink::Renew(permit);
}

void TemporaryLink::End() {
  has_ended_ = true;
  OuterLink::End();
  place_.reset();
}

}  // namespace wharf::amqp
