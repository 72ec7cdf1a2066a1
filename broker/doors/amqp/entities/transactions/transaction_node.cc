#include "broker/doors/amqp/entities/transactions/transaction_node.h"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace wharf::amqp {
namespace {

// For how long a transaction is remembered that has no end of its own.
constexpr std::chrono::hours kTimeMax{24};

Status Unknown() {
  return {ErrorCode::kTransactionUnknown,
          "Transaction hasn't been declared yet, or has already been discharged"};
}

// What this coordinator can do, whatever was asked for.
amqp::Coordinator Capable() {
  return {.capabilities = {Symbol{std::string(txn_capability::kLocalTransactions)},
                           Symbol{std::string(txn_capability::kMultiTxnsPerSsn)},
                           Symbol{std::string(txn_capability::kMultiSsnsPerTxn)}}};
}

}  // namespace

const TransactionalState* TransactionIn(const std::optional<DeliveryState>& state) {
  return state.has_value() ? std::get_if<TransactionalState>(&*state) : nullptr;
}

Status WithoutLink() {
  return {ErrorCode::kTransactionAborted, "the link of a part of it had ended before it was whole"};
}

DeliveryState AcceptedIn(const Binary& txn_id) {
  TransactionalState state;
  state.txn_id = txn_id;
  state.outcome.emplace(Accepted());
  return state;
}

// --- control links

void TransactionNode::Attach(const EntityLinks::Granted& granted) {
  amqp::Attach answer;
  answer.source = granted.attach.source;
  answer.target = Capable();
  answer.max_message_size = kMessageBytesMax;
  Control& control = links_[granted.link];
  control.permit = granted.permit;
  control.begun = std::make_shared<BegunTransactions>(requests_, stay_, connection_.peer());
  WorldOf(granted.link).Accept(std::move(answer));
  GiveCredit(granted.link);
}

// A message that its client has settled would have no answer (TXN-15).
void TransactionNode::OnDelivered(const Delivered& part) {
  const auto found = links_.find(part.link);
  if (found == links_.end()) return;
  if (part.is_settled) {
    Forget(part.link);
    return WorldOf(part.link).Detach(
        {ErrorCode::kInvalidOperation, "what is sent to the coordinator must not be settled"});
  }
  Control& control = found->second;
  Collect(control, part);
  if (!part.is_last && !part.is_aborted) return;
  if (!part.is_aborted) Handle(part.link, control, part.delivery);
  connection_.partial_bytes().GiveBack(control.message.size());
  control.message = std::string();
  control.refused = Status();
  GiveCredit(part.link);
}

void TransactionNode::Collect(Control& control, const Delivered& part) const {
  if (!control.refused.ok()) return;
  if (!part.is_too_large && connection_.partial_bytes().Take(part.payload.size())) {
    control.message += part.payload;
  } else {
    control.refused = {ErrorCode::kMessageSizeExceeded, "the message is larger than may be"};
  }
}

void TransactionNode::Handle(LinkId link, Control& control, DeliveryId delivery) {
  if (!control.refused.ok()) return Refuse(link, delivery, control.refused);
  const Result<ControlMessage> said = ReadControlMessage(control.message);
  if (!said.ok()) return Refuse(link, delivery, said.status());
  if (const auto* const declare = std::get_if<amqp::Declare>(&*said)) {
    return Declare(link, control, *declare, delivery);
  }
  Discharge(link, control, std::get<amqp::Discharge>(*said), delivery);
}

void TransactionNode::Renew(LinkId link, const access::PermitPtr& permit) {
  const auto found = links_.find(link);
  if (found != links_.end()) found->second.permit = permit;
}

void TransactionNode::Forget(LinkId link) {
  const auto found = links_.find(link);
  if (found == links_.end()) return;
  found->second.begun->End();
  connection_.partial_bytes().GiveBack(found->second.message.size());
  links_.erase(found);
  absl::erase_if(transactions_, [link](const auto& each) { return each.second->link == link; });
}

void TransactionNode::End() {
  for (const auto& [id, control] : links_) control.begun->End();
}

// --- declare

