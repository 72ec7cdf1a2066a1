#include "broker/doors/amqp/entities/receive_link.h"

#include <algorithm>
#include <utility>

#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/settlements.h"
#include "broker/doors/common/unheard.h"

namespace wharf::amqp {
namespace {

Status TooLargeForNow() {
  return {ErrorCode::kNotImplemented, "a message over 1 MiB is not received over AMQP yet"};
}

template <typename Deliveries>
TokenList TokensOf(const Deliveries& deliveries) {
  TokenList tokens;
  for (const wharf::Delivered& delivered : deliveries) tokens.emplace_back(delivered.token);
  return tokens;
}

}  // namespace

ReceiveLink::ReceiveLink(LinkWorld world, access::PermitPtr permit)
    : world_(std::move(world)),
      post_(world_.connection.poster()),
      peer_(world_.connection.peer()),
      permit_(std::move(permit)) {}

// --- the strand

void ReceiveLink::Begin(const Attach& attach) {
  attach_.source = attach.source;
  attach_.target = attach.target;
  attach_.snd_settle_mode = attach.snd_settle_mode;
  attach_.rcv_settle_mode = attach.rcv_settle_mode;
  // Some clients take an absent one for none.
  attach_.max_message_size = kHeldBodyBytesMax;
  receiver_ = world_.requests.Attach(
      world_.CallerWith(permit_), AttachRequest{{world_.path}}, shared_from_this(),
      [self = shared_from_this()](const Result<wharf::Attached>& attached) {
        self->post_([self, attached] { self->OnAttached(attached); });
      });
}

void ReceiveLink::OnAttached(const Result<wharf::Attached>& attached) {
  if (attached.ok()) {
    MutexLock lock(mutex_);
    lane_ = attached->lane;
  }
  Link* const link = world_.link();
  if (link == nullptr) return;
  if (!attached.ok()) {
    return link->Refuse(ErrorOn(world_.path, attached.status(), NewTrackingId()));
  }
  link->SendAttach(std::move(attach_));
}

// What the client asks for is absolute; what the broker is asked for adds up.
void ReceiveLink::OnCredit(const CreditGiven& credit) {
  const std::uint64_t waiting = ready_.size() + (outgoing_ && !outgoing_->has_begun ? 1 : 0);
  const std::uint64_t asked = granted_ + waiting;
  if (credit.credit > asked) {
    receiver_->Grant({.messages = credit.credit - asked, .bytes = std::nullopt});
    granted_ += credit.credit - asked;
  } else if (credit.credit < asked) {
    const std::uint64_t fewer = std::min(asked - credit.credit, granted_);
    if (fewer > 0) receiver_->Revoke({.messages = fewer, .bytes = std::nullopt});
    granted_ -= fewer;
  }
  if (credit.drain) {
    is_draining_ = true;
    has_drained_ = false;
    receiver_->Drain();
  }
  Send();
}

void ReceiveLink::Take() {
  std::vector<wharf::Delivered> arrived;
  std::optional<Status> detached;
  std::optional<std::uint64_t> drained;
  {
    MutexLock lock(mutex_);
    is_woken_ = false;
    if (is_over_) return;
    arrived.swap(arrived_);
    drained.swap(drained_);
    detached = detached_;
  }
  granted_ -= std::min<std::uint64_t>(granted_, arrived.size() + drained.value_or(0));
  has_drained_ |= drained.has_value();
  for (wharf::Delivered& delivered : arrived) ready_.push_back(std::move(delivered));
  Send();
  if (detached.has_value()) Finish(*detached);
}

void ReceiveLink::Finish(const Status& reason) {
  End();
  Link* const link = world_.link();
  if (link == nullptr) return;
  const Status why = reason.ok() ? Status(ErrorCode::kServiceCommunicationProblem,
                                          "the receiver has ended: attach again")
                                 : reason;
  link->SendDetach(true, ErrorOn(world_.path, why, NewTrackingId()));
}

void ReceiveLink::Send() {
  Link* const link = world_.link();
  if (link == nullptr) return;
  while (SendNext(*link)) {
  }
  if (link->credit() == 0) HandBack();
  EndDrain(*link);
}

// False: there is nothing, or no room for more.
bool ReceiveLink::SendNext(Link& link) {
  if (!outgoing_.has_value()) {
    if (ready_.empty() || link.credit() == 0) return false;
    if (ready_.front().message->facts.has_large_body()) {
      Finish(TooLargeForNow());
      return false;
    }
    outgoing_ = Outgoing{.delivered = std::move(ready_.front()), .bytes = {}};
    outgoing_->bytes = EncodedOf(outgoing_->delivered);
    ready_.pop_front();
  }
  const LockToken token = outgoing_->delivered.token;
  const SendResult result =
      link.Send({.tag = TagOf(token)}, std::string_view(outgoing_->bytes).substr(outgoing_->sent));
  outgoing_->sent += result.taken;
  outgoing_->has_begun |= result.has_begun;
  if (!result.is_done) return false;
  locked_.emplace(result.delivery, token);
  receiver_->NoteWritten(1, outgoing_->delivered.message->facts.size);
  outgoing_.reset();
  return true;
}

// Behind the last delivery.
void ReceiveLink::EndDrain(Link& link) {
  if (!is_draining_ || !has_drained_ || outgoing_.has_value()) return;
  if (!ready_.empty() && link.credit() > 0) return;
  is_draining_ = has_drained_ = false;
  link.GiveBackCredit();
}

// For the broker they are as good as written: it waits for none of them.
void ReceiveLink::HandBack() {
  if (outgoing_ && !outgoing_->has_begun) {
    ready_.push_front(std::move(outgoing_->delivered));
    outgoing_.reset();
  }
  if (ready_.empty()) return;
  std::int64_t bytes = 0;
  for (const wharf::Delivered& delivered : ready_) bytes += delivered.message->facts.size;
  receiver_->NoteWritten(ready_.size(), bytes);
  Release(TokensOf(std::exchange(ready_, {})));
}

void ReceiveLink::Release(const TokenList& tokens) const {
  if (tokens.empty()) return;
  ReleaseUnheard(world_.requests, {.peer = peer_, .tracking_id = NewTrackingId()}, entity(),
                 tokens);
}

void ReceiveLink::End() {
  std::vector<wharf::Delivered> unheard;
  {
    MutexLock lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    unheard.swap(arrived_);
  }
  Release(TokensOf(unheard));
  Release(TokensOf(std::exchange(ready_, {})));
  // Who has not heard all of it has heard nothing.
  if (outgoing_) Release({outgoing_->delivered.token});
  outgoing_.reset();
  receiver_->Detach();
}

// --- settlements

void ReceiveLink::OnDisposed(const std::vector<DeliveryId>& deliveries, const Disposed& disposed) {
  const Result<std::optional<Settlement>> settlement =
      disposed.is_settled && !disposed.state.has_value()
          ? std::optional(Settlement{.verb = SettleVerb::kRelease})
          : SettlementOf(disposed.state);
  if (!settlement.ok()) {
    const Error error = ErrorOn(world_.path, settlement.status(), NewTrackingId());
    for (const DeliveryId delivery : deliveries) Answer(delivery, Rejected{error});
    return;
  }
  if (!settlement->has_value()) return;
  for (std::size_t begin = 0; begin < deliveries.size(); begin += kItemsMax) {
    TokenList tokens;
    std::vector<DeliveryId> part;
    for (std::size_t i = begin; i < std::min(deliveries.size(), begin + kItemsMax); ++i) {
      const auto locked = locked_.find(deliveries[i]);
      if (locked == locked_.end()) continue;
      part.push_back(deliveries[i]);
      tokens.emplace_back(locked->second);
      locked_.erase(locked);
    }
    if (!part.empty()) Settle(part, std::move(tokens), **settlement, disposed);
  }
}

void ReceiveLink::Settle(const std::vector<DeliveryId>& deliveries, TokenList tokens,
                         Settlement settlement, const Disposed& disposed) {
  const Caller caller = world_.CallerWith(permit_);
  std::optional<DeliveryState> said;
  if (!disposed.is_settled) said = disposed.state;
  world_.requests.Ask(caller, SettleRequest{entity(), std::move(tokens), std::move(settlement)},
                      [self = shared_from_this(), deliveries, said,
                       id = caller.tracking_id](const Result<SettleReceipt>& receipt) {
                        if (!said.has_value()) return;
                        self->post_([self, deliveries, said = *said, id, receipt] {
                          self->OnSettled(deliveries, said, id, receipt);
                        });
                      });
}

void ReceiveLink::OnSettled(const std::vector<DeliveryId>& deliveries, const DeliveryState& said,
                            const TrackingId& tracking_id, const Result<SettleReceipt>& receipt) {
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const Status status = receipt.ok() ? (*receipt)[i] : receipt.status();
    Answer(deliveries[i],
           status.ok() ? AnswerTo(said) : Rejected{ErrorOn(world_.path, status, tracking_id)});
  }
}

void ReceiveLink::Answer(DeliveryId delivery, DeliveryState state) {
  Link* const link = world_.link();
  if (link != nullptr) link->Settle(delivery, std::move(state));
}

// --- the broker's thread

void ReceiveLink::OnDeliveries(std::vector<wharf::Delivered> deliveries) {
  bool is_late = false;
  {
    MutexLock lock(mutex_);
    is_late = is_over_;
    if (!is_late) {
      for (wharf::Delivered& delivered : deliveries) arrived_.push_back(std::move(delivered));
    }
  }
  if (!is_late) return Wake();
  Release(TokensOf(deliveries));
}

void ReceiveLink::OnDrained(Credit left) {
  {
    MutexLock lock(mutex_);
    drained_ = drained_.value_or(0) + left.messages;
  }
  Wake();
}

void ReceiveLink::OnDetached(Status reason) {
  {
    MutexLock lock(mutex_);
    detached_ = std::move(reason);
  }
  Wake();
}

void ReceiveLink::Wake() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(is_woken_, true)) return;
  }
  post_([self = shared_from_this()] { self->Take(); });
}

}  // namespace wharf::amqp
