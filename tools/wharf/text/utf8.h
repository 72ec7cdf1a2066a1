// UTF-8: telling text from bytes, and one character from several. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf::tool {

bool IsUtf8(std::string_view bytes);

// For options whose text the broker takes as text: what is wrong with it, or nothing.
std::string CheckUtf8(const std::string& text);

// The code point, if `text` is exactly one.
std::optional<std::uint32_t> ToCodePoint(std::string_view text);

// Empty if it is not a code point.
std::string FromCodePoint(std::uint32_t code_point);

}  // namespace wharf::tool
