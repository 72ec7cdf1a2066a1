#include "broker/doors/amqp/entities/links/receive_link.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "broker/doors/amqp/entities/links/settlements.h"
#include "broker/doors/amqp/entities/transactions/transaction_node.h"
#include "broker/doors/common/unheard.h"

namespace wharf::amqp {
namespace {

// Of the largest message that there may be, as encoded.
constexpr std::uint64_t kMessageBytesMax = std::uint64_t{102} << 20;
// What a settlement counts for while it is not answered.
constexpr std::size_t kSettlementBytes = 64;
// Of messages that are gone with their delivery so many may wait to be written, whatever the
// credit: a client that dies loses no more.
constexpr std::uint64_t kUnlockedAheadMax = 100;
// What a link counts for while its connection waits for what it has left.
constexpr std::size_t kClosingBytes = 1;

bool IsAccepted(const Disposed& disposed) {
  return disposed.state.has_value() && std::holds_alternative<Accepted>(*disposed.state);
}

}  // namespace

ReceiveLink::ReceiveLink(LinkWorld world, access::PermitPtr permit, ReceiveWish wish)
    : world_(std::move(world)),
      wish_(std::move(wish)),
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
  attach_.max_message_size = kMessageBytesMax;
  receiver_ = world_.requests.Attach(
      world_.CallerWith(permit_), AttachRequest{{wish_.path}, wish_.mode, wish_.session},
      shared_from_this(), [self = shared_from_this()](const Result<wharf::Attached>& attached) {
        self->post_([self, attached] { self->OnAttached(attached); });
      });
}

// Who wants a session is answered when there is one.
void ReceiveLink::OnAttached(const Result<wharf::Attached>& attached) {
  if (!attached.ok()) return world_.Refuse(attached.status(), NewTrackingId());
  {
    MutexLock lock(mutex_);
    lane_ = attached->lane;
  }
  is_partitioned_ = world_.requests.Find(wish_.path).is_partitioned;
  if (!wish_.wants_session()) Accept();
}

void ReceiveLink::Accept() {
  is_accepted_ = true;
  if (session_.has_value()) TellSession(*session_, attach_);
  world_.Accept(std::move(attach_));
}

void ReceiveLink::OnCredit(const CreditGiven& credit) {
  if (credit.properties.has_value() && credit.properties->FindSymbol("txn-id") != nullptr) {
    return Finish({ErrorCode::kNotImplemented, "messages are not received in a transaction"});
  }
  is_draining_ = credit.drain;
  is_drain_stale_ = true;
  has_drained_ = wish_.is_always_empty;
  drained_left_ = 0;
  Level();
  if (is_draining_ && !wish_.is_always_empty) BeginDrain();
  Send();
}

// What is asked for while a question is open cannot be told from what it throws away: it is asked
// again then.
void ReceiveLink::BeginDrain() {
  if (is_drain_asked_) return;
  is_drain_asked_ = true;
  is_drain_stale_ = has_drained_ = false;
  receiver_->Drain();
}

void ReceiveLink::TakeDrained(std::uint64_t left) {
  is_drain_asked_ = false;
  if (!is_drain_stale_) {
    has_drained_ = true;
    drained_left_ = left;
    granted_ = 0;
    return;
  }
  // What it threw away may be wanted by now.
  Level();
  if (is_draining_) BeginDrain();
}

// What the client asks for is absolute; what the broker is asked for adds up.
void ReceiveLink::Level() {
  const Link* const link = world_.link();
  if (link == nullptr || is_closing_) return;
  const std::uint64_t wanted = WantedOf(*link);
  const std::uint64_t waiting = ready_.size() + (outgoing_ && !outgoing_->has_begun ? 1 : 0);
  const std::uint64_t asked = granted_ + waiting;
  if (wanted > asked) {
    receiver_->Grant({.messages = wanted - asked, .bytes = std::nullopt});
    granted_ += wanted - asked;
  } else if (wanted < asked) {
    const std::uint64_t fewer = std::min(asked - wanted, granted_);
    if (fewer > 0) receiver_->Revoke({.messages = fewer, .bytes = std::nullopt});
    granted_ -= fewer;
  }
}

