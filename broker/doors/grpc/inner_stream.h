// InnerStream: a stream of another door of this daemon, on its way to the services of the gRPC
// door. Opened by the InnerChannel for whoever has it then; its events come on gRPC's threads.
#pragma once

#include <memory>

#include <grpcpp/generic/generic_stub.h>

#include "broker/doors/common/inner_calls.h"
#include "broker/doors/common/vouched_callers.h"

namespace wharf {

std::unique_ptr<InnerCalls::Stream> OpenInnerStream(grpc::GenericStub& stub,
                                                    VouchedCallers& vouched, InnerCalls::Call call,
                                                    InnerCalls::StreamEvents events);

}  // namespace wharf
