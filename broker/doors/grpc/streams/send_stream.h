// SendStream: one client's stream of sends, with many requests under way.
//
// Requests go to the broker in the order they come, receipts leave in the same order, however the
// answers arrive. Reading pauses when too much is under way, so that a client that does not read
// its receipts is held back by flow control instead of filling memory.
#pragma once

#include <grpcpp/grpcpp.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

// The reactor owns itself.
StreamReactor* StartSendStream(const Gates& gates, grpc::CallbackServerContext& context);

}  // namespace wharf
