// The gRPC service wharf.v1.Management. Called on gRPC's threads; keeps nothing.
//
//   management_service.cc   queues, statistics
//   management_jobs.cc      purges and jobs
//   management_locks.cc     which connection holds what
//   management_access.cc    who may do what
//   management_check.cc     whether an entity agrees with itself
//   management_connections.cc  who is connected
#pragma once

#include <utility>

#include <wharf/v1/management.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class ManagementService final : public RawService {
 public:
  explicit ManagementService(const Gates& gates);

  UnaryReactor* CreateQueue(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* UpdateQueue(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetQueue(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListQueues(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* DeleteQueue(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetQueueRuntimeProperties(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response);
  UnaryReactor* ListEntityNumbers(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetBrokerStatistics(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response);

  UnaryReactor* ListConnections(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* CloseConnection(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

  UnaryReactor* Purge(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListLocks(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* CheckEntity(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* StartRedrive(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* StartDeleteMessages(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response);
  UnaryReactor* GetJob(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListJobs(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* CancelJob(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

  UnaryReactor* CreateAccessRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetAccessRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListAccessRules(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* RotateAccessKey(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* RemoveAccessRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
