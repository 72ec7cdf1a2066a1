// The gRPC service wharf.v1.Messaging. Called on gRPC's threads; keeps nothing but its streams.
//
//   messaging_service.cc     sending, receiving, settling, peeking
//   messaging_by_number.cc   messages that are named by their numbers
//   messaging_scheduled.cc   scheduled messages
#pragma once

#include <wharf/v1/messaging.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class MessagingService final : public RawService {
 public:
  explicit MessagingService(const Gates& gates);

  UnaryReactor* Send(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  StreamReactor* SendStream(grpc::CallbackServerContext* context);
  UnaryReactor* Receive(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  StreamReactor* ReceiveStream(grpc::CallbackServerContext* context);
  UnaryReactor* Settle(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* RenewLock(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* Peek(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

  UnaryReactor* ReceiveDeferred(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* UndeferMessages(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ReceiveBySequenceNumber(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response);
  UnaryReactor* SettleBySequenceNumber(grpc::CallbackServerContext* context,
                                       grpc::ByteBuffer* response);
  UnaryReactor* PeekBody(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* TraceMessage(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ExportBySequenceNumber(grpc::CallbackServerContext* context,
                                       grpc::ByteBuffer* response);
  UnaryReactor* DeleteMessages(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

  UnaryReactor* CancelScheduledMessages(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response);
  UnaryReactor* RescheduleMessages(grpc::CallbackServerContext* context,
                                   grpc::ByteBuffer* response);
  UnaryReactor* ActivateScheduledMessages(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response);
  UnaryReactor* ListScheduledMessages(grpc::CallbackServerContext* context,
                                      grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
