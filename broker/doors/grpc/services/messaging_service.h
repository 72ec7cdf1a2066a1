// The gRPC service wharf.v1.Messaging. Called on gRPC's threads; keeps nothing but its streams.
//
//   messaging_service.cc     sending, receiving, settling, peeking
//   messaging_by_number.cc   messages that are named by their numbers
//   messaging_scheduled.cc   scheduled messages
#pragma once

#include <wharf/v1/messaging.grpc.pb.h>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/grpc/services/raw_methods.h"

namespace wharf {

class MessagingService final
    : public RawMethods<v1::Messaging::Service, v1::Messaging::WithRawCallbackMethod_Send,
                        v1::Messaging::WithRawCallbackMethod_SendStream,
                        v1::Messaging::WithRawCallbackMethod_Receive,
                        v1::Messaging::WithRawCallbackMethod_ReceiveStream,
                        v1::Messaging::WithRawCallbackMethod_Settle,
                        v1::Messaging::WithRawCallbackMethod_RenewLock,
                        v1::Messaging::WithRawCallbackMethod_Peek,
                        v1::Messaging::WithRawCallbackMethod_ReceiveDeferred,
                        v1::Messaging::WithRawCallbackMethod_UndeferMessages,
                        v1::Messaging::WithRawCallbackMethod_ReceiveBySequenceNumber,
                        v1::Messaging::WithRawCallbackMethod_SettleBySequenceNumber,
                        v1::Messaging::WithRawCallbackMethod_DeleteMessages,
                        v1::Messaging::WithRawCallbackMethod_CancelScheduledMessages,
                        v1::Messaging::WithRawCallbackMethod_RescheduleMessages,
                        v1::Messaging::WithRawCallbackMethod_ActivateScheduledMessages,
                        v1::Messaging::WithRawCallbackMethod_ListScheduledMessages> {
 public:
  explicit MessagingService(CallGate& gate) : gate_(gate) {}

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

  grpc::ServerUnaryReactor* ReceiveDeferred(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* UndeferMessages(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ReceiveBySequenceNumber(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* SettleBySequenceNumber(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* DeleteMessages(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* CancelScheduledMessages(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RescheduleMessages(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* request,
                                               grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ActivateScheduledMessages(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListScheduledMessages(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) override;

 private:
  CallGate& gate_;
};

}  // namespace wharf
