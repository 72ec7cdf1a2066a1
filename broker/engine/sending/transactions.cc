#include "broker/engine/sending/transactions.h"

#include <fmt/core.h>

#include "broker/reading/transaction_reader.h"

namespace wharf {
namespace {

Status Unknown(const TransactionId& id) {
  return {ErrorCode::kTransactionUnknown,
          fmt::format("there is no open transaction '{}': it was never begun, or has ended", id)};
}

Status BeingCommitted(const TransactionId& id) {
  return {ErrorCode::kTransactionUnknown,
          fmt::format("transaction '{}' is being committed: nothing more can be added", id)};
}

Status Aborted(const TransactionId& id, std::string_view reason) {
  return {ErrorCode::kTransactionAborted,
          fmt::format("transaction '{}' is rolled back: {}", id, reason)};
}

// How callers that come late hear of an end: one that adds to it...
Result<TransactionRecord> ToldToAdd(const TransactionRecord& record) {
  if (record.state == TransactionState::kRolledBack) return Aborted(record.id, record.reason);
  return Unknown(record.id);
}
// ...commits it...
Result<TransactionRecord> ToldToCommit(const TransactionRecord& record) {
  if (record.state == TransactionState::kRolledBack) return Aborted(record.id, record.reason);
  return record;
}
// ...rolls it back...
Result<TransactionRecord> ToldToRollBack(const TransactionRecord& record) {
  if (record.state == TransactionState::kRolledBack) return record;
  return Status(ErrorCode::kTransactionUnknown,
                fmt::format("transaction '{}' is committed: it cannot be rolled back", record.id));
}
// ...or just asks.
Result<TransactionRecord> ToldToAll(const TransactionRecord& record) { return record; }

// Whether it needs room on the disk.
bool Stores(const Operation& operation) {
  const auto* state = std::get_if<SetState>(&operation.what);
  return std::holds_alternative<SendMessages>(operation.what) ||
         (state != nullptr && state->state.has_value());
}

Status UsedBefore(const TransactionId& id) {
  return {ErrorCode::kInvalidOperation,
          fmt::format("transaction_id '{}' was used before; take another one", id)};
}

Status StillOpen(const TransactionId& id) {
  return {ErrorCode::kInvalidOperation,
          fmt::format("transaction '{}' was begun and is open: commit it, roll it back, or take "
                      "another transaction_id",
                      id)};
}

Status OnePlace(const Status& cause, std::size_t place) {
  return {cause.code(), fmt::format("operation {}: {}", place, cause.message()), cause.outcome()};
}

}  // namespace

void Transactions::Start(const std::vector<TransactionRecord>& left_open, Turn& turn) {
  for (const TransactionRecord& record : left_open) left_open_.emplace(record.id, record);
  PlanDue(turn);
}

void Transactions::EndLeftOpen(const TransactionId& id, Turn& turn) {
  auto left = left_open_.extract(id);
  if (left.empty()) return;
  TransactionRecord record = std::move(left.mapped());
  record.state = TransactionState::kRolledBack;
  record.ends_at = turn.now;
  record.forget_after = After(turn.now, limits_.outcomes_kept);
  record.reason = "the broker was restarted";
  turn.changes.push_back(TransactionEnded{std::move(record), true});
}

void Transactions::Run(std::optional<TransactionId> id, std::vector<Operation> operations,
                       const Asker& asker, Answered answered, Turn& turn) {
  if (Status refused = CheckRun(operations); !refused.ok()) {
    return std::move(answered)(turn, std::move(refused));
  }
  if (Transaction* known = id ? Find(*id) : nullptr; known != nullptr) {
    if (!asker.Sees(known->owner)) return std::move(answered)(turn, UsedBefore(*id));
    // The same call, again, while the first is on its way.
    if (known->phase == Phase::kEnding) return known->answers.push_back(std::move(answered));
    if (known->phase == Phase::kOpen) return std::move(answered)(turn, StillOpen(*id));
    return TellEnd(*id, asker, std::move(answered), turn, ToldToCommit, UsedBefore);
  }
  Transaction& transaction = Make(id, asker, std::move(answered), turn.now);
  transaction.phase = Phase::kEnding;
  for (Operation& operation : operations) Take(transaction, std::move(operation));
  if (!id) return TryCommit(transaction.id, turn);
  LookUp(*id, turn, [this, id = *id, asker](Turn& later, Known ended) {
    Transaction& looked_up = *Find(id);
    if (ended.ok() && !*ended) return TryCommit(id, later);
    const bool is_seen = ended.ok() && asker.Sees((*ended)->owner);
    const Status refused = ended.ok() ? UsedBefore(id) : ended.status();
    AnswerAll(looked_up, is_seen ? ToldToCommit(**ended) : refused, later);
    Forget(looked_up);
  });
}

void Transactions::Begin(std::optional<TransactionId> id, const Asker& asker, Answered answered,
                         Turn& turn) {
  if (Transaction* known = id ? Find(*id) : nullptr; known != nullptr) {
    if (!asker.Sees(known->owner)) return std::move(answered)(turn, UsedBefore(*id));
    if (known->phase == Phase::kBeginning) return known->answers.push_back(std::move(answered));
    const bool is_open = known->phase == Phase::kOpen;
    return std::move(answered)(turn, is_open ? Result(RecordOf(*known)) : UsedBefore(*id));
  }
  if (begun_ >= limits_.open_max) {
    return std::move(answered)(
        turn, Status(ErrorCode::kQuotaExceeded,
                     fmt::format("{} transactions are open, as many as may be", begun_)));
  }
  Transaction& transaction = Make(id, asker, std::move(answered), turn.now);
  ++begun_;
  if (!id) return Open(transaction, turn);
  LookUp(*id, turn, [this, id = *id](Turn& later, Known ended) {
    Transaction& looked_up = *Find(id);
    Status refused = ended.status();
    if (refused.ok()) refused = *ended ? UsedBefore(id) : context_.open.Check();
    if (refused.ok()) return Open(looked_up, later);
    AnswerAll(looked_up, refused, later);
    Forget(looked_up);
  });
}

void Transactions::Open(Transaction& transaction, Turn& turn) {
  transaction.phase = Phase::kOpen;
  transaction.was_begun = true;
  transaction.begun_at = turn.now;
  transaction.deadline = After(turn.now, limits_.time_max);
  deadlines_.emplace(transaction.deadline, transaction.id);
  turn.changes.push_back(TransactionBegun{transaction.id, turn.now, transaction.owner});
  AnswerAll(transaction, RecordOf(transaction), turn);
}

void Transactions::Add(const TransactionId& id, Result<Operation> operation, const Asker& asker,
                       Answered answered, Turn& turn) {
  Transaction* const transaction = FindLookedUp(id, asker);
  if (transaction == nullptr) {
    return TellEnd(id, asker, std::move(answered), turn, ToldToAdd, Unknown);
  }
  if (transaction->phase != Phase::kOpen) return std::move(answered)(turn, BeingCommitted(id));
  Status refused = CheckAdd(*transaction, operation, turn);
  if (refused.ok()) {
    Reserve(*transaction, *operation);
    // A send or a settlement is a use when it is asked for, whether it comes to a commit or not.
    const EntityFinder::Target target = *finder_.Resolve(operation->path);
    context_.touched.NoteUse(*target.queue, target.lane, turn.now);
    Take(*transaction, *std::move(operation));
    return std::move(answered)(turn, RecordOf(*transaction));
  }
  // A broker that is too busy may take it a moment later; anything else cannot be made good.
  const bool is_final = transaction->failure.ok() && refused.code() != ErrorCode::kServiceBusy;
  if (is_final) transaction->failure = refused;
  std::move(answered)(turn, std::move(refused));
}

void Transactions::Commit(const TransactionId& id, const Asker& asker, Answered answered,
                          Turn& turn) {
  Transaction* const transaction = FindLookedUp(id, asker);
  if (transaction == nullptr) {
    return TellEnd(id, asker, std::move(answered), turn, ToldToCommit, Unknown);
  }
  transaction->answers.push_back(std::move(answered));
  if (transaction->phase == Phase::kEnding) return;
  if (!transaction->failure.ok()) return Fail(*transaction, transaction->failure, turn);
  transaction->phase = Phase::kEnding;
  deadlines_.erase({std::exchange(transaction->deadline, kNever), id});
  TryCommit(id, turn);
}

void Transactions::RollBack(const TransactionId& id, const Asker& asker, Answered answered,
                            Turn& turn) {
  Transaction* const transaction = FindLookedUp(id, asker);
  if (transaction == nullptr) {
    return TellEnd(id, asker, std::move(answered), turn, ToldToRollBack, Unknown);
  }
  if (transaction->phase == Phase::kEnding) {
    return std::move(answered)(
        turn, Status(ErrorCode::kServiceBusy,
                     fmt::format("transaction '{}' is being committed; ask how it ended", id)));
  }
  transaction->answers.push_back(std::move(answered));
  RollBack(*transaction, "its client asked for it", turn);
}

void Transactions::Get(const TransactionId& id, const Asker& asker, Answered answered, Turn& turn) {
  Transaction* const transaction = FindLookedUp(id, asker);
  if (transaction == nullptr) {
    return TellEnd(id, asker, std::move(answered), turn, ToldToAll, Unknown);
  }
  if (transaction->was_begun) return std::move(answered)(turn, RecordOf(*transaction));
  // It comes in one call, perhaps again: how it ended is told when that is known. One that failed
  // is not remembered, and what its id did before stands in the store.
  transaction->answers.emplace_back([this, id, asker, answered = std::move(answered)](
                                        Turn& later, Result<TransactionRecord> ended) mutable {
    if (ended.ok()) return std::move(answered)(later, std::move(ended));
    TellEnd(id, asker, std::move(answered), later, ToldToAll, Unknown);
  });
}

Status Transactions::CheckFree(LaneId lane, const LockToken& token) const {
  if (pending_.empty()) return {};
  const auto taken = pending_.find({lane, token});
  if (taken == pending_.end()) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("the message is settled by transaction '{}', which is open", taken->second)};
}

