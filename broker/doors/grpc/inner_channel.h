// InnerChannel: the calls of other doors of this daemon, on their way to the services of the gRPC
// door: a channel of gRPC within the process, and the name of who asks for each.
//
// Owned by the Server; outlives none of its services. Any thread.
#pragma once

#include <memory>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "broker/doors/common/inner_calls.h"
#include "broker/doors/common/vouched_callers.h"

namespace wharf {

// In the metadata of such a call: its handle.
inline constexpr char kVouchedMetadata[] = "wharf-vouched";

class InnerChannel final : public InnerCalls {
 public:
  InnerChannel(grpc::Server& server, VouchedCallers& vouched);

  Cancel Begin(Call call, Done done) override;
  std::unique_ptr<Stream> Open(Call call, StreamEvents events) override;

 private:
  VouchedCallers& vouched_;
  grpc::GenericStub stub_;
};

}  // namespace wharf
