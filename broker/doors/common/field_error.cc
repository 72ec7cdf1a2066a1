#include "broker/doors/common/field_error.h"

#include <fmt/core.h>

namespace wharf {

Status BadValue(std::string_view field, std::string_view why) {
  return {ErrorCode::kArgumentError, fmt::format("{} {}", field, why)};
}

Status OutOfRange(std::string_view field, std::string_view why) {
  return {ErrorCode::kArgumentOutOfRange, fmt::format("{} {}", field, why)};
}

}  // namespace wharf
