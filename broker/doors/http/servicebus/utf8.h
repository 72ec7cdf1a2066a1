// UTF-8, for texts that come and go over HTTP. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wharf {

// Bytes of the first character of a text that is not empty; 0: it begins with none (RFC 3629).
std::size_t Utf8LengthOf(std::string_view text);
bool IsUtf8(std::string_view text);
// What is no character is written as U+FFFD.
void AppendUtf8(char32_t character, std::string& text);

}  // namespace wharf