std::uint64_t ReceiveLink::WantedOf(const Link& link) const {
  if (wish_.is_always_empty) return 0;
  const std::uint64_t credit =
      wish_.turn ? std::min<std::uint64_t>(link.credit(), wish_.turn()) : link.credit();
  if (wish_.locks()) return credit;
  std::uint64_t unwritten = 0;
  for (const auto& [output, messages] : unwritten_) unwritten += messages;
  return std::min(credit, kUnlockedAheadMax - std::min(kUnlockedAheadMax, unwritten));
}

void ReceiveLink::Take() {
  Arrived arrived;
  {
    MutexLock lock(mutex_);
    is_woken_ = false;
    if (is_over_) return;
    arrived = std::exchange(arrived_, {});
  }
  if (arrived.session.has_value()) {
    session_ = std::move(arrived.session);
    Accept();
  }
  const std::uint64_t used = arrived.deliveries.size() + arrived.drained.value_or(0);
  granted_ -= std::min(granted_, used);
  std::move(arrived.deliveries.begin(), arrived.deliveries.end(), std::back_inserter(ready_));
  if (arrived.drained.has_value()) TakeDrained(*arrived.drained);
  has_stopped_ |= arrived.is_stopped;
  Send();
  if (arrived.detached.has_value()) Finish(*arrived.detached);
}

void ReceiveLink::Finish(const Status& reason) {
  End();
  const Status why = reason.ok() ? Status(ErrorCode::kServiceCommunicationProblem,
                                          "the receiver has ended: attach again")
                                 : reason;
  if (!is_accepted_) return world_.Refuse(why, NewTrackingId());
  world_.Detach(why);
}

void ReceiveLink::Send() {
  Link* const link = world_.link();
  if (link == nullptr) return;
  while (SendNext(*link)) {
  }
  if (link->credit() == 0 && wish_.locks()) HandBack();
  if ((!wish_.locks() || wish_.turn) && !is_draining_) Level();
  EndDrain(*link);
  TryEndClose(*link);
}

void ReceiveLink::OnWritten() {
  if (unwritten_.empty()) return;
  const std::uint64_t left = world_.connection.outputs_taken();
  while (!unwritten_.empty() && unwritten_.front().first <= left) unwritten_.pop_front();
  Send();
}

// False: there is nothing, or no room for more.
bool ReceiveLink::SendNext(Link& link) {
  if (!outgoing_.has_value()) {
    if (ready_.empty() || link.credit() == 0) return false;
    outgoing_.emplace(std::move(ready_.front()), is_partitioned_);
    ready_.pop_front();
  }
  if (outgoing_->rest().empty() && !outgoing_->has_all()) return false;
  const OutgoingDelivery delivery{.tag = NextTag(outgoing_->delivered()),
                                  .is_settled = !wish_.locks()};
  const SendResult result = link.Send(delivery, outgoing_->rest(), outgoing_->has_all());
  outgoing_->NoteSent(result.taken);
  outgoing_->has_begun |= result.has_begun;
  if (result.is_done) {
    Sent(result.delivery);
    return true;
  }
  ReadMore();
  return false;
}

void ReceiveLink::Sent(DeliveryId delivery) {
  const wharf::Delivered& sent = outgoing_->delivered();
  if (wish_.locks()) locked_.emplace(delivery, sent.token);
  if (!wish_.locks()) NoteUnwritten();
  receiver_->NoteWritten(1, sent.message->facts.size);
  if (!wish_.locks() && outgoing_->body() != nullptr) receiver_->DropBody(*outgoing_->body());
  ++next_tag_;
  outgoing_.reset();
}

