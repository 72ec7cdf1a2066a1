// Operations that are done together or not at all: TXN-1, TXN-9..13, TXN-21, TXX-1.

#include <algorithm>
#include <chrono>

#include "tests/engine/world/world_model.h"

namespace wharf {
namespace {

constexpr Duration kOutcomeKeptFor = std::chrono::minutes(10);

}  // namespace

bool WorldModel::IsReserved(const ModelPath& path, const LockToken& token) const {
  const auto settles = [&](const auto& operation) {
    return operation->settlement && operation->path == path && operation->token == token;
  };
  return std::any_of(transactions_.begin(), transactions_.end(), [&](const auto& entry) {
    const ModelTransaction& transaction = entry.second;
    return transaction.state == TransactionState::kOpen &&
           std::any_of(transaction.operations.begin(), transaction.operations.end(), settles);
  });
}

bool WorldModel::DoOperation(const ModelOperation& operation, Sent& sent) {
  if (operation.settlement) {
    return SettleFree(operation.path, operation.token, *operation.settlement);
  }
  if (operation.sent.empty()) return Renew(operation.path, operation.token);
  std::optional<Sent> done = Send(operation.path.entity, operation.sent, true);
  if (!done) return false;
  sent = *std::move(done);
  return true;
}

bool WorldModel::BeginTransaction(const TransactionId& id) {
  return transactions_.emplace(id, ModelTransaction{.since = now_}).second;
}

// Checked by itself, as things are now.
bool WorldModel::AddToTransaction(const TransactionId& id,
                                  std::shared_ptr<const ModelOperation> operation) {
  const auto found = transactions_.find(id);
  if (found == transactions_.end() || found->second.state != TransactionState::kOpen) return false;
  ModelTransaction& transaction = found->second;
  if (transaction.has_failed) return false;
  const bool is_taken = operation->settlement && IsReserved(operation->path, operation->token);
  WorldModel alone = *this;
  Sent unused;
  transaction.has_failed = is_taken || !alone.DoOperation(*operation, unused);
  if (!transaction.has_failed) transaction.operations.push_back(std::move(operation));
  return !transaction.has_failed;
}

void WorldModel::RollBack(ModelTransaction& transaction) const {
  transaction = {.state = TransactionState::kRolledBack, .since = now_};
}

std::optional<ModelTransaction> WorldModel::Known(const TransactionId& id) const {
  const auto found = transactions_.find(id);
  if (found == transactions_.end()) return std::nullopt;
  const bool has_ended = found->second.state != TransactionState::kOpen;
  if (has_ended && found->second.since + kOutcomeKeptFor <= now_) return std::nullopt;
  return found->second;
}

void WorldModel::AskedToCommit(const TransactionId& id) {
  const auto found = transactions_.find(id);
  if (found != transactions_.end()) found->second.is_to_commit = true;
}

// Once: who asks again hears the same.
std::optional<std::vector<WorldModel::Sent>> WorldModel::CommitTransaction(
    const TransactionId& id) {
  const std::optional<ModelTransaction> transaction = Known(id);
  if (!transaction || transaction->state == TransactionState::kRolledBack) return std::nullopt;
  if (transaction->state == TransactionState::kCommitted) return transaction->results;
  transactions_.erase(id);
  std::optional<std::vector<Sent>> done;
  if (!transaction->has_failed) done = RunTransaction(id, transaction->operations);
  if (!done) RollBack(transactions_[id]);
  return done;
}

// On a copy, which is thrown away if one of them fails.
std::optional<std::vector<WorldModel::Sent>> WorldModel::RunTransaction(
    const TransactionId& id, const std::vector<std::shared_ptr<const ModelOperation>>& operations) {
  WorldModel done = *this;
  std::vector<Sent> results;
  for (const auto& operation : operations) {
    const bool is_taken = operation->settlement && IsReserved(operation->path, operation->token);
    if (is_taken || !done.DoOperation(*operation, results.emplace_back())) return std::nullopt;
  }
  *this = std::move(done);
  transactions_[id] = {.state = TransactionState::kCommitted, .since = now_, .results = results};
  return results;
}

bool WorldModel::RollBackTransaction(const TransactionId& id) {
  const std::optional<ModelTransaction> transaction = Known(id);
  if (!transaction || transaction->state == TransactionState::kCommitted) return false;
  if (transaction->state == TransactionState::kOpen) RollBack(transactions_.at(id));
  return true;
}

}  // namespace wharf
