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
#include <mutex>

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/client_callback.h>

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

  // With mutex_ held: what to write now, or null. It stays unchanged until OnWritten.
  virtual const Request* NextRequest() = 0;
  // With mutex_ held.
  virtual void OnWritten() = 0;
  // Without mutex_. May move out of `response`.
  virtual void OnResponse(Response& response) = 0;
  // Without mutex_, once, as the last of all. `status` is an error also if the broker ended the
  // call in peace: nobody asked it to.
  virtual void OnEnded(const Status& status) = 0;

  // After the call was made on context(). Only then may anything be written.
  void Begin() {
    this->AddHold();  // Writes are started from threads that are not in a callback.
    this->StartRead(&response_);
    this->StartCall();
    Pump();
  }

  // Writes the next request if nothing stands against it.
  void Pump() {
    const Request* request = nullptr;
    {
      const std::lock_guard lock(mutex_);
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
      const std::lock_guard lock(mutex_);
      half_closing_ = true;
    }
    Pump();
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [this] { return done_; })) {
      lock.unlock();
      Cancel();
      lock.lock();
    }
    changed_.wait(lock, [this] { return done_; });
  }

  void Cancel() {
    is_cancelled_ = true;
    context_.TryCancel();
  }

  grpc::ClientContext& context() { return context_; }

  // Signalled after every handled answer and at the end.
  std::condition_variable changed_;
  std::mutex mutex_;
  // Guarded by mutex_.
  bool reacting_ = false;  // A handler is running.
  bool ended_ = false;     // Nothing will be written any more; end_ says why.
  Status end_;

 private:
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
    if (!ok) return Close();
    SetReacting(true);
    OnResponse(response_);
    SetReacting(false);
    this->StartRead(&response_);
    Pump();
  }

  void OnWriteDone(bool ok) final {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      open_ = open_ && ok;
      OnWritten();
    }
    ReleaseHoldWhenIdle();
    Pump();
  }

  void OnWritesDoneDone(bool /*ok*/) final {
    {
      // In one step: a Pump in between would half-close a second time, which gRPC dies of.
      const std::lock_guard lock(mutex_);
      writing_ = false;
      open_ = false;
    }
    ReleaseHoldWhenIdle();
  }

  void OnDone(const grpc::Status& status) final {
    const Status end = EndOf(status);
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      end_ = end;
      reacting_ = true;
    }
    OnEnded(end);
    // Signalled under the lock: the owner may destroy this as soon as it sees `done_`.
    const std::lock_guard lock(mutex_);
    reacting_ = false;
    done_ = true;
    changed_.notify_all();
  }

  void SetReacting(bool reacting) {
    const std::lock_guard lock(mutex_);
    reacting_ = reacting;
    if (!reacting) changed_.notify_all();
  }

  // No write begins from now on.
  void Close() {
    {
      const std::lock_guard lock(mutex_);
      open_ = false;
    }
    ReleaseHoldWhenIdle();
  }

  // The hold must outlast a write that another thread is about to start.
  void ReleaseHoldWhenIdle() {
    {
      const std::lock_guard lock(mutex_);
      if (open_ || writing_ || !holding_) return;
      holding_ = false;
    }
    this->RemoveHold();
  }

  grpc::ClientContext context_;
  std::atomic<bool> is_cancelled_ = false;  // By this side.
  Response response_;
  // Guarded by mutex_.
  bool open_ = true;
  bool writing_ = false;
  bool holding_ = true;
  bool half_closing_ = false;
  bool done_ = false;
};

}  // namespace wharf::client
