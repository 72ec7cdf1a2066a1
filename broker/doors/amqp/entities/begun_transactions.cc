#include "broker/doors/amqp/entities/begun_transactions.h"

namespace wharf::amqp {

void BegunTransactions::Add(const TransactionId& id) {
  {
    MutexLock lock(mutex_);
    if (!is_over_) {
      ids_.insert(id);
      return;
    }
  }
  RollBack(id);
}

void BegunTransactions::Remove(const TransactionId& id) {
  MutexLock lock(mutex_);
  ids_.erase(id);
}

void BegunTransactions::End() {
  absl::flat_hash_set<TransactionId> left;
  {
    MutexLock lock(mutex_);
    is_over_ = true;
    left.swap(ids_);
  }
  for (const TransactionId& id : left) RollBack(id);
}

// Nobody waits for it: what the broker refuses it rolls back when the time is over.
void BegunTransactions::RollBack(const TransactionId& id) const {
  const Caller caller{
      .peer = peer_, .door = Door::kAmqp, .tracking_id = NewTrackingId(), .owns_transaction = true};
  requests_.Ask(DoorItself(caller), RollBackTransactionRequest{id},
                [](const Result<TransactionRecord>&) {});
}

}  // namespace wharf::amqp
