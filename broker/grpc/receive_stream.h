// ReceiveStream: one client's receiver, with credit, deliveries and settlements on one stream.
#pragma once

#include <grpcpp/grpcpp.h>

#include "broker/engine/broker.h"

namespace wharf {

// The reactor owns itself.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartReceiveStream(Broker& broker);

}  // namespace wharf
