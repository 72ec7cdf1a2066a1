// BegunTransactions: transactions of one control link that are begun and not discharged: when the
// link is gone they are rolled back (TXN-16). Of each stands here which locks its client has
// forgotten in it and whose deliveries count as failed if it does not commit.
//
// Kept by a TransactionNode, and by what it asks of the broker, whose answer may come when the link
// is gone. Begun ones are added on the broker's thread; all else is on the strand of the
// connection.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "broker/requests/requests.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

// Locks of one entity, as many as a request may name.
struct ForgottenLocks {
  EntityRef entity{};
  std::vector<LockToken> tokens{};
};
// Ends them as failed deliveries, each of which counts.
SettleRequest FailureOf(const ForgottenLocks& locks);

class BegunTransactions {
 public:
  // `stay`: while it lives there is a broker.
  BegunTransactions(Requests& requests, std::shared_ptr<void> stay, std::string peer)
      : requests_(requests), stay_(std::move(stay)), peer_(std::move(peer)) {}

  // After the end it is rolled back at once.
  void Add(const TransactionId& id);
  // Of one that is begun. The broker may be about to hear that they are settled in it.
  void NoteForgotten(const TransactionId& id, const EntityRef& entity, const TokenList& tokens);
  // Its discharge is asked for: what its client has forgotten in it is the caller's.
  std::vector<ForgottenLocks> Remove(const TransactionId& id);
  // Rolls back what is here, and what comes; while there is a broker.
  void End();

 private:
  void RollBack(const TransactionId& id, std::vector<ForgottenLocks> forgotten) const;

  Requests& requests_;
  const std::shared_ptr<void> stay_;
  const std::string peer_;

  Mutex mutex_;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<TransactionId, std::vector<ForgottenLocks>> begun_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::amqp
