// SendTraces: spans of the messages that are sent, if they are followed: from the admitted request
// to its answer.
//
// Begun on the door's thread, ended where the request is answered. Used by the pipeline.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "broker/requests/answer.h"
#include "broker/requests/send_requests.h"
#include "broker/requests/transaction_requests.h"
#include "broker/trace/tracer.h"
#include "storage/base/clock.h"

namespace wharf {

// A span of a send, and which of its messages it is about.
struct SentSpan {
  trace::Span span;
  std::size_t message = 0;
};
using SentSpans = std::vector<SentSpan>;

// Of the messages that are followed; mostly none.
SentSpans FollowSent(const trace::Tracer& tracer, const SendRequest& request);
SentSpans FollowSent(const trace::Tracer& tracer, const UploadRequest& request);
// A transaction in one call. What is sent to one step by step has no spans.
SentSpans FollowSent(const trace::Tracer& tracer, const RunTransactionRequest& request);

// What became of one of the messages.
Status OutcomeOf(const SendReceipt& receipt, std::size_t message);
Status OutcomeOf(const SendOutcome& outcome, std::size_t message);
Status OutcomeOf(const TransactionRecord& record, std::size_t message);

// The answer, and spans before it. Tracer and clock outlive it; without a tracer it stays as it is.
template <typename Request, typename T>
Answer<T> TraceSent(trace::Tracer* tracer, Clock& clock, const Request& request, Answer<T> answer) {
  if (tracer == nullptr) return answer;
  SentSpans spans = FollowSent(*tracer, request);
  if (spans.empty()) return answer;
  for (SentSpan& sent : spans) sent.span.start = clock.Now();
  return [tracer, &clock, spans = std::move(spans),
          answer = std::move(answer)](Result<T> result) mutable {
    for (auto& [span, message] : spans) {
      const Status outcome = result.ok() ? OutcomeOf(*result, message) : result.status();
      span.end = clock.Now();
      span.error = outcome.code();
      span.error_message = outcome.message();
      tracer->Push(std::move(span));
    }
    std::move(answer)(std::move(result));
  };
}

}  // namespace wharf