void TransactionNode::Declare(LinkId link, Control& control, const amqp::Declare& declare,
                              DeliveryId delivery) {
  Status refused = CheckRoom();
  if (declare.global_id.has_value() && declare.global_id->As<Null>() == nullptr) {
    refused = {ErrorCode::kNotImplemented, "transactions are local: there is no global-id"};
  }
  if (!refused.ok()) return Refuse(link, delivery, refused);
  ++beginning_;
  ++control.unanswered;
  const LinkWorld world = WorldOf(link);
  const Caller caller = world.CallerWith(control.permit);
  AskFor(
      world, caller, BeginTransactionRequest{}, 0,
      [this, link, delivery, id = caller.tracking_id](const Result<TransactionRecord>& record) {
        OnBegun(link, delivery, id, record);
      },
      [begun = control.begun](const Result<TransactionRecord>& record) {
        if (record.ok()) begun->Add(record->id);
      });
}

// One that its client never ends should not keep it from others.
Status TransactionNode::CheckRoom() {
  if (transactions_.size() + beginning_ < kTransactionsMax) return {};
  const Connection::Instant now = connection_.now();
  absl::erase_if(transactions_, [this, now](const auto& each) {
    const Transaction& transaction = *each.second;
    const bool is_idle = transaction.under_way == 0 && !transaction.ending.has_value();
    if (!is_idle || transaction.expires_at > now) return false;
    FailForgotten(links_.at(transaction.link).begun->Remove(each.first), [] {});
    return true;
  });
  if (transactions_.size() + beginning_ < kTransactionsMax) return {};
  return {ErrorCode::kQuotaExceeded,
          "the connection has declared as many transactions as it may have open"};
}

void TransactionNode::OnBegun(LinkId link, DeliveryId delivery, const TrackingId& tracking_id,
                              const Result<TransactionRecord>& record) {
  --beginning_;
  const auto found = links_.find(link);
  // It is rolled back with its link.
  if (found == links_.end()) return;
  --found->second.unanswered;
  if (record.ok()) {
    const auto open_for =
        std::min<Duration>(record->ends_at - record->begun_at, Duration(kTimeMax));
    transactions_.emplace(
        record->id, std::make_shared<Transaction>(
                        Transaction{.link = link, .expires_at = connection_.now() + open_for}));
    Answer(link, delivery, Declared{.txn_id = Binary{record->id}});
  } else {
    Answer(link, delivery, WorldOf(link).RejectedFor(record.status(), tracking_id));
  }
  GiveCredit(link);
}

// --- work

TransactionNode::TransactionPtr TransactionNode::Find(const Binary& txn_id) const {
  const auto found = transactions_.find(txn_id.bytes);
  if (found == transactions_.end() || found->second->ending.has_value()) return nullptr;
  return found->second;
}

Status TransactionNode::Check(const Binary& txn_id) const {
  return Find(txn_id) == nullptr ? Unknown() : Status();
}

void TransactionNode::Add(const LinkWorld& world, Caller caller, const Binary& txn_id,
                          wharf::Operation operation, std::size_t bytes, Added then) {
  const TransactionPtr transaction = Find(txn_id);
  if (transaction == nullptr) return then(Unknown());
  if (!transaction->failed.ok()) return then(transaction->failed);
  ++transaction->under_way;
  caller.owns_transaction = true;
  AskFor(world, caller, AddToTransactionRequest{txn_id.bytes, std::move(operation)}, bytes,
         [this, id = txn_id.bytes, transaction,
          then = std::move(then)](const Result<TransactionRecord>& record) {
           then(record.status());
           OnAdded(id, transaction, record.status());
         });
}

void TransactionNode::OnAdded(const TransactionId& id, const TransactionPtr& transaction,
                              const Status& added) {
  --transaction->under_way;
  if (transaction->failed.ok()) transaction->failed = added;
  if (transactions_.contains(id)) TryEnd(id, transaction);
}

void TransactionNode::Fail(const Binary& txn_id, const Status& why) {
  const TransactionPtr transaction = Find(txn_id);
  if (transaction != nullptr && transaction->failed.ok()) transaction->failed = why;
}

void TransactionNode::NoteForgotten(const Binary& txn_id, const EntityRef& entity,
                                    const TokenList& tokens) {
  const TransactionPtr transaction = Find(txn_id);
  if (transaction == nullptr) return;
  links_.at(transaction->link).begun->NoteForgotten(txn_id.bytes, entity, tokens);
}

// --- discharge