// What is left then is due at once, in the next turn.
void Transactions::PlanDue(Turn& turn) {
  std::size_t room = kEndsPerTurn;
  for (; room > 0 && !left_open_.empty(); --room) EndLeftOpen(left_open_.begin()->first, turn);
  for (;
       room > 0 && !deadlines_.empty() && deadlines_.begin()->first <= turn.now && !turn.is_full();
       --room) {
    RollBack(
        *Find(deadlines_.begin()->second),
        fmt::format("it was open for more than {} s",
                    std::chrono::duration_cast<std::chrono::seconds>(limits_.time_max).count()),
        turn);
  }
}

Timestamp Transactions::next_deadline() const {
  if (!left_open_.empty()) return {};
  return deadlines_.empty() ? kNever : deadlines_.begin()->first;
}

Transactions::Transaction& Transactions::Make(const std::optional<TransactionId>& id,
                                              const Asker& asker, Answered answered,
                                              Timestamp now) {
  auto made = std::make_unique<Transaction>(
      Transaction{.id = id ? *id : DrawId(), .owner = asker.owner, .begun_at = now});
  made->answers.push_back(std::move(answered));
  Transaction& transaction = *made;
  transactions_[transaction.id] = std::move(made);
  return transaction;
}

Transactions::Transaction* Transactions::Find(const TransactionId& id) const {
  const auto found = transactions_.find(id);
  return found == transactions_.end() ? nullptr : found->second.get();
}

