// Text: what the limits on texts count, and how much of one is repeated in a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wharf {

// Characters of UTF-8 text; those of bytes that are none, about.
std::size_t CharactersIn(std::string_view text);

// The text itself, or if it has more bytes its beginning and "...", `bytes_max` bytes together at
// most. No character is cut in two.
std::string Shortened(std::string_view text, std::size_t bytes_max);

}  // namespace wharf
