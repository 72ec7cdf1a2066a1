// ReceiveStream: one client's receiver, with credit, deliveries and settlements on one stream.
#pragma once

#include <grpcpp/grpcpp.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

// The reactor owns itself.
StreamReactor* StartReceiveStream(const Gates& gates, grpc::CallbackServerContext& context);

}  // namespace wharf
