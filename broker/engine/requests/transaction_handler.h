// TransactionHandler: plans what is asked of transactions.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include "broker/engine/requests/asked.h"
#include "broker/engine/sending/transactions.h"
#include "broker/engine/turn/open_state.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/transaction_requests.h"

namespace wharf {

class TransactionHandler {
 public:
  TransactionHandler(const OpenState& open, Transactions& transactions)
      : open_(open), transactions_(transactions) {}

  void Plan(Asked<RunTransactionRequest> asked, Turn& turn);
  void Plan(Asked<BeginTransactionRequest> asked, Turn& turn);
  void Plan(Asked<AddToTransactionRequest> asked, Turn& turn);
  void Plan(Asked<CommitTransactionRequest> asked, Turn& turn);
  void Plan(Asked<RollBackTransactionRequest> asked, Turn& turn);
  void Plan(Asked<GetTransactionRequest> asked, Turn& turn);

 private:
  // Asks the transactions, unless the shard is closed; the answer waits for its turn.
  template <typename Ask>
  void IfOpen(Answer<TransactionRecord> answer, Turn& turn, Ask ask);

  const OpenState& open_;
  Transactions& transactions_;
};

}  // namespace wharf