Transactions::Transaction* Transactions::FindLookedUp(const TransactionId& id,
                                                      const Asker& asker) const {
  Transaction* const transaction = Find(id);
  const bool is_looked_up = transaction != nullptr && transaction->phase != Phase::kBeginning &&
                            asker.Sees(transaction->owner);
  return is_looked_up ? transaction : nullptr;
}

// A random UUID.
TransactionId Transactions::DrawId() {
  const std::uint64_t high = (random_.Next() & ~std::uint64_t{0xF000}) | 0x4000;
  const std::uint64_t low = (random_.Next() >> 2) | (std::uint64_t{1} << 63);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF,
                     high & 0xFFFF, low >> 48, low & 0xFFFFFFFFFFFF);
}

TransactionRecord Transactions::RecordOf(const Transaction& transaction) const {
  return {.id = transaction.id,
          .state = TransactionState::kOpen,
          .begun_at = transaction.begun_at,
          .ends_at = transaction.deadline,
          .reason = transaction.failure.ok() ? "" : transaction.failure.ToString(),
          .operations = transaction.operations.size(),
          .owner = transaction.owner};
}

Status Transactions::CheckRoom(const Transaction& transaction, const Operation& operation) const {
  if (transaction.messages + MessagesIn(operation) > limits_.messages_max) {
    return {ErrorCode::kTransactionSizeExceeded,
            fmt::format("Cannot send more than {} messages in a single transaction.",
                        limits_.messages_max)};
  }
  if (transaction.tokens + TokensIn(operation) > limits_.tokens_max) {
    return {ErrorCode::kTransactionSizeExceeded,
            fmt::format("a transaction holds at most {} lock tokens", limits_.tokens_max)};
  }
  if (transaction.bytes + BytesIn(operation) > limits_.bytes_max) {
    return {ErrorCode::kTransactionSizeExceeded,
            fmt::format("a transaction holds at most {} bytes", limits_.bytes_max)};
  }
  if (held_bytes_ + transaction.bytes + BytesIn(operation) > limits_.held_bytes_max) {
    return {ErrorCode::kServiceBusy, "transactions hold as much memory as they may"};
  }
  return {};
}

