// BodyUpload: a message whose body is in memory, and longer than the broker keeps one there: it
// goes to the store in pieces, a few at a time. Lives until it is answered; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "broker/doors/http/servicebus/call.h"
#include "storage/base/mutex.h"

namespace wharf::rest {

class BodyUpload final : public std::enable_shared_from_this<BodyUpload> {
 public:
  // Ok, or why it was refused.
  using Done = std::function<void(const Status& refused)>;

  // `drawn_bytes` as in UploadRequest.
  static void Begin(const ServiceBusCallPtr& call, EntityRef entity, Message message,
                    std::int64_t drawn_bytes, Done done);

  BodyUpload(std::string body, Done done) : body_(std::move(body)), done_(std::move(done)) {}

 private:
  void Start(std::shared_ptr<UploadHandle> upload);
  void OnRowStored();
  // As many pieces as there may be on their way; one caller at a time.
  void WriteMore();

  const std::string body_;
  const Done done_;
  Mutex mutex_;
  std::shared_ptr<UploadHandle> upload_ ABSL_GUARDED_BY(mutex_);
  std::size_t written_ ABSL_GUARDED_BY(mutex_) = 0;
  // With the store; below zero for a moment, where one is stored before Write has said so.
  std::ptrdiff_t rows_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_writing_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf::rest
