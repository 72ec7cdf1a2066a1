// JsonText: JSON that people have written, with the place of what is wrong with it.
//
// Beside what is no JSON it refuses a key that stands twice in an object, where other readers take
// the last one, and what is deeper or wider than anything of ours. Takes time in proportion to the
// text, however many keys an object has. Pure functions.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"
#include "tools/wharf/text/json_place.h"

namespace wharf::tool {

// Why a text is refused.
struct JsonFault {
  // Counted from 0, at which the text is no JSON any more; else what is wrong is at the place.
  std::optional<std::size_t> byte = std::nullopt;
  JsonPlace place{};
  std::string why{};
};

// Nothing if it is refused; `keys_max`: in one object.
std::optional<Json> ReadJson(std::string_view text, std::size_t keys_max, JsonFault& fault);

// Of a file of definitions. ArgumentError: "3:14: <why>", line and column, or ".queues[3]: <why>".
Result<Json> ParseJsonText(std::string_view text);

// No bound of its own: where the text is bounded already.
inline constexpr std::size_t kAnyKeys = std::numeric_limits<std::size_t>::max();

}  // namespace wharf::tool