Status Transactions::CheckRun(const std::vector<Operation>& operations) const {
  if (operations.empty()) return {ErrorCode::kArgumentError, "the transaction has no operations"};
  Transaction all;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Status refused = CheckOperation(operations[i]);
    if (refused.ok()) refused = CheckRoom(all, operations[i]);
    if (!refused.ok()) return OnePlace(refused, i + 1);
    all.messages += MessagesIn(operations[i]);
    all.tokens += TokensIn(operations[i]);
    all.bytes += BytesIn(operations[i]);
  }
  return {};
}

// Against the entity as it is now: what will be there at the commit is checked then.
Status Transactions::CheckAdd(Transaction& transaction, Result<Operation>& operation, Turn& turn) {
  if (!transaction.failure.ok()) {
    return {ErrorCode::kTransactionAborted,
            fmt::format("transaction '{}' can only be rolled back: {}", transaction.id,
                        transaction.failure.ToString())};
  }
  WHARF_RETURN_IF_ERROR(operation.status());
  WHARF_RETURN_IF_ERROR(CheckOperation(*operation));
  WHARF_RETURN_IF_ERROR(CheckRoom(transaction, *operation));
  TransactionFound nothing;
  TransactionPlan alone(nothing, turn.now);
  return AddToPlan(transaction, *operation, TransactionId(), alone);
}

void Transactions::Take(Transaction& transaction, Operation operation) {
  transaction.messages += MessagesIn(operation);
  transaction.tokens += TokensIn(operation);
  transaction.bytes += BytesIn(operation);
  held_bytes_ += BytesIn(operation);
  transaction.operations.push_back(std::move(operation));
}

// From now on nobody else settles these messages (TXN-13).
void Transactions::Reserve(Transaction& transaction, const Operation& operation) {
  const LaneId lane = finder_.Resolve(operation.path)->lane;
  for (const LockToken& token : SettledBy(operation)) {
    pending_.emplace(std::pair(lane, token), transaction.id);
    transaction.pending.emplace_back(lane, token);
  }
}

// A topic is one with its subscriptions (TXN-3).
EntityId Transactions::TopLevelOf(const Queue& queue) const {
  const Queue* const topic = context_.catalog.TopicOf(queue);
  return topic == nullptr ? queue.id() : topic->id();
}

Result<EntityId> Transactions::TopLevelOf(const Operation& operation, const Queue& queue) const {
  if (operation.via.empty()) return TopLevelOf(queue);
  const Result<EntityFinder::Target> via = finder_.Resolve(EntityRef{operation.via});
  if (!via.ok()) return via.status();
  return TopLevelOf(*via->queue);
}

// All of it is done in one turn.
Result<FanOut> Transactions::FanOutWith(const Transaction& transaction, const Queue& queue,
                                        const Operation& operation, Timestamp now) const {
  FanOut all = transaction.fan_out;
  if (const auto* send = std::get_if<SendMessages>(&operation.what)) {
    all.Add(FanOut::Of(topics_, queue, send->messages, now));
  }
  WHARF_RETURN_IF_ERROR(all.Check(ErrorCode::kTransactionSizeExceeded, "a transaction"));
  return all;
}

