#include "broker/doors/amqp/entities/transactions/begun_transactions.h"

#include <utility>

namespace wharf::amqp {

SettleRequest FailureOf(const ForgottenLocks& locks) {
  return {.entity = locks.entity,
          .tokens = TokenList(locks.tokens.begin(), locks.tokens.end()),
          .settlement = {.verb = SettleVerb::kAbandon}};
}

void BegunTransactions::Add(const TransactionId& id) {
  {
    MutexLock lock(mutex_);
    if (!is_over_) {
      begun_.try_emplace(id);
      return;
    }
  }
  RollBack(id, {});
}

// Clients tell of each message by itself.
void BegunTransactions::NoteForgotten(const TransactionId& id, const EntityRef& entity,
                                      const TokenList& tokens) {
  MutexLock lock(mutex_);
  const auto found = begun_.find(id);
  if (found == begun_.end()) return;
  std::vector<ForgottenLocks>& all = found->second;
  const bool has_room = !all.empty() && all.back().entity.path == entity.path &&
                        all.back().tokens.size() + tokens.size() <= kItemsMax;
  if (!has_room) all.push_back({.entity = entity, .tokens = {}});
  for (const Result<LockToken>& token : tokens) all.back().tokens.push_back(*token);
}

std::vector<ForgottenLocks> BegunTransactions::Remove(const TransactionId& id) {
  MutexLock lock(mutex_);
  auto removed = begun_.extract(id);
  return removed.empty() ? std::vector<ForgottenLocks>() : std::move(removed.mapped());
}

void BegunTransactions::End() {
  decltype(begun_) left;
  {
    MutexLock lock(mutex_);
    is_over_ = true;
    left.swap(begun_);
  }
  for (auto& [id, forgotten] : left) RollBack(id, std::move(forgotten));
}

// Nobody waits for it: what the broker refuses it rolls back when the time is over. Locks are free
// to be ended when it is rolled back.
void BegunTransactions::RollBack(const TransactionId& id,
                                 std::vector<ForgottenLocks> forgotten) const {
  Caller caller{
      .peer = peer_, .door = Door::kAmqp, .tracking_id = NewTrackingId(), .owns_transaction = true};
  caller = DoorItself(caller);
  requests_.Ask(caller, RollBackTransactionRequest{id},
                [&requests = requests_, stay = stay_, caller,
                 forgotten = std::move(forgotten)](const Result<TransactionRecord>&) {
                  for (const ForgottenLocks& each : forgotten) {
                    requests.Ask(caller, FailureOf(each), [](const Result<SettleReceipt>&) {});
                  }
                });
}

}  // namespace wharf::amqp
