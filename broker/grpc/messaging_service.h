// The gRPC service wharf.v1.Messaging. Called on gRPC's threads; keeps nothing but its streams.
#pragma once

#include <wharf/v1/messaging.grpc.pb.h>

#include "broker/engine/broker.h"

namespace wharf {

class MessagingService final : public v1::Messaging::WithRawCallbackMethod_Send<
                                   v1::Messaging::WithRawCallbackMethod_SendStream<
                                       v1::Messaging::WithRawCallbackMethod_Receive<
                                           v1::Messaging::WithRawCallbackMethod_ReceiveStream<
                                               v1::Messaging::WithRawCallbackMethod_Settle<
                                                   v1::Messaging::WithRawCallbackMethod_RenewLock<
                                                       v1::Messaging::WithRawCallbackMethod_Peek<
                                                           v1::Messaging::Service>>>>>>> {
 public:
  explicit MessagingService(Broker& broker) : broker_(broker) {}

  grpc::ServerUnaryReactor* Send(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* SendStream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Receive(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ReceiveStream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Settle(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RenewLock(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Peek(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override;

 private:
  Broker& broker_;
};

}  // namespace wharf
