#include "broker/doors/http/console/body_upload.h"

#include <algorithm>
#include <utility>

#include "broker/doors/http/console/api_answer.h"
#include "broker/doors/http/console/json_form.h"

namespace wharf::console {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

std::string HeaderOf(const BodyRequest& request, std::size_t bytes) {
  v1::SendStreamRequest header;
  header.mutable_header()->set_entity_path(request.entity_path);
  header.mutable_header()->mutable_message()->ParseFromString(request.message);
  header.mutable_header()->set_body_size(static_cast<std::int64_t>(bytes));
  return header.SerializeAsString();
}

}  // namespace

HttpResponse AnswerOfSent(const v1::SendResult& result, const Visit& visit) {
  if (result.has_error()) {
    return ErrorAnswer(InnerCalls::Answer{.code = result.error().code(),
                                          .message = result.error().message(),
                                          .details = result.error().SerializeAsString()},
                       visit.tracking_id());
  }
  Result<std::string> json = JsonOfBytes(result.SerializeAsString(), *v1::SendResult::descriptor());
  return json.ok() ? JsonAnswer(*std::move(json) + "\n")
                   : ErrorAnswer(json.status(), visit.tracking_id());
}

BodyUpload::BodyUpload(BodyCall call, const BodyRequest& request, std::string body)
    : call_(std::move(call)), body_(std::move(body)), header_(HeaderOf(request, body_.size())) {}

void BodyUpload::Begin() {
  const auto self = shared_from_this();
  stream_ = call_.calls->Open(
      {.method = "/wharf.v1.Messaging/SendStream", .caller = call_.visit->caller()},
      {.on_read = [self](const std::optional<std::string>& response) { self->OnRead(response); },
       .on_written =
           [self](bool is_taken) {
             if (!is_taken) self->is_enough_ = true;
             self->WriteNext();
           },
       .on_over = [self](const InnerCalls::Answer& answer) { self->OnOver(answer); }});
  call_.reply->OnGone([weak = weak_from_this()] {
    if (const auto upload = weak.lock()) upload->is_enough_ = true;
  });
  stream_->Write(header_);
  stream_->Read();
}

void BodyUpload::WriteNext() {
  if (is_enough_ || written_ == body_.size()) {
    stream_->EndWrites();
    return EndChain();
  }
  const std::size_t bytes = std::min(kChunkBytes, body_.size() - written_);
  v1::SendStreamRequest chunk;
  chunk.mutable_chunk()->set_data(body_.data() + written_, bytes);
  written_ += bytes;
  stream_->Write(chunk.SerializeAsString());
}

void BodyUpload::OnRead(const std::optional<std::string>& response) {
  if (response) receipt_.emplace().ParseFromString(*response);
  is_enough_ = true;
  EndChain();
}

void BodyUpload::EndChain() {
  if (--chains_ == 0) stream_.reset();
}

void BodyUpload::OnOver(const InnerCalls::Answer& answer) {
  const bool has_result = receipt_ && receipt_->results_size() == 1;
  call_.reply->Answer(has_result ? AnswerOfSent(receipt_->results(0), *call_.visit)
                                 : ErrorAnswer(answer, call_.visit->tracking_id()));
}

}  // namespace wharf::console
