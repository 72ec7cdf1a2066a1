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

// One reply for both: a message that was completed and not sent, or sent and not completed, is a
// violation of what is checked for each.
void RecordedClient::Note(Exchange& exchange, const Result<v1::Transaction>& done) {
  SendRecord send = exchange.send;
  static_cast<Operation&>(send) = static_cast<const Operation&>(exchange.settle);
  send.messages.front().reply = send.reply;
  if (done.ok()) {
    send.messages.front().sequence_number = done->results(1).sent(0).sequence_number();
    progress_.NoteAcknowledged();
  }
  recorder_.Add(std::move(send));
  recorder_.Add(exchange.settle);
}

Status RecordedClient::CheckCommitted(const std::string& id) {
  const Result<v1::Transaction> told = client_.transactions().Get(id);
  const bool is_lost = told.ok() ? !IsCommitted(*told) : IsUnknown(told.status());
  if (!is_lost) return told.status();
  return {ErrorCode::kGeneralError,
          fmt::format("transaction '{}' was acknowledged, and its outcome is lost", id)};
}

}  // namespace wharf::crash
