// The gRPC service wharf.v1.Clock. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/clock.grpc.pb.h>

#include "broker/doors/grpc/services/open_calls.h"
#include "broker/requests/clock_control.h"

namespace wharf {

class ClockService final : public v1::Clock::WithRawCallbackMethod_Get<
                               v1::Clock::WithRawCallbackMethod_Advance<v1::Clock::Service>> {
 public:
  ClockService(ClockControl& clock, OpenCalls& calls) : clock_(clock), calls_(calls) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const grpc::ByteBuffer* request,
                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Advance(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;

 private:
  ClockControl& clock_;
  OpenCalls& calls_;
};

}  // namespace wharf
