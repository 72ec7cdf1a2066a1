#include "broker/engine/requests/send_traces.h"

#include <string>
#include <variant>

namespace wharf {
namespace {

void Follow(const trace::Tracer& tracer, const std::string& path, const Message& message,
            std::size_t place, SentSpans& spans) {
  std::optional<trace::Span> span = tracer.Follow(message);
  if (!span) return;
  span->entity = path;
  spans.push_back({*std::move(span), place});
}

void Follow(const trace::Tracer& tracer, const std::string& path,
            const std::vector<Message>& messages, SentSpans& spans) {
  for (std::size_t i = 0; i < messages.size(); ++i) Follow(tracer, path, messages[i], i, spans);
}

}  // namespace

SentSpans FollowSent(const trace::Tracer& tracer, const SendRequest& request) {
  SentSpans spans;
  Follow(tracer, request.entity.path, request.messages, spans);
  return spans;
}

SentSpans FollowSent(const trace::Tracer& tracer, const UploadRequest& request) {
  SentSpans spans;
  Follow(tracer, request.entity.path, request.message, 0, spans);
  return spans;
}

SentSpans FollowSent(const trace::Tracer& tracer, const RunTransactionRequest& request) {
  SentSpans spans;
  for (const Operation& operation : request.operations) {
    const auto* const send = std::get_if<SendMessages>(&operation.what);
    if (send != nullptr) Follow(tracer, operation.path, send->messages, spans);
  }
  return spans;
}

Status OutcomeOf(const SendReceipt& receipt, std::size_t message) {
  return receipt.at(message).status();
}

Status OutcomeOf(const SendOutcome& /*outcome*/, std::size_t /*message*/) { return {}; }

Status OutcomeOf(const TransactionRecord& record, std::size_t /*message*/) {
  if (record.state == TransactionState::kCommitted) return {};
  return {ErrorCode::kTransactionAborted, record.reason};
}

}  // namespace wharf
