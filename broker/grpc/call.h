// Helpers that every call has in common: parsing a request from its bytes, writing an answer to
// bytes.
//
// Calls are registered with their raw bytes, so that a request that is no protocol buffer is
// answered in the domain's words, and so that requests live on an arena.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <google/protobuf/arena.h>
#include <grpcpp/grpcpp.h>

#include "broker/grpc/errors.h"
#include "storage/base/status.h"

namespace wharf {

template <typename Request>
Status Parse(grpc::ByteBuffer& bytes, Request* request) {
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
  // Hands the parsed request to `handle`, or answers that it cannot be parsed.
  template <typename Handle>
  static grpc::ServerUnaryReactor* Start(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response, Handle handle) {
    auto* call = new UnaryCall(context, response);
    grpc::ByteBuffer bytes = *request;
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
  void Fail(const Status& status) { Finish(ToGrpc(status, entity_path)); }

  bool is_cancelled() const { return context_->IsCancelled(); }
  // Called if the client gives up; at once if it already has.
  void OnCancelCall(std::function<void()> cancel) {
    std::unique_lock lock(mutex_);
    cancel_ = std::move(cancel);
    const bool is_late = was_cancelled_;
    lock.unlock();
    if (is_late) cancel_();
  }

 private:
  UnaryCall(grpc::CallbackServerContext* context, grpc::ByteBuffer* response)
      : context_(context),
        response_bytes_(response),
        request_(google::protobuf::Arena::CreateMessage<Request>(&arena_)),
        response_(google::protobuf::Arena::CreateMessage<Response>(&arena_)) {}

  void OnCancel() override {
    std::unique_lock lock(mutex_);
    was_cancelled_ = true;
    const auto cancel = cancel_;
    lock.unlock();
    if (cancel) cancel();
  }
  void OnDone() override { delete this; }

  grpc::CallbackServerContext* const context_;
  grpc::ByteBuffer* const response_bytes_;
  google::protobuf::Arena arena_;
  Request* const request_;
  Response* const response_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::function<void()> cancel_;
  bool was_cancelled_ = false;
};

}  // namespace wharf
