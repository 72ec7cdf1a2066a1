// RawService: a service of the API whose methods get the bytes of their requests, and read them
// when there is room (common/read_gate.h).
//
// gRPC reads the request of a unary method as a whole before it calls anybody. So they are
// registered as if the client sent a stream, which is the same on the wire: a call reads one
// message of it and answers. What reflection tells is made from the descriptors and stays unary.
//
// The services inherit from it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/service_type.h>

namespace wharf {

using UnaryReactor = grpc::ServerReadReactor<grpc::ByteBuffer>;
using StreamReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class RawService : public grpc::Service {
 public:
  // Of its methods, as "/wharf.v1.Clock/Get".
  const std::deque<std::string>& paths() const { return paths_; }

 protected:
  struct Method {
    const char* name;
    grpc::internal::RpcMethod::RpcType type;
    std::unique_ptr<grpc::internal::MethodHandler> handler;
  };

  // The full name, as wharf.v1.Clock.
  explicit RawService(std::string name) : name_(std::move(name)) {}

  // All methods of the service, once.
  template <typename... Methods>
  void Offer(Methods... methods) {
    (Add(std::move(methods)), ...);
  }

  // A call, by a member `UnaryReactor* Get(grpc::CallbackServerContext*, grpc::ByteBuffer*
  // response)`.
  template <typename Service>
  Method Unary(const char* name,
               UnaryReactor* (Service::*member)(grpc::CallbackServerContext*, grpc::ByteBuffer*)) {
    using Handler =
        grpc::internal::CallbackClientStreamingHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
    auto& service = static_cast<Service&>(*this);
    return {name, grpc::internal::RpcMethod::CLIENT_STREAMING,
            std::make_unique<Handler>([&service, member](grpc::CallbackServerContext* context,
                                                         grpc::ByteBuffer* response) {
              return (service.*member)(context, response);
            })};
  }

  // A stream in both directions, by a member `StreamReactor* Send(grpc::CallbackServerContext*)`.
  template <typename Service>
  Method Stream(const char* name, StreamReactor* (Service::*member)(grpc::CallbackServerContext*)) {
    using Handler = grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
    auto& service = static_cast<Service&>(*this);
    return {name, grpc::internal::RpcMethod::BIDI_STREAMING,
            std::make_unique<Handler>([&service, member](grpc::CallbackServerContext* context) {
              return (service.*member)(context);
            })};
  }

 private:
  void Add(Method method);

  const std::string name_;
  // gRPC keeps pointers to them.
  std::deque<std::string> paths_;
};

}  // namespace wharf
