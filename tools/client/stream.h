// Stream: one bidirectional call, with what every such call needs and gets wrong easily.
//
// At most one write and one read are under way. While an answer is handled nothing is written, so
// that all that its handler wants to say leaves together afterwards. The call ends exactly once,
// after the last callback. Base of Sender and Receiver; answers are handled on a thread of gRPC,
// one after the other, and every other thread may ask for a write.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/client_callback.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/handover.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "tools/client/error.h"

namespace wharf::client {

template <typename Request, typename Response>
class Stream : public grpc::ClientBidiReactor<Request, Response> {
 public:
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

 protected:
  Stream() = default;
  ~Stream() override = default;

  // What to write now, or null. It stays unchanged until OnWritten.
  virtual const Request* NextRequest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) = 0;
  virtual void OnWritten() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) = 0;
  // Without mutex_. May move out of `response`.
  virtual void OnResponse(Response& response) = 0;
  // Without mutex_, once, as the last of all. `status` is an error also if the broker ended the
  // call in peace: nobody asked it to.
  virtual void OnEnded(const Status& status) = 0;

  // After the call was made on context(). Only then may anything be written.
  void Begin() {
    HandOver(this);
    this->AddHold();  // Writes are started from threads that are not in a callback.
    this->StartRead(&response_);
    this->StartCall();
    Pump();
  }

  // Writes the next request if nothing stands against it.
  void Pump() {
    const Request* request = nullptr;
    {
      MutexLock lock(mutex_);
      if (writing_ || reacting_ || !open_) return;
      request = NextRequest();
      if (request == nullptr && !half_closing_) return;
      writing_ = true;
    }
    if (request != nullptr) {
      this->StartWrite(request);
    } else {
      this->StartWritesDone();
    }
  }

  // Ends the call and returns after the last callback. With `patience` the broker is asked to end
  // it, and cut off only after this time. Derived classes call it in their destructors.
  void End(std::chrono::milliseconds patience) {
    {
      MutexLock lock(mutex_);
      half_closing_ = true;
    }
    Pump();
    if (!WaitUntilDone(patience)) Cancel();
    MutexLock lock(mutex_);
    while (!done_) changed_.wait(mutex_);
  }

  void Cancel() {
    is_cancelled_ = true;
    context_.TryCancel();
  }

  grpc::ClientContext& context() { return context_; }

  // In OnEnded: this side wanted it so, and it tells nothing of the broker.
  bool was_ended_here() const { return was_ended_here_; }

  // Signalled after every handled answer and at the end.
  std::condition_variable_any changed_;
  Mutex mutex_;
  // A handler is running.
  bool reacting_ ABSL_GUARDED_BY(mutex_) = false;
  // Nothing will be written any more; end_ says why.
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  Status end_ ABSL_GUARDED_BY(mutex_);

 private:
  // At most for so long; whether it is.
  bool WaitUntilDone(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex_);
    while (!done_) {
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
    }
    return done_;
  }

  // What this side broke off may have been taken before.
  Status EndOf(const grpc::Status& status) const {
    if (status.ok()) {
      return {ErrorCode::kServiceCommunicationProblem, "the broker ended the stream",
              Outcome::kUnknown};
    }
    if (status.error_code() == grpc::StatusCode::CANCELLED && is_cancelled_) {
      return {ErrorCode::kServiceCommunicationProblem, "the stream was broken off",
              Outcome::kUnknown};
    }
    return ToStatus(status);
  }

  void OnReadDone(bool ok) final {
    TakeOver(this);
    if (!ok) return Close();
    SetReacting(true);
    OnResponse(response_);
    SetReacting(false);
    this->StartRead(&response_);
    Pump();
  }

  void OnWriteDone(bool ok) final {
    TakeOver(this);
    {
      MutexLock lock(mutex_);
      writing_ = false;
      open_ = open_ && ok;
      OnWritten();
    }
    ReleaseHoldWhenIdle();
    Pump();
  }

  void OnWritesDoneDone(bool /*ok*/) final {
    TakeOver(this);
    {
      // In one step: a Pump in between would half-close a second time, which gRPC dies of.
      MutexLock lock(mutex_);
      writing_ = false;
      open_ = false;
    }
    ReleaseHoldWhenIdle();
  }

  void OnDone(const grpc::Status& status) final {
    TakeOver(this);
    const Status end = EndOf(status);
    {
      MutexLock lock(mutex_);
      ended_ = true;
      end_ = end;
      reacting_ = true;
      was_ended_here_ = is_cancelled_ || (half_closing_ && status.ok());
    }
    OnEnded(end);
    // Signalled under the lock: the owner may destroy this as soon as it sees `done_`.
    MutexLock lock(mutex_);
    reacting_ = false;
    done_ = true;
    changed_.notify_all();
  }

  void SetReacting(bool reacting) {
    MutexLock lock(mutex_);
    reacting_ = reacting;
    if (!reacting) changed_.notify_all();
  }

  // No write begins from now on.
  void Close() {
    {
      MutexLock lock(mutex_);
      open_ = false;
    }
    ReleaseHoldWhenIdle();
  }

  // The hold must outlast a write that another thread is about to start.
  void ReleaseHoldWhenIdle() {
    {
      MutexLock lock(mutex_);
      if (open_ || writing_ || !holding_) return;
      holding_ = false;
    }
    this->RemoveHold();
  }

  grpc::ClientContext context_;
  std::atomic<bool> is_cancelled_ = false;  // By this side.
  bool was_ended_here_ = false;             // Of the thread of OnEnded.
  Response response_;
  bool open_ ABSL_GUARDED_BY(mutex_) = true;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool holding_ ABSL_GUARDED_BY(mutex_) = true;
  bool half_closing_ ABSL_GUARDED_BY(mutex_) = false;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf::client
