// ReceiveStream: one client's receiver, with credit, deliveries and settlements on one stream.
#pragma once

#include <grpcpp/grpcpp.h>

#include "broker/doors/common/call_gate.h"

namespace wharf {

// The reactor owns itself.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartReceiveStream(
    CallGate& gate, grpc::CallbackServerContext& context);

}  // namespace wharf
