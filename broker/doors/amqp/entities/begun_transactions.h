// BegunTransactions: transactions of one control link that are begun and not discharged: when the
// link is gone they are rolled back (TXN-16).
//
// Kept by a TransactionNode, and by what it asks of the broker, whose answer may come when the link
// is gone. Begun ones are added on the broker's thread; all else is on the strand of the
// connection.
#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "broker/requests/requests.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class BegunTransactions {
 public:
  BegunTransactions(Requests& requests, std::string peer)
      : requests_(requests), peer_(std::move(peer)) {}

  // After the end it is rolled back at once.
  void Add(const TransactionId& id);
  // Its discharge is asked for.
  void Remove(const TransactionId& id);
  // Rolls back what is here, and what comes; while there is a broker.
  void End();

 private:
  void RollBack(const TransactionId& id) const;

  Requests& requests_;
  const std::string peer_;

  Mutex mutex_;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<TransactionId> ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::amqp
