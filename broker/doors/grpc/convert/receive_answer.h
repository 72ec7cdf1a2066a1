// Answers a unary call that receives.
#pragma once

#include <utility>
#include <vector>

#include "broker/doors/common/unheard.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/services/call.h"

namespace wharf {

// Of messages in one answer.
inline constexpr std::size_t kAnswerBytesMax = 1024 * 1024;

template <typename Call>
void AnswerReceive(Call& call, ReceiveMode mode, Result<std::vector<Delivered>> received) {
  if (!received.ok()) return call.Fail(received.status());
  if (call.is_cancelled() && mode == ReceiveMode::kPeekLock && !received->empty()) {
    TokenList tokens;
    for (const Delivered& delivered : *received) tokens.emplace_back(delivered.token);
    ReleaseUnheard(call.requests(), call.caller_itself(), call.entity(), tokens);
    return call.Fail({ErrorCode::kServiceCommunicationProblem, "the call was cancelled"});
  }
  // What was received before is still told.
  const Status lapse = received->empty() ? call.lapse() : Status();
  if (!lapse.ok()) return call.Fail(lapse);
  for (const Delivered& delivered : *received) ToProto(delivered, call.response().add_messages());
  call.Succeed();
}

// Answers a call whose answer says nothing but that it is done.
template <typename Call>
Answer<std::monostate> AnswerDone(Call& call) {
  return [&call](const Result<std::monostate>& done) {
    if (!done.ok()) return call.Fail(done.status());
    call.Succeed();
  };
}

}  // namespace wharf
