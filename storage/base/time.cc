#include "storage/base/time.h"

#include <fmt/chrono.h>

namespace wharf {

std::string ToString(Timestamp time) {
  if (time == kNever) return "never";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(seconds), (time - seconds).count());
}

}  // namespace wharf