Status Transactions::AddToPlan(Transaction& transaction, Operation& operation,
                               const TransactionId& owner, TransactionPlan& plan) {
  const bool sends = std::holds_alternative<SendMessages>(operation.what);
  const Result<EntityFinder::Target> target = sends
                                                  ? finder_.ResolveSend(EntityRef{operation.path})
                                                  : finder_.ResolveHeld(EntityRef{operation.path});
  if (!target.ok()) return target.status();
  if (Stores(operation)) WHARF_RETURN_IF_ERROR(disk_.Check());
  const LaneId lane = target->lane;
  const Result<EntityId> top = TopLevelOf(operation, *target->queue);
  if (!top.ok()) return top.status();
  if (limits_.has_one_entity && transaction.only.value_or(*top) != *top) {
    return {ErrorCode::kInvalidOperation,
            "Local transactions cannot span multiple top-level entities such as queue or topic."};
  }
  for (const LockToken& token : SettledBy(operation)) {
    const auto taken = pending_.find({lane, token});
    if (taken != pending_.end() && taken->second != owner) return CheckFree(lane, token);
  }
  const Result<FanOut> fan_out = FanOutWith(transaction, *target->queue, operation, plan.now());
  if (!fan_out.ok()) return fan_out.status();
  WHARF_RETURN_IF_ERROR(plan.Add(*target->queue, lane.kind, operation));
  transaction.only = *top;
  transaction.fan_out = *fan_out;
  context_.touched.Touch(lane);
  return {};
}

Status Transactions::PlanAll(Transaction& transaction, TransactionPlan& plan) {
  std::size_t place = 0;
  transaction.only.reset();
  transaction.fan_out = {};
  for (Operation& operation : transaction.operations) {
    ++place;
    const Status refused = AddToPlan(transaction, operation, transaction.id, plan);
    if (!refused.ok()) return OnePlace(refused, place);
  }
  return {};
}

void Transactions::TryCommit(const TransactionId& id, Turn& turn) {
  Transaction& transaction = *Find(id);
  for (const auto& [entity, watch] : transaction.watches) {
    watch->AddTo(transaction.found.ids[entity]);
  }
  TransactionPlan plan(transaction.found, turn.now);
  if (const Status refused = PlanAll(transaction, plan); !refused.ok()) {
    return Fail(transaction, refused, turn);
  }
  TransactionReads missing = plan.Missing();
  if (!missing.empty()) return Read(id, std::move(missing), turn);
  if (const Status damaged = plan.CheckFound(); !damaged.ok()) {
    return Fail(transaction, damaged, turn);
  }
  for (const auto& [shelf, contents] : transaction.found.contents) {
    context_.touched.Touch({shelf.entity, LaneKind::kDeadLetter});
  }
  End(transaction, {.state = TransactionState::kCommitted, .results = plan.Apply(turn.changes)},
      turn);
}

// Messages that move stand in line with all others that do.
void Transactions::Read(const TransactionId& id, TransactionReads reads, Turn& turn) {
  if (reads.messages() > MoveLine::kMessagesPerStep) {
    return Fail(*Find(id),
                {ErrorCode::kTransactionSizeExceeded,
                 fmt::format("a transaction moves at most {} messages to dead-letter queues",
                             MoveLine::kMessagesPerStep)},
                turn);
  }
  if (reads.contents.empty()) return ReadNow(id, std::move(reads), turn);
  moves_.Enter(turn, [this, id, reads = std::move(reads)](Turn& step) mutable {
    ReadNow(id, std::move(reads), step);
  });
}

void Transactions::ReadNow(const TransactionId& id, TransactionReads reads, Turn& turn) {
  Transaction& transaction = *Find(id);
  for (const auto& [entity, ids] : reads.ids) {
    transaction.watches[entity] = context_.catalog.BeginIdWatch(entity, ids);
  }
  const bool moves = !reads.contents.empty();
  context_.reads.ReadAfter(
      turn, [this, id, moves, reads = std::move(reads)](const StoreView& view) -> Task {
        return [this, id, moves, found = ReadForTransaction(view, reads)](Turn& later) mutable {
          if (moves) moves_.Leave(later);
          Transaction& reading = *Find(id);
          if (!found.ok()) return Fail(reading, found.status(), later);
          reading.found.Add(*std::move(found));
          TryCommit(id, later);
        };
      });
}

