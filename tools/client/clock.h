// Clock: reads and advances the time of a broker that was started with --clock=manual.
//
// Every call waits for its answer. Made by Client; any thread may call.
#pragma once

#include <memory>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "wharf/v1/clock.grpc.pb.h"

namespace wharf::client {

class Clock {
 public:
  Clock(std::shared_ptr<Endpoints> endpoints, Duration timeout);

  Result<v1::ClockTime> Get();
  // Returns when everything that became due is done.
  Result<v1::ClockTime> Advance(Duration by);

 private:
  const std::shared_ptr<Endpoints> endpoints_;
  const Duration timeout_;
};

}  // namespace wharf::client
