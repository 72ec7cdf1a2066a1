// How many items a call asks for; used by all calls that answer with a page.
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/core.h>

#include "broker/doors/common/field_error.h"

namespace wharf {

// A field that says how many: 0 means `by_default`. ArgumentOutOfRange if it is more than `max`.
inline Result<std::uint32_t> CountFromProto(std::string_view field, std::uint32_t asked,
                                            std::uint32_t by_default, std::uint32_t max) {
  if (asked > max) return OutOfRange(field, fmt::format("is more than {}", max));
  return asked == 0 ? by_default : asked;
}

// The page_size of lists of entities and the like.
inline Result<std::uint32_t> PageSizeFromProto(std::uint32_t asked, std::uint32_t max = 1000) {
  constexpr std::uint32_t kDefault = 100;
  return CountFromProto("page_size", asked, kDefault, max);
}

}  // namespace wharf
