#include "broker/doors/http/rest/body_upload.h"

#include <algorithm>
#include <utility>

namespace wharf::rest {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::ptrdiff_t kRowsMax = 4;

}  // namespace

void BodyUpload::Begin(const ServiceBusCallPtr& call, EntityRef entity, Message message,
                       std::int64_t drawn_bytes, Done done) {
  std::string body = std::exchange(message.body, {});
  const std::uint64_t bytes = body.size();
  const auto self = std::make_shared<BodyUpload>(std::move(body), std::move(done));
  self->Start(call->requests().Upload(
      call->request().caller,
      UploadRequest{.entity = std::move(entity),
                    .message = std::move(message),
                    .body_bytes = bytes,
                    .drawn_bytes = drawn_bytes},
      [weak = std::weak_ptr<BodyUpload>(self)] {
        if (const auto upload = weak.lock()) upload->OnRowStored();
      },
      [self](const Result<SendOutcome>& outcome) { self->done_(outcome.status()); }));
}

void BodyUpload::Start(std::shared_ptr<UploadHandle> upload) {
  {
    MutexLock lock(mutex_);
    upload_ = std::move(upload);
  }
  WriteMore();
}

void BodyUpload::OnRowStored() {
  {
    MutexLock lock(mutex_);
    --rows_;
  }
  WriteMore();
}

// Who comes while another one writes leaves it to him.
void BodyUpload::WriteMore() {
  std::shared_ptr<UploadHandle> upload;
  for (;;) {
    std::string piece;
    {
      MutexLock lock(mutex_);
      if (upload == nullptr && (is_writing_ || upload_ == nullptr)) return;
      const bool is_over = written_ == body_.size() || upload_->is_over();
      is_writing_ = !is_over && rows_ < kRowsMax;
      if (!is_writing_) return;
      upload = upload_;
      piece = body_.substr(written_, kPieceBytes);
      written_ += piece.size();
    }
    const std::size_t rows = upload->Write(std::move(piece));
    MutexLock lock(mutex_);
    rows_ += static_cast<std::ptrdiff_t>(rows);
  }
}

}  // namespace wharf::rest
