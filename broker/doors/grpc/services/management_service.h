// The gRPC service wharf.v1.Management. Called on gRPC's threads; keeps nothing.
//
//   management_service.cc   queues, statistics
//   management_jobs.cc      purges and jobs
//   management_locks.cc     which connection holds what
//   management_check.cc     whether an entity agrees with itself
#pragma once

#include <utility>

#include <wharf/v1/management.grpc.pb.h>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/grpc/services/raw_methods.h"

namespace wharf {

class ManagementService final
    : public RawMethods<v1::Management::Service, v1::Management::WithRawCallbackMethod_CreateQueue,
                        v1::Management::WithRawCallbackMethod_UpdateQueue,
                        v1::Management::WithRawCallbackMethod_GetQueue,
                        v1::Management::WithRawCallbackMethod_ListQueues,
                        v1::Management::WithRawCallbackMethod_DeleteQueue,
                        v1::Management::WithRawCallbackMethod_Purge,
                        v1::Management::WithRawCallbackMethod_ListLocks,
                        v1::Management::WithRawCallbackMethod_CheckEntity,
                        v1::Management::WithRawCallbackMethod_StartRedrive,
                        v1::Management::WithRawCallbackMethod_StartDeleteMessages,
                        v1::Management::WithRawCallbackMethod_GetJob,
                        v1::Management::WithRawCallbackMethod_ListJobs,
                        v1::Management::WithRawCallbackMethod_CancelJob,
                        v1::Management::WithRawCallbackMethod_GetQueueRuntimeProperties,
                        v1::Management::WithRawCallbackMethod_GetBrokerStatistics> {
 public:
  explicit ManagementService(CallGate& gate) : gate_(gate) {}

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
  grpc::ServerUnaryReactor* GetBrokerStatistics(grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* request,
                                                grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* Purge(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListLocks(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* CheckEntity(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* StartRedrive(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* StartDeleteMessages(grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* request,
                                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;

 private:
  CallGate& gate_;
};

}  // namespace wharf
