#include "broker/requests/clock_control.h"

#include <utility>

namespace wharf {
namespace {

constexpr Duration kAdvanceMax = std::chrono::hours(24) * 365 * 100;
// The end of the year 9999, the last that the API can tell.
constexpr Timestamp kLastTime{std::chrono::seconds(253402300799)};

Status NotManual() {
  return {ErrorCode::kInvalidOperation,
          "the clock of this broker cannot be asked or advanced; start wharfd with --clock=manual"};
}

}  // namespace

Result<Timestamp> ClockControl::Now(const Caller& caller) const {
  WHARF_RETURN_IF_ERROR(requests_.Allow(caller, AskClock()));
  if (clock_ == nullptr) return NotManual();
  return clock_->Now();
}

void ClockControl::Advance(Duration by, Caller caller, Answer<Timestamp> answer) {
  Status moved = requests_.Allow(caller, MoveClock());
  if (moved.ok()) moved = Move(by);
  if (!moved.ok()) return std::move(answer)(std::move(moved));
  requests_.Ask(std::move(caller), AwaitDueRequest(), std::move(answer));
}

Status ClockControl::Move(Duration by) {
  if (clock_ == nullptr) return NotManual();
  if (by < Duration(0) || by > kAdvanceMax) {
    return {ErrorCode::kArgumentOutOfRange, "a clock is advanced by 0 to 100 years"};
  }
  MutexLock lock(mutex_);
  if (by > kLastTime - clock_->Now()) {
    return {ErrorCode::kArgumentOutOfRange, "a clock cannot be advanced beyond the year 9999"};
  }
  clock_->Advance(by);
  return {};
}

}  // namespace wharf
