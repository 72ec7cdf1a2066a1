// Text: what the limits on texts count.
#pragma once

#include <cstddef>
#include <string_view>

namespace wharf {

// Characters of UTF-8 text; those of bytes that are none, about.
std::size_t CharactersIn(std::string_view text);

}  // namespace wharf
