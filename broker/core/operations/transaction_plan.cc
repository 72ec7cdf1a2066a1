#include "broker/core/operations/transaction_plan.h"

#include <cassert>

#include <fmt/core.h>

namespace wharf {
namespace {

const std::vector<LockToken>& NoTokens() {
  static const std::vector<LockToken> kNone;
  return kNone;
}

Status CheckMainLane(LaneKind kind) {
  if (kind == LaneKind::kMain) return {};
  return {ErrorCode::kInvalidOperation,
          "messages cannot be sent to a dead-letter queue; send to its entity"};
}

std::size_t BytesOf(const SendMessages& send) {
  std::int64_t bytes = 0;
  for (const Message& message : send.messages) bytes += SizeOf(message);
  return static_cast<std::size_t>(bytes);
}
std::size_t BytesOf(const SettleMessages& settle) {
  const Settlement& settlement = settle.settlement;
  return SizeOf(settlement.properties_to_modify) + settlement.reason.value_or("").size() +
         settlement.description.value_or("").size();
}
std::size_t BytesOf(const RenewLocks&) { return 0; }
std::size_t BytesOf(const SetState& set) { return set.state ? set.state->size() : 0; }

}  // namespace

Status CheckOperation(const Operation& operation) {
  if (const auto* send = std::get_if<SendMessages>(&operation.what);
      send && send->messages.empty()) {
    return {ErrorCode::kArgumentError, "a send has no messages"};
  }
  const bool needs_tokens = std::holds_alternative<SettleMessages>(operation.what) ||
                            std::holds_alternative<RenewLocks>(operation.what);
  if (needs_tokens && TokensIn(operation) == 0) {
    return {ErrorCode::kArgumentError, "there are no lock tokens"};
  }
  const auto* settle = std::get_if<SettleMessages>(&operation.what);
  return settle == nullptr ? Status() : CheckSettlement(settle->settlement);
}

std::size_t MessagesIn(const Operation& operation) {
  const auto* send = std::get_if<SendMessages>(&operation.what);
  return send == nullptr ? 0 : send->messages.size();
}

std::size_t TokensIn(const Operation& operation) {
  const auto* renew = std::get_if<RenewLocks>(&operation.what);
  return renew == nullptr ? SettledBy(operation).size() : renew->tokens.size();
}

std::size_t BytesIn(const Operation& operation) {
  // What holds the operation itself, and its tokens.
  return 256 + operation.path.size() + operation.via.size() + 64 * TokensIn(operation) +
         std::visit([](const auto& what) { return BytesOf(what); }, operation.what);
}

const std::vector<LockToken>& SettledBy(const Operation& operation) {
  if (const auto* settle = std::get_if<SettleMessages>(&operation.what)) return settle->tokens;
  if (const auto* set = std::get_if<SetState>(&operation.what)) return set->completed;
  return NoTokens();
}

std::size_t TransactionReads::messages() const {
  std::size_t count = 0;
  for (const auto& [shelf, numbers] : contents) count += numbers.size();
  return count;
}

void TransactionFound::Add(TransactionFound more) {
  for (auto& [shelf, read] : more.contents) contents[shelf].merge(read);
  ids.merge(more.ids);
  state_bytes.merge(more.state_bytes);
}

Status TransactionPlan::Add(Queue& queue, LaneKind kind, Operation& operation) {
  WHARF_RETURN_IF_ERROR(
      std::visit([&](const auto& what) { return Check(queue, kind, what); }, operation.what));
  steps_.push_back({queue, kind, operation});
  return {};
}

// Those for one partitioned entity all have a key, and the same (TXN-19).
Status TransactionPlan::Check(Queue& queue, LaneKind kind, const SendMessages& send) {
  WHARF_RETURN_IF_ERROR(CheckMainLane(kind));
  for (const Message& message : send.messages) {
    WHARF_RETURN_IF_ERROR(queue.placement().CheckHasKey(message));
    const Message& first = *first_.try_emplace(queue.id(), &message).first->second;
    WHARF_RETURN_IF_ERROR(queue.placement().CheckSameKey(first, message));
  }
  std::int64_t& bytes = bytes_[queue.id()];
  WHARF_RETURN_IF_ERROR(queue.sending().CheckAll(send.messages, bytes, now_));
  const auto sent = static_cast<std::int64_t>(BytesOf(send));
  bytes += sent;
  bytes_sent_ += sent;
  WHARF_RETURN_IF_ERROR(queue.quota().CheckNamespace(bytes_sent_));
  return {};
}

Status TransactionPlan::Check(Queue& queue, LaneKind kind, const SettleMessages& settle) {
  for (const LockToken& token : settle.tokens) {
    WHARF_RETURN_IF_ERROR(TakeToken({queue.id(), kind}, token));
    WHARF_RETURN_IF_ERROR(queue.settling().Check(kind, token, settle.settlement, now_));
  }
  return {};
}

Status TransactionPlan::Check(Queue& queue, LaneKind kind, const RenewLocks& renew) {
  for (const LockToken& token : renew.tokens) {
    if (settled_.contains({{queue.id(), kind}, token})) {
      return {ErrorCode::kArgumentError, "a lock cannot be renewed that was settled before"};
    }
    WHARF_RETURN_IF_ERROR(queue.settling().CheckRenewLock(kind, token, now_));
  }
  return {};
}

Status TransactionPlan::Check(Queue& queue, LaneKind kind, const SetState& set) {
  std::int64_t& bytes = bytes_[queue.id()];
  WHARF_RETURN_IF_ERROR(queue.session_states().Check(
      kind, set.session, set.state, BytesRead(queue, set.session), set.completed, bytes, now_));
  for (const LockToken& token : set.completed) {
    WHARF_RETURN_IF_ERROR(TakeToken({queue.id(), kind}, token));
  }
  bytes += static_cast<std::int64_t>(BytesOf(set));
  return {};
}

Status TransactionPlan::TakeToken(LaneId lane, const LockToken& token) {
  if (settled_.emplace(lane, token).second) return {};
  return {ErrorCode::kArgumentError, "a lock token is settled twice in one transaction"};
}

// What was read of the state before; nothing if it was not.
std::optional<std::int64_t> TransactionPlan::BytesRead(Queue& queue, const LockToken& token) const {
  const Result<Session*> session = queue.holds().FindSession(LaneKind::kMain, token, now_);
  if (!session.ok()) return std::nullopt;
  const auto read = found_.state_bytes.find({queue.id(), (*session)->id()});
  return read == found_.state_bytes.end() ? std::nullopt : std::optional(read->second);
}

// The messages that move to the dead-letter queue, or may, each with what was read of its shelf.
template <typename Take>
void TransactionPlan::ForEachMoved(Take take) const {
  static const Contents kNone;
  for (const Step& step : steps_) {
    const auto* settle = std::get_if<SettleMessages>(&step.operation.what);
    if (settle == nullptr) continue;
    const Shelf shelf = step.queue.lane(step.kind).shelf();
    const auto read = found_.contents.find(shelf);
    for (const LockToken& token : settle->tokens) {
      const auto number =
          step.queue.settling().MayNeedContent(step.kind, token, settle->settlement, now_);
      if (number) take(shelf, *number, read == found_.contents.end() ? kNone : read->second);
    }
  }
}

TransactionReads TransactionPlan::Missing() const {
  TransactionReads reads;
  ForEachMoved([&reads](const Shelf& shelf, SequenceNumber number, const Contents& read) {
    if (!read.contains(number)) reads.contents[shelf].push_back(number);
  });
  for (const Step& step : steps_) {
    if (const auto* send = std::get_if<SendMessages>(&step.operation.what)) {
      AddMissingIds(step, *send, reads);
    } else if (const auto* set = std::get_if<SetState>(&step.operation.what)) {
      AddMissingState(step, *set, reads);
    }
  }
  return reads;
}

// All ids of an entity are read together.
void TransactionPlan::AddMissingIds(const Step& step, const SendMessages& send,
                                    TransactionReads& reads) const {
  const EntityId entity = step.queue.id();
  const bool is_read = found_.ids.contains(entity);
  if (!step.queue.description().requires_duplicate_detection || is_read) return;
  std::vector<DuplicateId>& ids = reads.ids[entity];
  for (const Message& message : send.messages) {
    if (auto id = step.queue.duplicates().IdOf(message)) ids.push_back(*std::move(id));
  }
}

void TransactionPlan::AddMissingState(const Step& step, const SetState& set,
                                      TransactionReads& reads) const {
  const Session& session = **step.queue.holds().FindSession(step.kind, set.session, now_);
  const EntityId entity = step.queue.id();
  if (session.state_bytes() || found_.state_bytes.contains({entity, session.id()})) return;
  reads.states[entity].push_back(session.id());
}

Status TransactionPlan::CheckFound() const {
  Status status;
  ForEachMoved([&status](const Shelf&, SequenceNumber number, const Contents& read) {
    const auto found = read.find(number);
    if (found != read.end() && found->second != nullptr) return;
    status = {ErrorCode::kGeneralError,
              fmt::format("message {} is not in the store", number.value())};
  });
  for (const Step& step : steps_) {
    if (status.ok()) status = CheckIds(step);
  }
  return status;
}

Status TransactionPlan::CheckIds(const Step& step) const {
  const auto* send = std::get_if<SendMessages>(&step.operation.what);
  const auto known = found_.ids.find(step.queue.id());
  if (send == nullptr || known == found_.ids.end()) return {};
  for (const Message& message : send->messages) {
    WHARF_RETURN_IF_ERROR(step.queue.duplicates().Check(message, known->second));
  }
  return {};
}

std::vector<OperationResult> TransactionPlan::Apply(Changes& changes) {
  std::vector<OperationResult> results;
  results.reserve(steps_.size());
  for (const Step& step : steps_) {
    results.push_back(
        std::visit([&](auto& what) { return Do(step, what, changes); }, step.operation.what));
  }
  return results;
}

OperationResult TransactionPlan::Do(const Step& step, SendMessages& send, Changes& changes) {
  KnownIds& known = found_.ids[step.queue.id()];
  return {.sent = step.queue.sending().AcceptAll(std::move(send.messages), known, now_, changes)};
}

OperationResult TransactionPlan::Do(const Step& step, const SettleMessages& settle,
                                    Changes& changes) {
  const Contents& contents = found_.contents[step.queue.lane(step.kind).shelf()];
  for (const LockToken& token : settle.tokens) {
    const Status settled =
        step.queue.settling().Settle(step.kind, token, settle.settlement, contents, now_, changes);
    assert(settled.ok());
    static_cast<void>(settled);
  }
  return {};
}

OperationResult TransactionPlan::Do(const Step& step, const RenewLocks& renew, Changes& changes) {
  OperationResult result;
  for (const LockToken& token : renew.tokens) {
    const Result<Timestamp> until =
        step.queue.settling().RenewLock(step.kind, token, now_, changes);
    assert(until.ok());
    result.locked_until = *until;
  }
  return result;
}

OperationResult TransactionPlan::Do(const Step& step, SetState& set, Changes& changes) {
  // Nothing was read if the session knows it by itself.
  const std::int64_t bytes_read = BytesRead(step.queue, set.session).value_or(0);
  step.queue.session_states().Change(set.session, std::move(set.state), bytes_read, set.completed,
                                     now_, changes);
  return {};
}

}  // namespace wharf
