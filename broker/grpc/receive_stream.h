// ReceiveStream: one client's receiver, with credit, deliveries and settlements on one stream.
#pragma once

#include <string>

#include <grpcpp/grpcpp.h>

#include "broker/engine/broker.h"
#include "broker/grpc/open_calls.h"

namespace wharf {

// The reactor owns itself. `peer`: where its connection comes from.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartReceiveStream(Broker& broker,
                                                                                OpenCalls& calls,
                                                                                std::string peer);

}  // namespace wharf