// A lock that has ended meanwhile, or its entity, is nothing to release.
void Transactions::ReleaseForgotten(const Transaction& transaction, Turn& turn) {
  for (const Operation& operation : transaction.operations) {
    const auto* settle = std::get_if<SettleMessages>(&operation.what);
    if (settle == nullptr || !settle->is_forgotten) continue;
    const Result<EntityFinder::Target> target = finder_.ResolveHeld(EntityRef{operation.path});
    if (!target.ok()) continue;
    for (const LockToken& token : settle->tokens) {
      static_cast<void>(target->queue->settling().Settle(target->lane.kind, token,
                                                         {.verb = SettleVerb::kRelease}, Contents(),
                                                         turn.now, turn.changes));
    }
    context_.touched.Touch(target->lane);
  }
}

// Nothing of it was done. A shard that is closed writes nothing any more.
void Transactions::Fail(Transaction& transaction, const Status& cause, Turn& turn) {
  const bool is_told = transaction.was_begun && context_.open.Check().ok();
  AnswerAll(transaction, is_told ? Aborted(transaction.id, cause.ToString()) : cause, turn);
  if (!is_told) return Forget(transaction);
  RollBack(transaction, cause.ToString(), turn);
}

void Transactions::RollBack(Transaction& transaction, const std::string& reason, Turn& turn) {
  ReleaseForgotten(transaction, turn);
  End(transaction, {.state = TransactionState::kRolledBack, .reason = reason}, turn);
}

void Transactions::End(Transaction& transaction, TransactionRecord record, Turn& turn) {
  record.id = transaction.id;
  record.begun_at = transaction.begun_at;
  record.owner = transaction.owner;
  record.ends_at = turn.now;
  record.forget_after = After(turn.now, limits_.outcomes_kept);
  record.operations = record.results.size();
  AnswerAll(transaction, record, turn);
  turn.changes.push_back(TransactionEnded{std::move(record), transaction.was_begun});
  Forget(transaction);
}

void Transactions::AnswerAll(Transaction& transaction, const Result<TransactionRecord>& result,
                             Turn& turn) {
  for (Answered& answered : std::exchange(transaction.answers, {})) {
    std::move(answered)(turn, result);
  }
}

void Transactions::Forget(Transaction& transaction) {
  const TransactionId id = transaction.id;
  for (const auto& taken : transaction.pending) pending_.erase(taken);
  deadlines_.erase({transaction.deadline, id});
  held_bytes_ -= transaction.bytes;
  if (transaction.was_begun || transaction.phase == Phase::kBeginning) --begun_;
  transactions_.erase(id);
}

void Transactions::LookUp(const TransactionId& id, Turn& turn, Then then) {
  EndLeftOpen(id, turn);
  context_.reads.ReadAfter(
      turn, [id, then = std::move(then)](const StoreView& view) mutable -> Task {
        return [known = ReadOutcome(view, id), then = std::move(then)](Turn& later) mutable {
          const bool is_over = known.ok() && *known && (*known)->forget_after <= later.now;
          if (is_over) known = std::optional<TransactionRecord>();
          std::move(then)(later, std::move(known));
        };
      });
}

void Transactions::TellEnd(const TransactionId& id, const Asker& asker, Answered answered,
                           Turn& turn,
                           Result<TransactionRecord> (*tell)(const TransactionRecord& record),
                           Status (*otherwise)(const TransactionId& id)) {
  LookUp(id, turn,
         [id, asker, tell, otherwise, answered = std::move(answered)](Turn& later,
                                                                      Known known) mutable {
           if (!known.ok()) return std::move(answered)(later, known.status());
           const bool is_seen = *known && asker.Sees((*known)->owner);
           std::move(answered)(later, is_seen ? tell(**known) : otherwise(id));
         });
}

}  // namespace wharf
