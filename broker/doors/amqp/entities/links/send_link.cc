#include "broker/doors/amqp/entities/links/send_link.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "broker/core/entities/names.h"
#include "broker/core/queue/gates.h"
#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/transactions/transaction_node.h"
#include "broker/doors/amqp/jms/delivery_time.h"
#include "broker/doors/amqp/message/batch.h"

namespace wharf::amqp {
namespace {

constexpr std::uint64_t kBatchBytesMax = 1 << 20;
constexpr std::size_t kLookPace = std::size_t{64} << 10;
constexpr std::size_t kAroundBytesMax = std::size_t{64} << 10;
// What it takes of the limit in the broker.
constexpr std::uint64_t kDrawnIdBytesMax = 64;

Status TooMuch() { return {ErrorCode::kServiceBusy, "too much is on its way on this connection"}; }

Status TooLargeToHold() {
  return {ErrorCode::kMessageSizeExceeded,
          "over 1 MiB no batch is sent, and nothing in a transaction"};
}

// The end of the broker is told by the end of the connection.
bool IsOfEntity(const Status& closed) {
  return closed.code() == ErrorCode::kMessagingEntityNotFound ||
         closed.code() == ErrorCode::kMessagingEntityDisabled;
}

// Its messages come from elsewhere.
bool TakesNothing(const std::string& path) {
  const Address address = ParseAddress(path);
  return address.lane == LaneKind::kDeadLetter ||
         !SplitSubscriptionPath(address.entity).name.empty();
}

}  // namespace

SendLink::~SendLink() { GiveBackPartial(); }

void SendLink::End() {
  SendKept();
  // Of a message that has come in part; its client may commit before it hears of the end.
  if (txn_id_.has_value()) world_.transactions.Fail(*txn_id_, WithoutLink());
  large_.reset();
  GiveBackPartial();
  for (const auto& wait : std::exchange(closed_waits_, {})) wait->Cancel();
  has_ended_ = true;
}

void SendLink::Begin(const Attach& attach) {
  attach_.source = attach.source;
  attach_.target = attach.target;
  attach_.snd_settle_mode = attach.snd_settle_mode;
  AskAbout(EntityKind::kQueue);
}

// Who may send may know how much: whoever it is, the door asks.
void SendLink::AskAbout(EntityKind kind) {
  const std::string name = ParseAddress(world_.path).entity;
  world_.requests.Ask(DoorItself(world_.CallerWith(permit_)), GetEntityRequest{kind, name},
                      [weak = weak_from_this(), post = world_.connection.poster(),
                       kind](const Result<QueueSnapshot>& entity) {
                        post([weak, kind, entity] {
                          if (const auto self = weak.lock()) self->OnEntity(kind, entity);
                        });
                      });
}

void SendLink::OnEntity(EntityKind kind, const Result<QueueSnapshot>& entity) {
  const bool is_missing =
      !entity.ok() && entity.status().code() == ErrorCode::kMessagingEntityNotFound;
  if (is_missing && kind == EntityKind::kQueue) return AskAbout(EntityKind::kTopic);
  // Else it would be attached, and end at once.
  Status refused = entity.ok() ? CheckSend(entity->record) : entity.status();
  if (TakesNothing(world_.path)) {
    refused = {ErrorCode::kInvalidOperation,
               "messages are sent to queues and topics, and to nothing below them"};
  }
  if (!refused.ok()) return world_.Refuse(refused, NewTrackingId());
  if (!via_.empty() && !world_.requests.Find(via_).lane.has_value()) {
    LinkWorld by = world_;
    by.path = via_;
    return by.Refuse({ErrorCode::kMessagingEntityNotFound, "there is no entity to send by way of"},
                     NewTrackingId());
  }
  const auto bytes_max = static_cast<std::uint64_t>(entity->record.description.message_bytes_max());
  attach_.max_message_size = message_bytes_max_ = bytes_max;
  may_keep_ = !entity->record.description.requires_duplicate_detection;
  attach_.properties.emplace().Add(
      Value(Symbol{"com.microsoft:max-message-batch-size"}),
      Value(static_cast<std::int64_t>(std::min(bytes_max, kBatchBytesMax))));
  world_.Accept(std::move(attach_));
  AwaitClosed(world_.path);
  if (!via_.empty()) AwaitClosed(via_);
  GiveCredit();
}

// Whatever is sent behind that is told by itself why it is not taken. The door asks, as it does for
// the entity: what the link may do by way of another one was proven by another permit.
void SendLink::AwaitClosed(const std::string& path) {
  closed_waits_.push_back(world_.requests.Wait(
      DoorItself(world_.CallerWith(permit_)), AwaitClosedRequest{world_.requests.Find(path)},
      [weak = weak_from_this(),
       post = world_.connection.poster()](const Result<std::monostate>& closed) {
        if (!IsOfEntity(closed.status())) return;
        post([weak, why = closed.status()] {
          if (const auto self = weak.lock()) self->OnEntityClosed(why);
        });
      }));
}

// Clients wait for the outcome of what they sent before they hear of the end.
void SendLink::OnEntityClosed(const Status& why) {
  if (has_ended_) return;
  if (large_ != nullptr && !large_->is_answered()) --unanswered_;
  // It says more than the end does.
  if (txn_id_.has_value()) world_.transactions.Fail(*txn_id_, why);
  End();
  closed_ = why;
  DetachIfAnswered();
}

void SendLink::DetachIfAnswered() {
  if (!closed_.ok() && unanswered_ == 0) world_.Detach(closed_);
}

void SendLink::RefuseLate(const Delivered& part) {
  if (closed_.ok()) return;
  if (const auto* const in = TransactionIn(part.state)) {
    world_.transactions.Fail(in->txn_id, closed_);
  }
  if (part.is_last && !part.is_settled) Reject(part.delivery, closed_, NewTrackingId());
}

void SendLink::OnDelivered(const Delivered& part) {
  if (has_ended_) return RefuseLate(part);
  Collect(part);
  if (!part.is_last && !part.is_aborted) return;
  if (large_ != nullptr) {
    EndLarge(part);
  } else if (!part.is_aborted) {
    Handle(part);
  }
  GiveBackPartial();
  is_small_ = false;
  look_at_ = 0;
  refused_ = Status();
  txn_id_.reset();
  GiveCredit();
}

void SendLink::Collect(const Delivered& part) {
  if (const auto* const in = TransactionIn(part.state)) txn_id_ = in->txn_id;
  if (refused_.ok() && part.is_too_large) {
    refused_ = {ErrorCode::kMessageSizeExceeded, "the message is larger than may be"};
  }
  if (large_ != nullptr) {
    // Its first part did not say so.
    if (refused_.ok() && txn_id_.has_value()) refused_ = TooLargeToHold();
    if (refused_.ok()) large_->Add(part.payload);
    return;
  }
  if (refused_.ok() && message_.size() + part.payload.size() > HeldBytesMax(part)) {
    if (!TryOpen(part)) return;
    return large_->Add(part.payload);
  }
  if (!refused_.ok()) return;
  // All of it is here, and read where it is.
  if (part.is_first && part.is_last) return;
  if (!world_.connection.partial_bytes().Take(part.payload.size())) {
    refused_ = TooMuch();
    return;
  }
  message_ += part.payload;
  if (!part.is_last && !is_small_ && message_.size() >= look_at_) TryLarge(part);
}

// Batches and transactions are smaller.
void SendLink::TryLarge(const Delivered& part) {
  is_small_ = part.message_format == kBatchFormat || txn_id_.has_value();
  if (is_small_) return;
  Result<std::optional<LargeSend::Begun>> begun = LargeSend::ReadBegin(message_);
  // What is wrong with it is said of all of it, if it may be held.
  is_small_ = !begun.ok();
  if (begun.ok() && begun->has_value()) return BeginLarge(part, **std::move(begun));
  // A client that says a byte at a time does not have all of it read each time.
  look_at_ = message_.size() + std::max(message_.size(), kLookPace);
}

// With what stands around it a message may have some more than its body.
std::size_t SendLink::HeldBytesMax(const Delivered& part) const {
  const bool is_alone = part.message_format != kBatchFormat && !txn_id_.has_value();
  return kHeldBodyBytesMax + (is_alone ? kAroundBytesMax : 0);
}

// Its beginning does not tell how long it is, and it is held no longer. False: it is refused.
bool SendLink::TryOpen(const Delivered& part) {
  if (part.message_format == kBatchFormat || txn_id_.has_value()) {
    refused_ = TooLargeToHold();
    return false;
  }
  Result<LargeSend::Begun> begun = LargeSend::ReadOpenBegin(message_);
  refused_ = begun.status();
  if (begun.ok()) BeginLarge(part, *std::move(begun));
  return large_ != nullptr;
}

void SendLink::BeginLarge(const Delivered& part, LargeSend::Begun begun) {
  if (world_.serves_jms) refused_ = jms::TakeDeliveryTime(begun.message);
  if (!refused_.ok()) return;
  ByteBudget& partial = world_.connection.partial_bytes();
  if (!partial.Take(LargeSend::HeldBytesOf(begun))) {
    refused_ = TooMuch();
    return;
  }
  SendKept();
  const Caller caller = world_.CallerWith(permit_);
  ++unanswered_;
  large_ = std::make_unique<LargeSend>(world_, caller, std::move(begun), message_,
                                       [weak = weak_from_this(), delivery = part.delivery,
                                        id = caller.tracking_id](const Status& sent) {
                                         const auto self = weak.lock();
                                         if (self != nullptr)
                                           self->OnSent(delivery, id, sent, Accepted());
                                       });
  GiveBackPartial();
}

// What is let go of before its end has failed: whoever refuses it answers it, unless the broker
// has.
void SendLink::EndLarge(const Delivered& part) {
  // One that is aborted never was.
  if (txn_id_.has_value() && !part.is_aborted) world_.transactions.Fail(*txn_id_, refused_);
  if (!part.is_aborted && refused_.ok()) {
    large_->End();
  } else if (!large_->is_answered()) {
    --unanswered_;
    const bool is_waited_for = !part.is_aborted && !part.is_settled;
    if (is_waited_for) Reject(part.delivery, refused_, NewTrackingId());
  }
  large_.reset();
}

void SendLink::Handle(const Delivered& part) {
  const std::string_view encoded = part.is_first ? part.payload : std::string_view(message_);
  Result<std::vector<Message>> messages = refused_.ok() ? MessagesOf(part.message_format, encoded)
                                                        : Result<std::vector<Message>>(refused_);
  if (!messages.ok()) {
    if (txn_id_.has_value()) world_.transactions.Fail(*txn_id_, messages.status());
    if (!part.is_settled) Reject(part.delivery, messages.status(), NewTrackingId());
    return;
  }
  if (messages->front().body.size() > kHeldBodyBytesMax) return HandleOpen(part);
  ++unanswered_;
  const bool is_alone = part.message_format != kBatchFormat && !txn_id_.has_value();
  // With an id that is drawn for it a message may be larger than it came; that is told with it
  // alone.
  const bool is_full = encoded.size() + kDrawnIdBytesMax > message_bytes_max_;
  if (is_alone && may_keep_ && !is_full) {
    return Keep(part, std::move(messages->front()), encoded.size());
  }
  SendKept();
  const Caller caller = world_.CallerWith(permit_);
  if (txn_id_.has_value()) {
    return SendIn(*txn_id_, part, *std::move(messages), encoded.size(), caller);
  }
  SendAlone(part, *std::move(messages), encoded.size(), caller);
}

// Of one that is whole, and whose body is stored as a large one all the same.
void SendLink::HandleOpen(const Delivered& part) {
  // No frame holds so much (DoorLimits::frame_bytes_max): all of it is in message_.
  assert(!part.is_first);
  if (TryOpen(part)) return EndLarge(part);
  if (txn_id_.has_value()) world_.transactions.Fail(*txn_id_, refused_);
  if (!part.is_settled) Reject(part.delivery, refused_, NewTrackingId());
}

// `bytes`: as it came.
void SendLink::Keep(const Delivered& part, Message message, std::size_t bytes) {
  bytes = std::max(bytes, kAskedBytesMin);
  world_.connection.unanswered_bytes().TakeAnyway(bytes);
  kept_.messages.push_back(std::move(message));
  kept_.deliveries.push_back(part.delivery);
  kept_.bytes += bytes;
  if (kept_.messages.size() >= kKeptMax || kept_.bytes >= kKeptBytesMax) SendKept();
}

void SendLink::SendKept() {
  if (kept_.messages.empty()) return;
  Kept kept = std::exchange(kept_, {});
  world_.connection.unanswered_bytes().GiveBack(kept.bytes);
  const Caller caller = world_.CallerWith(permit_);
  AskFor(world_, caller, SendRequest{{world_.path}, std::move(kept.messages)}, kept.bytes,
         [weak = weak_from_this(), deliveries = std::move(kept.deliveries),
          id = caller.tracking_id](const Result<SendReceipt>& receipt) {
           const auto self = weak.lock();
           for (std::size_t i = 0; self != nullptr && i < deliveries.size(); ++i) {
             const Status failed = receipt.ok() ? (*receipt)[i].status() : receipt.status();
             self->OnSent(deliveries[i], id, failed, Accepted());
           }
         });
}

void SendLink::SendAlone(const Delivered& part, std::vector<Message> messages, std::size_t bytes,
                         const Caller& caller) {
  AskFor(world_, caller,
         SendRequest{.entity = {world_.path},
                     .messages = std::move(messages),
                     .atomic = part.message_format == kBatchFormat,
                     .encoded_bytes = static_cast<std::int64_t>(bytes)},
         bytes,
         [weak = weak_from_this(), delivery = part.delivery,
          id = caller.tracking_id](const Result<SendReceipt>& receipt) {
           const auto self = weak.lock();
           if (self == nullptr) return;
           Status failed = receipt.status();
           for (std::size_t i = 0; failed.ok() && i < receipt->size(); ++i) {
             failed = (*receipt)[i].status();
           }
           self->OnSent(delivery, id, failed, Accepted());
         });
}

void SendLink::SendIn(const Binary& txn_id, const Delivered& part, std::vector<Message> messages,
                      std::size_t bytes, const Caller& caller) {
  world_.transactions.Add(
      world_, caller, txn_id,
      {.path = world_.path, .what = SendMessages{std::move(messages)}, .via = via_}, bytes,
      [weak = weak_from_this(), delivery = part.delivery, id = caller.tracking_id,
       outcome = AcceptedIn(txn_id)](const Status& added) {
        if (const auto self = weak.lock()) self->OnSent(delivery, id, added, outcome);
      });
}

Result<std::vector<Message>> SendLink::MessagesOf(std::uint32_t format,
                                                  std::string_view encoded) const {
  std::vector<std::string_view> split = {encoded};
  if (format == kBatchFormat) {
    Result<std::vector<std::string_view>> batch = SplitBatch(encoded, kItemsMax, {});
    if (!batch.ok()) return batch.status();
    split = *std::move(batch);
  }
  std::vector<Message> messages;
  messages.reserve(split.size());
  for (const std::string_view each : split) {
    Result<Message> message = MessageOf(each);
    if (!message.ok()) return message.status();
    if (world_.serves_jms) WHARF_RETURN_IF_ERROR(jms::TakeDeliveryTime(*message));
    // Clients cannot settle by default what has none.
    if (!HasId(*message)) message->message_id = wharf::ToString(NewTrackingId());
    messages.push_back(*std::move(message));
  }
  return messages;
}

void SendLink::OnSent(DeliveryId delivery, const TrackingId& tracking_id, const Status& failed,
                      DeliveryState outcome) {
  --unanswered_;
  Link* const link = world_.link();
  if (link == nullptr) return;
  if (failed.ok()) {
    link->Settle(delivery, std::move(outcome));
  } else {
    Reject(delivery, failed, tracking_id);
  }
  if (has_ended_) return DetachIfAnswered();
  GiveCredit();
}

// One that was settled when it came is not waited for.
void SendLink::Reject(DeliveryId delivery, const Status& why, const TrackingId& tracking_id) {
  Link* const link = world_.link();
  if (link != nullptr) link->Settle(delivery, world_.RejectedFor(why, tracking_id));
}

void SendLink::GiveBackPartial() {
  world_.connection.partial_bytes().GiveBack(message_.size());
  message_ = std::string();
}

void SendLink::GiveCredit() {
  Link* const link = world_.link();
  const std::uint32_t credit = kCredit - std::min(kCredit, unanswered_);
  if (link == nullptr || link->credit() >= credit / 2) return;
  link->SetCredit(credit);
}

}  // namespace wharf::amqp
