#include "tools/client/clock.h"

#include <utility>

#include "tools/client/unary.h"

namespace wharf::client {

using Stub = v1::Clock::Stub;

Clock::Clock(std::shared_ptr<Endpoints> endpoints, Duration timeout)
    : endpoints_(std::move(endpoints)), timeout_(timeout) {}

Result<v1::ClockTime> Clock::Get() {
  return CallToLook(*endpoints_, &Stub::Get, v1::GetClockRequest(), timeout_);
}

Result<v1::ClockTime> Clock::Advance(Duration by) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(by);
  const std::chrono::nanoseconds nanos = by - seconds;
  v1::AdvanceClockRequest request;
  request.mutable_by()->set_seconds(seconds.count());
  request.mutable_by()->set_nanos(static_cast<std::int32_t>(nanos.count()));
  return CallUnary(*endpoints_, &Stub::Advance, request, timeout_);
}

}  // namespace wharf::client
