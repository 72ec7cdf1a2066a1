// The gRPC service wharf.v1.Clock. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/clock.grpc.pb.h>

#include "broker/doors/common/call_gate.h"

namespace wharf {

class ClockService final : public v1::Clock::WithRawCallbackMethod_Get<
                               v1::Clock::WithRawCallbackMethod_Advance<v1::Clock::Service>> {
 public:
  explicit ClockService(CallGate& gate) : gate_(gate) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const grpc::ByteBuffer* request,
                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Advance(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;

 private:
  CallGate& gate_;
};

}  // namespace wharf