void TransactionNode::Discharge(LinkId link, Control& control, const amqp::Discharge& discharge,
                                DeliveryId delivery) {
  const TransactionPtr transaction = Find(discharge.txn_id);
  if (transaction == nullptr || transaction->link != link) return Refuse(link, delivery, Unknown());
  ++control.unanswered;
  transaction->ending = Ending{.delivery = delivery, .is_commit = !discharge.fail.value_or(false)};
  TryEnd(discharge.txn_id.bytes, transaction);
}

void TransactionNode::TryEnd(const TransactionId& id, const TransactionPtr& transaction) {
  if (!transaction->ending.has_value() || transaction->under_way > 0) return;
  if (transaction->ending->is_commit && transaction->failed.ok()) {
    return AskToEnd<CommitTransactionRequest>(id, transaction);
  }
  AskToEnd<RollBackTransactionRequest>(id, transaction);
}

template <typename Request>
void TransactionNode::AskToEnd(const TransactionId& id, const TransactionPtr& transaction) {
  const LinkWorld world = WorldOf(transaction->link);
  const Control& control = links_.at(transaction->link);
  Caller caller = world.CallerWith(control.permit);
  caller.owns_transaction = true;
  AskFor(world, caller, Request{id}, 0,
         [this, id, transaction, tracking_id = caller.tracking_id,
          forgotten = control.begun->Remove(id)](const Result<TransactionRecord>& record) {
           const auto end = [this, id, transaction, tracking_id, ended = record.status()] {
             if (transactions_.erase(id) > 0) OnEnded(*transaction, ended, tracking_id);
           };
           const bool is_commit = std::is_same_v<Request, CommitTransactionRequest>;
           if (is_commit && record.ok()) return end();
           FailForgotten(forgotten, end);
         });
}

// Its client is answered behind that, and meets none of them as one that it has not had yet.
void TransactionNode::FailForgotten(const std::vector<ForgottenLocks>& forgotten,
                                    std::function<void()> then) {
  if (forgotten.empty()) return then();
  const LinkWorld world = WorldOf(LinkId());
  const Caller caller = DoorItself(world.CallerWith(nullptr));
  const auto left = std::make_shared<std::size_t>(forgotten.size());
  for (const ForgottenLocks& each : forgotten) {
    AskFor(world, caller, FailureOf(each), each.tokens.size() * sizeof(LockToken),
           [left, then](const Result<SettleReceipt>&) {
             if (--*left == 0) then();
           });
  }
}

// Whether its time was over before is told by the clock that its begin set: the broker remembers
// only that it was rolled back.
void TransactionNode::OnEnded(const Transaction& transaction, const Status& ended,
                              const TrackingId& tracking_id) {
  const LinkId link = transaction.link;
  --links_.at(link).unanswered;
  Status why = ended;
  // Who wanted it rolled back has it so, however it came about.
  if (transaction.ending->is_commit && !transaction.failed.ok()) why = transaction.failed;
  if (!transaction.ending->is_commit && why.code() == ErrorCode::kTransactionAborted)
    why = Status();
  if (why.ok()) {
    Answer(link, transaction.ending->delivery, Accepted());
  } else {
    Rejected rejected = WorldOf(link).RejectedFor(why, tracking_id);
    const bool is_late = connection_.now() >= transaction.expires_at;
    const bool is_rolled_back =
        !transaction.failed.ok() || why.code() == ErrorCode::kTransactionAborted;
    if (is_rolled_back) {
      rejected.error->condition.text = is_late ? transaction_error::kTransactionTimeout
                                               : transaction_error::kTransactionRollback;
    }
    Answer(link, transaction.ending->delivery, std::move(rejected));
  }
  GiveCredit(link);
}

// --- answers

void TransactionNode::Answer(LinkId link, DeliveryId delivery, DeliveryState state) {
  Link* const there = connection_.endpoint().FindLink(link);
  if (there != nullptr) there->Settle(delivery, std::move(state));
}

void TransactionNode::Refuse(LinkId link, DeliveryId delivery, const Status& why) {
  Answer(link, delivery, WorldOf(link).RejectedFor(why, NewTrackingId()));
}

void TransactionNode::GiveCredit(LinkId link) {
  Link* const there = connection_.endpoint().FindLink(link);
  const auto found = links_.find(link);
  if (there == nullptr || found == links_.end()) return;
  const std::uint32_t credit = kCredit - std::min(kCredit, found->second.unanswered);
  if (there->credit() < credit / 2) there->SetCredit(credit);
}

}  // namespace wharf::amqp
