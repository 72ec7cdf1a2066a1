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

inline std::size_t BytesOf(const std::vector<Delivered>& received) {
  std::int64_t bytes = 0;
  for (const Delivered& delivered : received) bytes += SizeOf(delivered.message->message);
  return static_cast<std::size_t>(bytes);
}

// Why nothing should be received; ok: the client gets it.
template <typename Call>
Status WhyUnheard(Call& call, const std::vector<Delivered>& received) {
  if (call.is_cancelled()) {
    return {ErrorCode::kServiceCommunicationProblem, "the call was cancelled"};
  }
  return call.HasPlaceFor(BytesOf(received)) ? Status() : TooMuchUnread();
}

template <typename Call>
void AnswerReceive(Call& call, ReceiveMode mode, Result<std::vector<Delivered>> received) {
  if (!received.ok()) return call.Fail(received.status());
  if (mode == ReceiveMode::kPeekLock && !received->empty()) {
    const Status unheard = WhyUnheard(call, *received);
    if (!unheard.ok()) {
      TokenList tokens;
      for (const Delivered& delivered : *received) tokens.emplace_back(delivered.token);
      ReleaseUnheard(call.requests(), call.caller_itself(), call.entity(), tokens);
      return call.Fail(unheard);
    }
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
