// Helpers that every call has in common: parsing a request from its bytes, writing an answer to
// bytes.
//
// Calls are registered with their raw bytes, so that a request that is no protocol buffer is
// answered in the domain's words, and so that requests live on an arena.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <absl/strings/escaping.h>
#include <google/protobuf/arena.h>
#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>
#include <spdlog/spdlog.h>

#include "absl/base/thread_annotations.h"
#include "broker/doors/common/call_gate.h"
#include "broker/doors/grpc/errors.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

// Of one request, in a call or on a stream: it is in memory as a whole, and so is what is made of
// it. gRPC itself refuses what is longer than kReceivedBytesMax, in words of its own and before it
// is read; between the two it is read, and refused in ours.
inline constexpr std::size_t kRequestBytesMax = 16 * 1024 * 1024;
inline constexpr int kReceivedBytesMax = 32 * 1024 * 1024;

// MessageSizeExceeded or ArgumentError if there is no such request.
template <typename Request>
Status Parse(grpc::ByteBuffer& bytes, Request* request) {
  if (bytes.Length() > kRequestBytesMax) {
    return {ErrorCode::kMessageSizeExceeded,
            "the request has " + std::to_string(bytes.Length()) +
                " bytes, more than the 16 MiB that one may have; send fewer messages at a time, "
                "or a large one in chunks over SendStream"};
  }
  if (grpc::SerializationTraits<Request>::Deserialize(&bytes, request).ok()) return {};
  return {ErrorCode::kArgumentError,
          "the request is not a valid " + request->GetTypeName() + ": it is cut short or damaged"};
}

template <typename Response>
grpc::ByteBuffer Serialize(const Response& response) {
  grpc::ByteBuffer bytes;
  bool own_buffer = false;
  static_cast<void>(grpc::SerializationTraits<Response>::Serialize(response, &bytes, &own_buffer));
  return bytes;
}

// One unary call: lives until gRPC is done with it. Finish is called once, on any thread.
template <typename Request, typename Response>
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  // Hands the parsed request to `handle`, or answers that it cannot be parsed or why there is no
  // broker.
  template <typename Handle>
  static grpc::ServerUnaryReactor* Start(CallGate& gate, grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response, Handle handle) {
    auto* call = new UnaryCall(gate, context, response);
    if (!call->ticket_.is_valid()) {
      call->Fail(call->ticket_.refusal());
      return call;
    }
    // gRPC would keep the bytes for as long as the call lasts, and nobody looks at them again; they
    // are its to change, and parsing takes them away.
    auto& bytes = const_cast<grpc::ByteBuffer&>(*request);
    if (Status bad = Parse(bytes, call->request_); !bad.ok()) {
      call->Fail(bad);
    } else {
      handle(*call);
    }
    return call;
  }

  Request& request() { return *request_; }
  // Written by the handler before Succeed.
  Response& response() { return *response_; }
  // For errors; empty if the request names no entity.
  std::string entity_path;

  void Succeed() {
    *response_bytes_ = Serialize(*response_);
    Finish(grpc::Status::OK);
  }
  void Fail(const Status& status) {
    if (spdlog::should_log(spdlog::level::debug)) LogRefusal(status);
    Finish(ToGrpc(status, about()));
  }

  const CallGate::Broker& broker() const { return ticket_.broker(); }
  Requests& requests() const { return broker().requests; }
  // The caller, as the broker sees it.
  Caller caller() const {
    return {.peer = context_->peer(), .patience = patience(), .tracking_id = tracking_id_};
  }
  // The same for what must be done whether the client waits or not.
  Caller caller_itself() const { return {.peer = context_->peer(), .tracking_id = tracking_id_}; }
  EntityRef entity() const { return {entity_path}; }
  // For errors.
  AboutRequest about() const { return {entity_path, tracking_id_}; }

  bool is_cancelled() const { return context_->IsCancelled(); }
  // For a call that waits: the wait is cancelled if the client gives up or the gate is closed; at
  // once if that is so already. Once a call.
  void CancelWhenGone(std::shared_ptr<WaitHandle> wait) {
    std::function<void()> cancel = [wait = std::move(wait)] { wait->Cancel(); };
    ticket_.OnClose([cancel](const Status&) { cancel(); });
    {
      MutexLock lock(mutex_);
      if (!was_cancelled_) {
        cancel_ = std::move(cancel);
        return;
      }
    }
    cancel();
  }

 private:
  UnaryCall(CallGate& gate, grpc::CallbackServerContext* context, grpc::ByteBuffer* response)
      : ticket_(gate.Enter([context] { context->TryCancel(); })),
        context_(context),
        response_bytes_(response),
        request_(google::protobuf::Arena::CreateMessage<Request>(&arena_)),
        response_(google::protobuf::Arena::CreateMessage<Response>(&arena_)) {}

  // Absent: the client set no deadline, or one that nobody lives to see.
  std::optional<Duration> patience() const {
    const gpr_timespec deadline =
        gpr_convert_clock_type(context_->raw_deadline(), GPR_CLOCK_REALTIME);
    const gpr_timespec left = gpr_time_sub(deadline, gpr_now(GPR_CLOCK_REALTIME));
    constexpr std::int64_t kYearSeconds = std::int64_t{365} * 24 * 3600;
    if (left.tv_sec >= kYearSeconds) return std::nullopt;
    if (left.tv_sec < 0) return Duration(0);
    return std::chrono::seconds(left.tv_sec) +
           std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(left.tv_nsec));
  }

  void LogRefusal(const Status& status) const {
    spdlog::debug("a {} from {} fails: {} (tracking id {})", request_->GetTypeName(),
                  context_->peer(), absl::CHexEscape(status.ToString()), ToString(tracking_id_));
  }

  void OnCancel() override {
    std::function<void()> cancel;
    {
      MutexLock lock(mutex_);
      was_cancelled_ = true;
      cancel = cancel_;
    }
    if (cancel) cancel();
  }
  void OnDone() override { delete this; }

  CallGate::Ticket ticket_;
  grpc::CallbackServerContext* const context_;
  const TrackingId tracking_id_ = NewTrackingId();
  grpc::ByteBuffer* const response_bytes_;
  google::protobuf::Arena arena_;
  Request* const request_;
  Response* const response_;
  Mutex mutex_;
  std::function<void()> cancel_ ABSL_GUARDED_BY(mutex_);
  bool was_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
