// What is said when a field of a request cannot be what it is. Used by the conversions.
#pragma once

#include <string_view>

#include "storage/base/status.h"

namespace wharf {

// ArgumentError: "<field> <why>".
Status BadValue(std::string_view field, std::string_view why);
// The same as ArgumentOutOfRange.
Status OutOfRange(std::string_view field, std::string_view why);

}  // namespace wharf
