// BodyUpload: a message whose body goes over a stream in chunks, for the console (body_call.h).
//
// One chain of events reads the receipt, another one writes the chunks; each ends once, and behind
// both the stream is let go of. Lives until it is answered; on gRPC's threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <wharf/v1/messaging.pb.h>

#include "broker/doors/common/inner_calls.h"
#include "broker/doors/http/console/body_call.h"

namespace wharf::console {

// What is told of one message that was sent.
HttpResponse AnswerOfSent(const v1::SendResult& result, const Visit& visit);

class BodyUpload : public std::enable_shared_from_this<BodyUpload> {
 public:
  BodyUpload(BodyCall call, const BodyRequest& request, std::string body);

  void Begin();

 private:
  void WriteNext();
  void OnRead(const std::optional<std::string>& response);
  // Of one of the two chains.
  void EndChain();
  void OnOver(const InnerCalls::Answer& answer);

  const BodyCall call_;
  const std::string body_;
  const std::string header_;
  std::unique_ptr<InnerCalls::Stream> stream_;
  std::atomic<int> chains_ = 2;
  // There is a receipt, or nobody who wants it: no more is written.
  std::atomic<bool> is_enough_ = false;
  // Of the chain that writes.
  std::size_t written_ = 0;
  // Of the chain that reads.
  std::optional<v1::SendStreamResponse> receipt_;
};

}  // namespace wharf::console
