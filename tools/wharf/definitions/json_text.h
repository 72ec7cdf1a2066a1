// JsonText: JSON that people have written, with the place of what is wrong with it.
//
// Beside what is no JSON it refuses a key that stands twice in an object, where other readers take
// the last one, and what is deeper or wider than any file of ours. A pure function.
#pragma once

#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {

// ArgumentError: "3:14: <why>", line and column, or ".queues[3]: <why>" (json_place.h).
Result<Json> ParseJsonText(std::string_view text);

}  // namespace wharf::tool