void ReceiveLink::NoteUnwritten() {
  const std::uint64_t output = world_.connection.outputs_taken() + 1;
  if (unwritten_.empty() || unwritten_.back().first != output) unwritten_.emplace_back(output, 0);
  ++unwritten_.back().second;
}

// Of messages that are gone with their delivery nobody asks by tag; each link has its own.
Binary ReceiveLink::NextTag(const wharf::Delivered& delivered) {
  if (wish_.locks()) return TagOf(delivered.token);
  return {std::to_string(next_tag_)};
}

// The rest of what was delivered while its client was allowed to receive it.
void ReceiveLink::ReadMore() {
  const std::optional<std::uint32_t> chunk = outgoing_->NextRead();
  if (!chunk.has_value()) return;
  const BodyRef body = *outgoing_->body();
  const LaneId lane = entity().lane.value_or(LaneId());
  AskFor(world_, DoorItself(world_.CallerWith(permit_)),
         ReadBodyChunkRequest{body, *chunk, lane, outgoing_->delivered().token}, 0,
         [self = shared_from_this(), body](Result<std::string>& read) {
           self->OnChunk(body, std::move(read));
         });
}

// Half a message must not pass for one.
void ReceiveLink::OnChunk(const BodyRef& body, Result<std::string> chunk) {
  const BodyRef* const wanted = outgoing_.has_value() ? outgoing_->body() : nullptr;
  if (wanted == nullptr || *wanted != body) return;
  if (!chunk.ok()) return Finish(chunk.status());
  outgoing_->Add(*std::move(chunk));
  Send();
}

// Behind the last delivery. Where the broker has given all that it was asked for, and that was less
// than the client wants, there may be more.
void ReceiveLink::EndDrain(Link& link) {
  if (!is_draining_ || !has_drained_ || outgoing_.has_value()) return;
  if (!ready_.empty() && link.credit() > 0) return;
  if (link.credit() > 0 && drained_left_ == 0 && !wish_.is_always_empty) {
    Level();
    if (granted_ > 0) BeginDrain();
    return;
  }
  is_draining_ = has_drained_ = false;
  link.GiveBackCredit();
}

// For the broker they are as good as written: it waits for none of them.
void ReceiveLink::HandBack() {
  if (outgoing_ && !outgoing_->has_begun) {
    ready_.push_front(outgoing_->delivered());
    outgoing_.reset();
  }
  if (ready_.empty()) return;
  std::int64_t bytes = 0;
  for (const wharf::Delivered& delivered : ready_) bytes += delivered.message->facts.size;
  receiver_->NoteWritten(ready_.size(), bytes);
  Drop(std::exchange(ready_, {}));
}

template <typename Deliveries>
void ReceiveLink::Drop(const Deliveries& deliveries) const {
  TokenList tokens;
  for (const wharf::Delivered& delivered : deliveries) {
    if (wish_.locks()) {
      tokens.emplace_back(delivered.token);
    } else if (delivered.message->facts.has_large_body()) {
      receiver_->DropBody(*delivered.message->facts.body_ref);
    }
  }
  if (tokens.empty()) return;
  ReleaseUnheard(world_.requests,
                 {.peer = peer_, .door = Door::kAmqp, .tracking_id = NewTrackingId()}, entity(),
                 tokens);
}

// What it locks goes back. What it deletes is nowhere else: the broker is asked for no more, and
// says when the last has come.
void ReceiveLink::Close() {
  if (wish_.locks() || !is_accepted_ || wish_.is_always_empty || is_over()) return End();
  if (std::exchange(is_closing_, true)) return;
  world_.connection.unanswered_bytes().TakeAnyway(kClosingBytes);
  receiver_->Stop();
}

void ReceiveLink::TryEndClose(const Link& link) {
  if (!is_closing_ || !has_stopped_) return;
  const bool has_all_left = ready_.empty() && !outgoing_.has_value();
  const bool has_begun = outgoing_.has_value() && outgoing_->has_begun;
  if (has_all_left || (link.credit() == 0 && !has_begun)) End();
}

