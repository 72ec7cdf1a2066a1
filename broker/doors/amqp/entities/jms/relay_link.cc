#include "broker/doors/amqp/entities/jms/relay_link.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/transactions/transaction_node.h"
#include "broker/doors/amqp/jms/delivery_time.h"
#include "broker/doors/amqp/message/batch.h"

namespace wharf::amqp {

void RelayLink::Begin(const Attach& attach) {
  Attach answer;
  answer.source = attach.source;
  answer.target = attach.target.has_value() ? attach.target : AnyTarget(Target());
  answer.snd_settle_mode = attach.snd_settle_mode;
  answer.max_message_size = kHeldBodyBytesMax;
  world_.Accept(std::move(answer));
  GiveCredit();
}

void RelayLink::End() {
  if (txn_id_.has_value()) world_.transactions.Fail(*txn_id_, WithoutLink());
  GiveBackPartial();
  has_ended_ = true;
}

void RelayLink::OnDelivered(const Delivered& part) {
  if (has_ended_) return;
  Collect(part);
  if (!part.is_last && !part.is_aborted) return;
  if (!part.is_aborted) Handle(part);
  GiveBackPartial();
  refused_ = Status();
  txn_id_.reset();
  GiveCredit();
}

void RelayLink::Collect(const Delivered& part) {
  if (const auto* const in = TransactionIn(part.state)) txn_id_ = in->txn_id;
  if (!refused_.ok()) return;
  if (part.is_too_large || message_.size() + part.payload.size() > kHeldBodyBytesMax) {
    refused_ = {ErrorCode::kMessageSizeExceeded,
                "over 1 MiB no message is sent without a link to where it goes"};
  } else if (!world_.connection.partial_bytes().Take(part.payload.size())) {
    refused_ = {ErrorCode::kServiceBusy, "too much is on its way on this connection"};
  } else {
    message_ += part.payload;
  }
}

Result<Message> RelayLink::Read(const Delivered& part) const {
  if (!refused_.ok()) return refused_;
  if (part.message_format == kBatchFormat) {
    return Status(ErrorCode::kNotImplemented,
                  "a batch is sent by a link to where it goes, and not by `to`");
  }
  Result<Message> message = MessageOf(message_);
  if (!message.ok()) return message;
  WHARF_RETURN_IF_ERROR(jms::TakeDeliveryTime(*message));
  if (message->to.value_or("").empty()) {
    return Status(ErrorCode::kArgumentError, "the message does not say where it goes: `to`");
  }
  if (!HasId(*message)) message->message_id = wharf::ToString(NewTrackingId());
  return message;
}

void RelayLink::Handle(const Delivered& part) {
  Result<Message> message = Read(part);
  if (!message.ok()) return Reject(part, message.status());
  const std::string to = *message->to;
  SendTo(part, to, *std::move(message));
}

void RelayLink::Reject(const Delivered& part, const Status& why) {
  if (txn_id_.has_value()) world_.transactions.Fail(*txn_id_, why);
  Link* const link = world_.link();
  if (part.is_settled || link == nullptr) return;
  link->Settle(part.delivery, world_.RejectedFor(why, NewTrackingId()));
}

void RelayLink::SendTo(const Delivered& part, const std::string& to, Message message) {
  const LinkNode node = NodeOfAddress(to, Role::kReceiver);
  LinkWorld there = world_;
  there.path = node.path;
  if (node.kind != NodeKind::kEntity) {
    return Reject(part, {ErrorCode::kInvalidOperation, "`to` is no queue and no topic"});
  }
  const Result<access::PermitPtr> permit = world_.connection.Prove(node.rights, node.resource);
  if (!permit.ok()) return Reject(part, permit.status());
  ++unanswered_;
  const Caller caller = there.CallerWith(*permit);
  std::vector<Message> messages;
  messages.push_back(std::move(message));
  const auto sent = [weak = weak_from_this(), there, delivery = part.delivery,
                     id = caller.tracking_id](const Status& failed, DeliveryState outcome) {
    if (const auto self = weak.lock()) {
      self->OnSent(delivery, there, id, failed, std::move(outcome));
    }
  };
  if (txn_id_.has_value()) {
    return world_.transactions.Add(
        there, caller, *txn_id_,
        {.path = there.path, .what = SendMessages{std::move(messages)}, .via = {}}, message_.size(),
        [sent, outcome = AcceptedIn(*txn_id_)](const Status& added) { sent(added, outcome); });
  }
  AskFor(there, caller, SendRequest{{there.path}, std::move(messages)}, message_.size(),
         [sent](const Result<SendReceipt>& receipt) {
           sent(receipt.ok() ? receipt->front().status() : receipt.status(), Accepted());
         });
}

void RelayLink::OnSent(DeliveryId delivery, const LinkWorld& to, const TrackingId& tracking_id,
                       const Status& failed, DeliveryState outcome) {
  --unanswered_;
  Link* const link = world_.link();
  if (link == nullptr) return;
  link->Settle(delivery, failed.ok() ? std::move(outcome)
                                     : DeliveryState(to.RejectedFor(failed, tracking_id)));
  GiveCredit();
}

void RelayLink::GiveBackPartial() {
  world_.connection.partial_bytes().GiveBack(message_.size());
  message_ = std::string();
}

void RelayLink::GiveCredit() {
  Link* const link = world_.link();
  const std::uint32_t credit = kCredit - std::min(kCredit, unanswered_);
  if (link == nullptr || link->credit() >= credit / 2) return;
  link->SetCredit(credit);
}

}  // namespace wharf::amqp
