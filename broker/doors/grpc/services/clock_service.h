// The gRPC service wharf.v1.Clock. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/clock.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class ClockService final : public RawService {
 public:
  explicit ClockService(const Gates& gates);

  UnaryReactor* Get(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* Advance(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
