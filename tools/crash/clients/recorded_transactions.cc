// The calls of RecordedClient for transactions.

#include <utility>

#include <fmt/core.h>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

v1::RunTransactionRequest RequestFor(const Exchange& exchange, const v1::Message& message,
                                     const std::string& from, const std::string& to) {
  v1::RunTransactionRequest request;
  request.set_transaction_id(exchange.id);
  v1::SettleRequest& settle = *request.add_operations()->mutable_settle();
  settle.set_entity_path(from);
  *settle.mutable_settlement() = MakeSettlement({}, {exchange.settle.token});
  v1::SendRequest& send = *request.add_operations()->mutable_send();
  send.set_entity_path(to);
  *send.add_messages() = message;
  return request;
}

bool IsCommitted(const v1::Transaction& transaction) {
  return transaction.state() == v1::TRANSACTION_STATE_COMMITTED;
}

bool IsUnknown(const Status& status) { return status.code() == ErrorCode::kTransactionUnknown; }

}  // namespace

Status RecordedClient::Run(Exchange& exchange, const v1::Message& message) {
  const v1::RunTransactionRequest request =
      RequestFor(exchange, message, PathOf(exchange.settle.source), PathOf({exchange.send.queue}));
  recorder_.Begin(exchange.settle);
  const Result<v1::Transaction> done = client_.transactions().Run(request);
  recorder_.End(exchange.settle, done.status());
  if (!exchange.settle.is_unknown()) Note(exchange, done);
  return done.status();
}

// The outcome that the broker tells is what happened before it died; what it does not know was not
// committed.
Result<bool> RecordedClient::Resolve(Exchange& exchange) {
  const Result<v1::Transaction> told = client_.transactions().Get(exchange.id);
  if (!told.ok() && !IsUnknown(told.status())) return told.status();
  if (told.ok() && IsCommitted(*told)) {
    exchange.settle.reply = {};
    Note(exchange, told);
    return true;
  }
  exchange.settle.reply = {Answer::kRefused, ErrorCode::kServiceCommunicationProblem};
  Note(exchange, Status(ErrorCode::kServiceCommunicationProblem, "the broker ended"));
  return false;
}

// Also of one that ran over AMQP.
void RecordedClient::Note(const Exchange& exchange, const Result<v1::Transaction>& done) {
  std::int64_t number = 0;
  if (done.ok()) {
    for (const v1::TransactionResult& result : done->results()) {
      if (result.sent_size() > 0) number = result.sent(0).sequence_number();
    }
    progress_.NoteAcknowledged();
  }
  Record(exchange, number, recorder_);
}

Status RecordedClient::CheckCommitted(const std::string& id) {
  const Result<v1::Transaction> told = client_.transactions().Get(id);
  const bool is_lost = told.ok() ? !IsCommitted(*told) : IsUnknown(told.status());
  if (!is_lost) return told.status();
  return {ErrorCode::kGeneralError,
          fmt::format("transaction '{}' was acknowledged, and its outcome is lost", id)};
}

}  // namespace wharf::crash
