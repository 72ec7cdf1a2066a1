#include "broker/config/restore_request.h"

#include <absl/time/time.h>

namespace wharf {

std::optional<Timestamp> ParseUntil(const std::string& text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error)) return std::nullopt;
  const bool is_finite = time != absl::InfiniteFuture() && time != absl::InfinitePast();
  if (!is_finite) return std::nullopt;
  return Timestamp(Duration(absl::ToUnixMicros(time)));
}

}  // namespace wharf
