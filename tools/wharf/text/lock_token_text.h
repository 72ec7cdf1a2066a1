// Lock tokens as people see them: 32 hexadecimal digits. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::tool {

std::string FormatLockToken(std::string_view bytes);

// The 16 bytes. Dashes, as in a UUID, may stand between the digits.
Result<std::string> ParseLockToken(std::string_view text);

}  // namespace wharf::tool
