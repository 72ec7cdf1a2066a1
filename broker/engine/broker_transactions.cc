// Transactions: several operations, all or none.

#include <utility>

#include "broker/engine/broker.h"
#include "broker/engine/reply.h"

namespace wharf {

// Asks on the shard's thread; the answer waits for its turn, as every answer does.
void Broker::WithTransaction(const std::optional<TransactionId>& id, std::size_t weight,
                             Answer<TransactionRecord> answer, AskTransactions ask) {
  Status refused = id ? CheckTransactionId(*id) : Status();
  if (refused.ok()) refused = shard_.Reserve(weight);
  if (!refused.ok()) return std::move(answer)(std::move(refused));
  shard_.Post(
      [this, ask = std::move(ask), answer = std::move(answer)](Turn& turn) mutable {
        if (Status closed = shard_.CheckOpen(); !closed.ok()) {
          return Reply(turn, std::move(answer), Result<TransactionRecord>(closed));
        }
        std::move(ask)(
            shard_.transactions(),
            [answer = std::move(answer)](Turn& later, Result<TransactionRecord> record) mutable {
              Reply(later, std::move(answer), std::move(record));
            },
            turn);
      },
      weight);
}

void Broker::RunTransaction(std::optional<TransactionId> id, std::vector<Operation> operations,
                            Answer<TransactionRecord> answer) {
  std::size_t weight = 1;
  for (const Operation& operation : operations) {
    weight += WeightOf(BytesIn(operation)) + MessagesIn(operation);
  }
  WithTransaction(
      id, weight, std::move(answer),
      [id, operations = std::move(operations)](
          Transactions& transactions, Transactions::Answered answered, Turn& turn) mutable {
        transactions.Run(std::move(id), std::move(operations), std::move(answered), turn);
      });
}

void Broker::BeginTransaction(std::optional<TransactionId> id, Answer<TransactionRecord> answer) {
  WithTransaction(
      id, 1, std::move(answer),
      [id](Transactions& transactions, Transactions::Answered answered, Turn& turn) mutable {
        transactions.Begin(std::move(id), std::move(answered), turn);
      });
}

void Broker::AddToTransaction(TransactionId id, Result<Operation> operation,
                              Answer<TransactionRecord> answer) {
  const std::size_t weight =
      1 + (operation.ok() ? WeightOf(BytesIn(*operation)) + MessagesIn(*operation) : 0);
  WithTransaction(
      id, weight, std::move(answer),
      [id, operation = std::move(operation)](Transactions& transactions,
                                             Transactions::Answered answered, Turn& turn) mutable {
        transactions.Add(id, std::move(operation), std::move(answered), turn);
      });
}

void Broker::CommitTransaction(TransactionId id, Answer<TransactionRecord> answer) {
  WithTransaction(id, 1, std::move(answer),
                  [id](Transactions& transactions, Transactions::Answered answered, Turn& turn) {
                    transactions.Commit(id, std::move(answered), turn);
                  });
}

void Broker::RollBackTransaction(TransactionId id, Answer<TransactionRecord> answer) {
  WithTransaction(id, 1, std::move(answer),
                  [id](Transactions& transactions, Transactions::Answered answered, Turn& turn) {
                    transactions.RollBack(id, std::move(answered), turn);
                  });
}

void Broker::GetTransaction(TransactionId id, Answer<TransactionRecord> answer) {
  WithTransaction(id, 1, std::move(answer),
                  [id](Transactions& transactions, Transactions::Answered answered, Turn& turn) {
                    transactions.Get(id, std::move(answered), turn);
                  });
}

}  // namespace wharf
