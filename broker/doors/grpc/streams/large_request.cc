#include "broker/doors/grpc/streams/large_request.h"

#include <utility>

#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

Result<Message> MessageOf(v1::LargeMessageHeader& header) {
  if (header.body_size() < 0) {
    return Status(ErrorCode::kArgumentOutOfRange, "body_size is negative");
  }
  if (!header.message().body().empty()) {
    return Status(ErrorCode::kArgumentError,
                  "the message of a header has a body; all of it must come in chunks");
  }
  return FromProto(*header.mutable_message());
}

}  // namespace

LargeRequest::LargeRequest(Requests& requests, Caller caller, v1::LargeMessageHeader& header,
                           std::function<void()> row_stored, Answer<SendOutcome> receipt)
    : chunks_(header.body_size() < 0 ? 0 : static_cast<std::uint64_t>(header.body_size())) {
  Result<Message> message = MessageOf(header);
  if (!message.ok()) {
    std::move(receipt)(message.status());
    return;
  }
  upload_ = requests.Upload(std::move(caller),
                            UploadRequest{{header.entity_path()},
                                          *std::move(message),
                                          static_cast<std::uint64_t>(header.body_size())},
                            std::move(row_stored), std::move(receipt));
}

std::size_t LargeRequest::Add(std::string chunk) {
  if (upload_ == nullptr) return 0;
  if (Status bad = chunks_.Add(chunk.size()); !bad.ok()) {
    Fail(std::move(bad));
    return 0;
  }
  return upload_->Write(std::move(chunk));
}

void LargeRequest::End() { BreakOff(chunks_.CutShort()); }

void LargeRequest::BreakOff(Status reason) {
  if (upload_ != nullptr && !is_complete()) Fail(std::move(reason));
}

void LargeRequest::Fail(Status reason) { std::exchange(upload_, nullptr)->Fail(std::move(reason)); }

}  // namespace wharf
