#include "tests/amqp/partners/tiny_links.h"

#include <utility>

namespace wharf::amqp {
namespace {

constexpr std::uint32_t kCredit = 100;
constexpr std::uint64_t kMessageBytesMax = 4 << 20;

}  // namespace

void TinyLinks::Attach(LinkId id, const amqp::Attach& attach, const std::string& address) {
  Link& link = *endpoint_.FindLink(id);
  if (address == "nowhere") return link.Refuse(ErrorOf(amqp_error::kNotFound, "no such queue"));
  amqp::Attach answer = attach;
  answer.unsettled.reset();
  answer.offered_capabilities.clear();
  answer.desired_capabilities.clear();
  answer.max_message_size = kMessageBytesMax;
  link.SendAttach(std::move(answer));
  if (link.role() == Role::kSender) {
    receivers_[id] = {.address = address,
                      .sends_settled = attach.snd_settle_mode == SenderSettleMode::kSettled};
  } else {
    senders_[id] = {.address = address, .message = ""};
    link.SetCredit(kCredit);
  }
}

void TinyLinks::On(const Event& event) {
  if (const auto* const credit = std::get_if<CreditGiven>(&event)) {
    receivers_[credit->link].is_draining = credit->drain;
  } else if (const auto* const part = std::get_if<Delivered>(&event)) {
    OnDelivered(*part);
  } else if (const auto* const disposed = std::get_if<Disposed>(&event)) {
    OnDisposed(*disposed);
  }
}

void TinyLinks::Send() {
  for (auto& [id, receiver] : receivers_) {
    if (Link* const link = endpoint_.FindLink(id)) Send(*link, receiver);
  }
}

void TinyLinks::OnDelivered(const Delivered& part) {
  Sender& sender = senders_[part.link];
  if (part.is_first) sender.message.clear();
  sender.message += part.payload;
  if (!part.is_last) return;
  Link& link = *endpoint_.FindLink(part.link);
  DeliveryState state = Accepted();
  if (part.is_too_large) {
    state = Rejected{ErrorOf(link_error::kMessageSizeExceeded, "too large")};
  } else {
    queues_[sender.address].push_back(std::move(sender.message));
  }
  if (!part.is_settled) link.Settle(part.delivery, std::move(state));
  link.SetCredit(kCredit);
}

void TinyLinks::OnDisposed(const Disposed& disposed) {
  if (disposed.role == Role::kSender) return;
  for (const DeliveryRef& ref : disposed.deliveries) {
    auto message = unsettled_.extract({ref.link, ref.delivery});
    const bool comes_back =
        disposed.state.has_value() && (std::holds_alternative<Released>(*disposed.state) ||
                                       std::holds_alternative<Modified>(*disposed.state));
    if (comes_back && !message.empty()) {
      queues_[receivers_[ref.link].address].push_front(std::move(message.mapped()));
    }
    if (!disposed.is_settled) endpoint_.FindLink(ref.link)->Settle(ref.delivery, disposed.state);
  }
}

void TinyLinks::Send(Link& link, Receiver& receiver) {
  std::deque<std::string>& queue = queues_[receiver.address];
  while (!queue.empty()) {
    const std::string_view left = std::string_view(queue.front()).substr(receiver.sent);
    const OutgoingDelivery delivery{.tag = {std::to_string(receiver.next_tag)},
                                    .is_settled = receiver.sends_settled};
    const SendResult result = link.Send(delivery, left);
    receiver.sent += result.taken;
    if (!result.is_done) break;
    if (!receiver.sends_settled)
      unsettled_[{link.id(), result.delivery}] = std::move(queue.front());
    queue.pop_front();
    receiver.sent = 0;
    ++receiver.next_tag;
  }
  if (receiver.is_draining && receiver.sent == 0 && (queue.empty() || link.credit() == 0)) {
    receiver.is_draining = false;
    link.GiveBackCredit();
  }
}

}  // namespace wharf::amqp
