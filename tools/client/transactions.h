// Transactions: several sends and settlements that take effect together, or not at all.
//
// Run carries them out in one call. Or Begin opens a transaction, requests that carry its id become
// part of it (Client::Send, Settle and RenewLock), and Commit carries them out. Every call waits
// for its answer. After an answer that says that the outcome is unknown, Run and Commit may be
// repeated with the same id, and Get tells how it ended. Made by Client; any thread may call.
#pragma once

#include <memory>
#include <string>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "wharf/v1/transactions.grpc.pb.h"

namespace wharf::client {

class Transactions {
 public:
  Transactions(std::shared_ptr<Endpoints> endpoints, Duration timeout);

  Result<v1::Transaction> Run(const v1::RunTransactionRequest& request);
  // Empty: the broker draws an id.
  Result<v1::Transaction> Begin(const std::string& id = "");
  Result<v1::Transaction> Commit(const std::string& id);
  Result<v1::Transaction> Rollback(const std::string& id);
  // TransactionUnknown if the broker does not know it.
  Result<v1::Transaction> Get(const std::string& id);

 private:
  const std::shared_ptr<Endpoints> endpoints_;
  const Duration timeout_;
};

}  // namespace wharf::client