void ReceiveLink::End() {
  SettleKept();
  if (std::exchange(is_closing_, false)) {
    world_.connection.unanswered_bytes().GiveBack(kClosingBytes);
  }
  std::vector<wharf::Delivered> unheard;
  {
    MutexLock lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    unheard.swap(arrived_.deliveries);
  }
  std::move(ready_.begin(), ready_.end(), std::back_inserter(unheard));
  ready_.clear();
  // Who has not heard all of it has heard nothing.
  if (outgoing_) unheard.push_back(outgoing_->delivered());
  outgoing_.reset();
  session_.reset();
  Drop(unheard);
  receiver_->Detach();
}

const AcceptedSession* ReceiveLink::SessionOf(LaneId lane) const {
  return session_.has_value() && entity().lane == lane ? &*session_ : nullptr;
}

// --- settlements

void ReceiveLink::OnDisposed(const std::vector<DeliveryId>& deliveries, const Disposed& disposed) {
  Result<std::optional<Settlement>> settlement = SettlementOf(disposed.state);
  const TransactionalState* in = TransactionIn(disposed.state);
  if (in != nullptr && !settlement.ok()) world_.transactions.Fail(in->txn_id, settlement.status());
  if (in != nullptr && settlement.ok()) {
    // What a client has forgotten in a transaction that is none goes back.
    const Status unknown = world_.transactions.Check(in->txn_id);
    if (!unknown.ok() && !disposed.is_settled) settlement = unknown;
    if (!unknown.ok() && disposed.is_settled) settlement = RolledBack();
    if (!unknown.ok() || !settlement->has_value()) in = nullptr;
  }
  if (!settlement.ok()) {
    const Rejected why = world_.RejectedFor(settlement.status(), NewTrackingId());
    for (const DeliveryId delivery : deliveries) {
      Answer(delivery, why);
      // By that it is settled, and nobody can name it any more: its lock is left to its time.
      locked_.erase(delivery);
    }
    return;
  }
  // What a client forgets without an outcome goes back.
  if (disposed.is_settled && !settlement->has_value()) {
    settlement = std::optional(Settlement{.verb = SettleVerb::kRelease});
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
    if (part.empty()) continue;
    if (IsAccepted(disposed)) {
      KeepCompleted(part, tokens, disposed);
      continue;
    }
    SettleKept();
    if (in != nullptr) {
      SettleIn(in->txn_id, part, tokens, **settlement, disposed);
    } else {
      Settle(part, std::move(tokens), **settlement, disposed);
    }
  }
}

// Most clients say it of each message by itself.
void ReceiveLink::KeepCompleted(const std::vector<DeliveryId>& deliveries, const TokenList& tokens,
                                const Disposed& disposed) {
  const bool is_other = kept_.disposed.is_settled != disposed.is_settled;
  if (is_other || kept_.tokens.size() + tokens.size() > kItemsMax) SettleKept();
  world_.connection.unanswered_bytes().TakeAnyway(tokens.size() * kSettlementBytes);
  kept_.deliveries.insert(kept_.deliveries.end(), deliveries.begin(), deliveries.end());
  kept_.tokens.insert(kept_.tokens.end(), tokens.begin(), tokens.end());
  kept_.disposed.is_settled = disposed.is_settled;
  kept_.disposed.state = disposed.state;
  if (kept_.tokens.size() >= kKeptMax) SettleKept();
}

void ReceiveLink::SettleKept() {
  if (kept_.tokens.empty()) return;
  Kept kept = std::exchange(kept_, {});
  world_.connection.unanswered_bytes().GiveBack(kept.tokens.size() * kSettlementBytes);
  Settle(kept.deliveries, std::move(kept.tokens), {.verb = SettleVerb::kComplete}, kept.disposed);
}

