#include "broker/engine/requests/transaction_handler.h"

#include <utility>

#include "broker/engine/requests/reply.h"

namespace wharf {

template <typename Ask>
void TransactionHandler::IfOpen(Answer<TransactionRecord> answer, Turn& turn, Ask ask) {
  if (Status closed = open_.Check(); !closed.ok()) {
    return Reply(turn, std::move(answer), Result<TransactionRecord>(std::move(closed)));
  }
  ask(transactions_,
      Transactions::Answered(
          [answer = std::move(answer)](Turn& later, Result<TransactionRecord> record) mutable {
            Reply(later, std::move(answer), std::move(record));
          }));
}

void TransactionHandler::Plan(Asked<RunTransactionRequest> asked, Turn& turn) {
  IfOpen(std::move(asked.answer), turn,
         [&](Transactions& transactions, Transactions::Answered answered) {
           transactions.Run(std::move(asked.request.id), std::move(asked.request.operations),
                            asked.asker, std::move(answered), turn);
         });
}

void TransactionHandler::Plan(Asked<BeginTransactionRequest> asked, Turn& turn) {
  IfOpen(std::move(asked.answer), turn,
         [&](Transactions& transactions, Transactions::Answered answered) {
           transactions.Begin(std::move(asked.request.id), asked.asker, std::move(answered), turn);
         });
}

void TransactionHandler::Plan(Asked<AddToTransactionRequest> asked, Turn& turn) {
  IfOpen(std::move(asked.answer), turn,
         [&](Transactions& transactions, Transactions::Answered answered) {
           transactions.Add(asked.request.id, std::move(asked.request.operation), asked.asker,
                            std::move(answered), turn);
         });
}

void TransactionHandler::Plan(Asked<CommitTransactionRequest> asked, Turn& turn) {
  IfOpen(std::move(asked.answer), turn,
         [&](Transactions& transactions, Transactions::Answered answered) {
           transactions.Commit(asked.request.id, asked.asker, std::move(answered), turn);
         });
}

void TransactionHandler::Plan(Asked<RollBackTransactionRequest> asked, Turn& turn) {
  IfOpen(std::move(asked.answer), turn,
         [&](Transactions& transactions, Transactions::Answered answered) {
           transactions.RollBack(asked.request.id, asked.asker, std::move(answered), turn);
         });
}

void TransactionHandler::Plan(Asked<GetTransactionRequest> asked, Turn& turn) {
  IfOpen(std::move(asked.answer), turn,
         [&](Transactions& transactions, Transactions::Answered answered) {
           transactions.Get(asked.request.id, asked.asker, std::move(answered), turn);
         });
}

}  // namespace wharf
