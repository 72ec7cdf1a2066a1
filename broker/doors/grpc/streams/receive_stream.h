// ReceiveStream: one client's receiver, with credit, deliveries and settlements on one stream.
#pragma once

#include <string>

#include <grpcpp/grpcpp.h>

#include "broker/doors/grpc/services/open_calls.h"
#include "broker/requests/requests.h"

namespace wharf {

// The reactor owns itself. `peer`: where its connection comes from.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartReceiveStream(Requests& requests,
                                                                                OpenCalls& calls,
                                                                                std::string peer);

}  // namespace wharf
