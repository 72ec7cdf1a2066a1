#include "broker/doors/amqp/endpoint/link.h"

#include <utility>

#include <fmt/format.h>

#include "broker/doors/amqp/endpoint/session.h"

namespace wharf::amqp {

namespace {

// Of the specification.
constexpr std::size_t kTagBytesMax = 32;

}  // namespace

Link::Link(LinkId id, Session& session, Role role, std::string name, std::uint32_t handle)
    : id_(id),
      session_(session),
      role_(role),
      name_(std::move(name)),
      handle_(handle),
      sender_credit_(session.shared_.options.first_number) {}

void Link::SendAttach(Attach attach) {
  if (attach_sent_ || detach_sent_ || session_.end_sent_) return;
  session_.SendBegin();
  attach.name = name_;
  attach.handle = handle_;
  attach.role = role_;
  attach.initial_delivery_count.reset();
  if (role_ == Role::kSender) attach.initial_delivery_count = sender_credit_.delivery_count();
  if (role_ == Role::kReceiver) message_bytes_max_ = attach.max_message_size.value_or(0);
  if (!attach.properties.has_value()) attach.properties.emplace();
  attach_sent_ = true;
  session_.shared_.out.Write(session_.channel_, attach);
  // Credit may have been given before.
  if (role_ == Role::kReceiver && credit() > 0) WantFlow();
}

void Link::Refuse(Error error) {
  SendAttach({});
  SendDetach(true, std::move(error));
}

void Link::SendDetach(bool closed, std::optional<Error> error) {
  if (detach_sent_ || session_.end_sent_) return;
  SendAttach({});
  // A detach ends what was sent in part.
  outgoing_.reset();
  session_.dispositions_.Flush(session_.channel_, session_.shared_.out);
  Detach detach;
  detach.handle = handle_;
  detach.closed = closed;
  detach.error = std::move(error);
  detach_sent_ = true;
  session_.shared_.out.Write(session_.channel_, detach);
  session_.Forget(*this);
}

bool Link::is_attached() const {
  return attach_sent_ && attach_received_ && !detach_sent_ && !session_.end_sent_;
}

MaybeFault Link::OnAttach(const Attach& attach) {
  remote_handle_ = attach.handle;
  attach_received_ = true;
  if (role_ == Role::kSender) return std::nullopt;
  if (!attach.initial_delivery_count.has_value()) {
    return LinkFault(amqp_error::kInvalidField, "attach.initial-delivery-count: missing");
  }
  receiver_credit_.Begin(*attach.initial_delivery_count);
  return std::nullopt;
}

void Link::OnFlow(Flow flow) {
  NoteUse();
  if (flow.echo) WantFlow();
  if (role_ == Role::kSender) {
    sender_credit_.OnFlow(flow);
    session_.shared_.Tell(CreditGiven{.link = id_,
                                      .credit = sender_credit_.credit(),
                                      .drain = flow.drain,
                                      .properties = std::move(flow.properties)});
    return;
  }
  const bool is_drained = receiver_credit_.OnFlow(flow);
  session_.shared_.Tell(
      SenderTold{.link = id_, .available = flow.available, .is_drained = is_drained});
}

MaybeFault Link::OnTransfer(const Transfer& transfer, std::string_view payload) {
  NoteUse();
  if (role_ == Role::kSender) {
    return LinkFault(amqp_error::kNotAllowed, "a transfer on a link whose peer receives");
  }
  const bool is_first = !incoming_.has_value();
  if (MaybeFault fault = is_first ? BeginIncoming(transfer) : ContinueIncoming(transfer)) {
    return fault;
  }
  Delivered part = PartOf(transfer, is_first, payload);
  if (part.is_last || part.is_aborted) incoming_.reset();
  session_.shared_.Tell(std::move(part));
  return std::nullopt;
}

MaybeFault Link::BeginIncoming(const Transfer& transfer) {
  if (!transfer.delivery_id.has_value()) {
    return LinkFault(amqp_error::kInvalidField, "transfer.delivery-id: missing");
  }
  DeliveryId delivery;
  if (MaybeFault fault = session_.NumberDelivery(*transfer.delivery_id, delivery)) return fault;
  if (!transfer.delivery_tag.has_value() || transfer.delivery_tag->bytes.size() > kTagBytesMax) {
    return LinkFault(amqp_error::kInvalidField, "transfer.delivery-tag: missing, or too long");
  }
  if (transfer.resume) {
    return LinkFault(amqp_error::kNotImplemented, "transfer.resume: no delivery is resumed here");
  }
  if (!receiver_credit_.Use()) {
    return LinkFault(link_error::kTransferLimitExceeded, "a delivery for which there is no credit");
  }
  if (session_.incoming_unsettled_.size() >= session_.shared_.options.limits.unsettled_max) {
    return SessionFault(amqp_error::kResourceLimitExceeded,
                        "more deliveries than may be unsettled");
  }
  incoming_ = Incoming{.delivery = delivery,
                       .tag = *transfer.delivery_tag,
                       .message_format = transfer.message_format.value_or(0)};
  if (!transfer.settled.value_or(false)) session_.incoming_unsettled_.Add(delivery, id_);
  return std::nullopt;
}

MaybeFault Link::ContinueIncoming(const Transfer& transfer) const {
  const auto other = [](std::string_view field) {
    return LinkFault(amqp_error::kInvalidField,
                     fmt::format("transfer.{}: another one than that of the delivery", field));
  };
  const auto low = static_cast<std::uint32_t>(incoming_->delivery.value());
  if (transfer.delivery_id.value_or(low) != low) return other("delivery-id");
  if (transfer.delivery_tag.has_value() && *transfer.delivery_tag != incoming_->tag) {
    return other("delivery-tag");
  }
  if (transfer.message_format.value_or(incoming_->message_format) != incoming_->message_format) {
    return other("message-format");
  }
  return std::nullopt;
}

Delivered Link::PartOf(const Transfer& transfer, bool is_first, std::string_view payload) {
  Incoming& incoming = *incoming_;
  incoming.is_settled |= transfer.settled.value_or(false);
  incoming.bytes += payload.size();
  if (transfer.aborted || incoming.is_settled)
    session_.incoming_unsettled_.Remove(incoming.delivery);
  Delivered part;
  part.link = id_;
  part.delivery = incoming.delivery;
  if (is_first) part.tag = incoming.tag;
  part.message_format = incoming.message_format;
  part.state = transfer.state;
  part.is_first = is_first;
  part.is_last = !transfer.more && !transfer.aborted;
  part.is_settled = incoming.is_settled;
  part.is_aborted = transfer.aborted;
  part.is_too_large = message_bytes_max_ > 0 && incoming.bytes > message_bytes_max_;
  if (!part.is_too_large && !part.is_aborted) part.payload = payload;
  return part;
}

bool Link::BeginOutgoing(const OutgoingDelivery& delivery) {
  const bool is_full =
      session_.outgoing_unsettled_.size() >= session_.shared_.options.limits.unsettled_max;
  if (credit() == 0) return false;
  if (is_full && !delivery.is_settled) {
    session_.shared_.is_blocked = true;
    return false;
  }
  sender_credit_.Use();
  outgoing_ = session_.next_outgoing_delivery_;
  session_.next_outgoing_delivery_ = outgoing_->Next();
  if (!delivery.is_settled) session_.outgoing_unsettled_.Add(*outgoing_, id_);
  return true;
}

// What later parts may leave out is left out.
Transfer Link::HeadOf(const OutgoingDelivery& delivery, bool is_first) const {
  Transfer head;
  head.handle = handle_;
  if (!is_first) return head;
  head.delivery_id = static_cast<std::uint32_t>(outgoing_->value());
  head.delivery_tag = delivery.tag;
  head.message_format = delivery.message_format;
  head.settled = delivery.is_settled;
  head.state = delivery.state;
  return head;
}

SendResult Link::Send(const OutgoingDelivery& delivery, Payload payload, bool is_last) {
  SendResult result{.has_begun = outgoing_.has_value()};
  if (!is_attached() || role_ != Role::kSender) return result;
  Shared& shared = session_.shared_;
  while (!result.is_done && (is_last || !payload.empty() || !result.has_begun)) {
    if (!session_.MayTransfer()) break;
    const bool is_first = !result.has_begun;
    if (is_first && !BeginOutgoing(delivery)) return result;
    result.has_begun = true;
    const std::size_t taken =
        shared.out.WriteTransfer(session_.channel_, HeadOf(delivery, is_first), payload, is_last);
    session_.OnTransferSent();
    NoteUse();
    result.delivery = *outgoing_;
    result.taken += taken;
    payload.RemovePrefix(taken);
    result.is_done = is_last && payload.empty();
    if (shared.out.has_refused()) break;
  }
  if (outgoing_.has_value()) result.delivery = *outgoing_;
  if (result.is_done) outgoing_.reset();
  return result;
}

bool Link::Abort() {
  if (!outgoing_.has_value()) return true;
  if (!session_.MayTransfer()) return false;
  Transfer transfer;
  transfer.handle = handle_;
  transfer.aborted = true;
  session_.outgoing_unsettled_.Remove(*outgoing_);
  outgoing_.reset();
  session_.shared_.out.Write(session_.channel_, transfer);
  session_.OnTransferSent();
  return true;
}

void Link::GiveBackCredit() {
  if (!is_attached() || role_ != Role::kSender) return;
  sender_credit_.GiveBack();
  session_.WriteFlow(this);
}

void Link::SetCredit(std::uint32_t credit) {
  receiver_credit_.Give(credit);
  WantFlow();
}

void Link::Drain(std::uint32_t credit) {
  receiver_credit_.Give(credit);
  receiver_credit_.Drain();
  WantFlow();
}

void Link::WantFlow() {
  if (!std::exchange(wants_flow_, true)) session_.flowing_.push_back(id_);
  session_.WantTalk();
}

void Link::FillFlow(Flow& flow) const {
  flow.handle = handle_;
  if (role_ == Role::kSender) {
    flow.delivery_count = sender_credit_.delivery_count();
    flow.link_credit = sender_credit_.credit();
    flow.drain = sender_credit_.is_draining();
    return;
  }
  if (attach_received_) flow.delivery_count = receiver_credit_.delivery_count();
  flow.link_credit = receiver_credit_.credit();
  flow.drain = receiver_credit_.is_draining();
}

bool Link::Settle(DeliveryId delivery, std::optional<DeliveryState> state, bool is_settled) {
  Unsettled& unsettled =
      role_ == Role::kSender ? session_.outgoing_unsettled_ : session_.incoming_unsettled_;
  if (session_.end_sent_ || !unsettled.Has(delivery)) return false;
  NoteUse();
  if (is_settled) unsettled.Remove(delivery);
  if (is_settled && role_ == Role::kSender) session_.shared_.Unblock();
  session_.dispositions_.Add(delivery,
                             {.role = role_, .is_settled = is_settled, .state = std::move(state)},
                             session_.channel_, session_.shared_.out);
  session_.WantTalk();
  return true;
}

}  // namespace wharf::amqp
