#include "storage/base/time.h"

#include <ctime>

#include <fmt/chrono.h>

namespace wharf {

std::string ToString(Timestamp time) {
  if (time == kNever) return "never";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  // As a time_point it would be counted in nanoseconds, which end in 2262.
  const std::tm date = fmt::gmtime(std::time_t{seconds.time_since_epoch().count()});
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", date, (time - seconds).count());
}

}  // namespace wharf
