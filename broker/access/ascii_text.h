// Ascii text: what tokens, names and connection strings are read with. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wharf::access {

bool IsLetterOrDigit(char c);
std::string ToLowerCase(std::string_view text);
bool EqualsInAnyCase(std::string_view one, std::string_view other);
// Without blanks around it.
std::string_view Stripped(std::string_view text);
// The pieces between separators; one at least.
std::vector<std::string_view> Split(std::string_view text, char separator);

}  // namespace wharf::access