void ReceiveLink::Settle(const std::vector<DeliveryId>& deliveries, TokenList tokens,
                         Settlement settlement, const Disposed& disposed) {
  const Caller caller = world_.CallerWith(permit_);
  std::optional<DeliveryState> said;
  if (!disposed.is_settled) said = disposed.state;
  const std::size_t bytes = tokens.size() * kSettlementBytes;
  AskFor(world_, caller, SettleRequest{entity(), std::move(tokens), std::move(settlement)}, bytes,
         [self = shared_from_this(), deliveries, said,
          id = caller.tracking_id](const Result<SettleReceipt>& receipt) {
           if (said.has_value()) self->OnSettled(deliveries, *said, id, receipt);
         });
}

// Of what its client has forgotten, when it is rolled back (TXN-12).
std::optional<Settlement> ReceiveLink::RolledBack() const {
  return Settlement{.verb = wish_.counts_rollbacks ? SettleVerb::kAbandon : SettleVerb::kRelease};
}

// A client that has forgotten them gets those again that do not become a part of it, and all of
// them when it is rolled back (TXN-12). Where that counts, what does not become a part of it has
// made it fail, and is failed with it.
void ReceiveLink::SettleIn(const Binary& txn_id, const std::vector<DeliveryId>& deliveries,
                           const TokenList& tokens, Settlement settlement,
                           const Disposed& disposed) {
  const Caller caller = world_.CallerWith(permit_);
  std::optional<DeliveryState> said;
  if (!disposed.is_settled) said = disposed.state;
  SettleMessages settle{.tokens = {}, .settlement = std::move(settlement)};
  for (const Result<LockToken>& token : tokens) settle.tokens.push_back(*token);
  const bool counts = disposed.is_settled && wish_.counts_rollbacks;
  settle.is_forgotten = disposed.is_settled && !counts;
  if (counts) world_.transactions.NoteForgotten(txn_id, entity(), tokens);
  world_.transactions.Add(
      world_, caller, txn_id, {.path = wish_.path, .what = std::move(settle)},
      tokens.size() * kSettlementBytes,
      [self = shared_from_this(), deliveries, tokens, said, counts,
       id = caller.tracking_id](const Status& added) {
        if (said.has_value()) {
          self->OnSettled(deliveries, *said, id, SettleReceipt(deliveries.size(), added));
        } else if (!added.ok() && !counts) {
          ReleaseUnheard(self->world_.requests,
                         {.peer = self->peer_, .door = Door::kAmqp, .tracking_id = id},
                         self->entity(), tokens);
        }
      });
}

void ReceiveLink::OnSettled(const std::vector<DeliveryId>& deliveries, const DeliveryState& said,
                            const TrackingId& tracking_id, const Result<SettleReceipt>& receipt) {
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const Status status = receipt.ok() ? (*receipt)[i] : receipt.status();
    Answer(deliveries[i], status.ok() ? AnswerTo(said) : world_.RejectedFor(status, tracking_id));
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
      std::move(deliveries.begin(), deliveries.end(), std::back_inserter(arrived_.deliveries));
    }
  }
  if (!is_late) return Wake();
  Drop(deliveries);
}

void ReceiveLink::OnDrained(Credit left) {
  {
    MutexLock lock(mutex_);
    arrived_.drained = arrived_.drained.value_or(0) + left.messages;
  }
  Wake();
}

void ReceiveLink::OnStopped() {
  {
    MutexLock lock(mutex_);
    arrived_.is_stopped = true;
  }
  Wake();
}

void ReceiveLink::OnSessionAccepted(const AcceptedSession& session) {
  {
    MutexLock lock(mutex_);
    arrived_.session = session;
  }
  Wake();
}

void ReceiveLink::OnDetached(Status reason) {
  {
    MutexLock lock(mutex_);
    arrived_.detached = std::move(reason);
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
