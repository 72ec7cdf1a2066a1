// The gRPC service wharf.v1.Management. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/management.grpc.pb.h>

#include "broker/engine/broker.h"

namespace wharf {

class ManagementService final
    : public v1::Management::WithRawCallbackMethod_CreateQueue<
          v1::Management::WithRawCallbackMethod_UpdateQueue<
              v1::Management::WithRawCallbackMethod_GetQueue<
                  v1::Management::WithRawCallbackMethod_ListQueues<
                      v1::Management::WithRawCallbackMethod_DeleteQueue<
                          v1::Management::WithRawCallbackMethod_GetQueueRuntimeProperties<
                              v1::Management::Service>>>>>> {
 public:
  explicit ManagementService(Broker& broker) : broker_(broker) {}

  grpc::ServerUnaryReactor* CreateQueue(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* UpdateQueue(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetQueue(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListQueues(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* DeleteQueue(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetQueueRuntimeProperties(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) override;

 private:
  Broker& broker_;
};

}  // namespace wharf
