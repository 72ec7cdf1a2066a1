// TomlDepth: how many points the lines of a TOML file have that may be those of a name.
//
// The parser goes as deep as a name has points, and would end the process where that is too deep.
// So they are counted before it reads anything; what stands in a text or in a comment is none. Pure
// functions; used by ConfigFile.
#pragma once

#include <cstddef>
#include <string_view>

namespace wharf::config {

// The first line with more points than that, counted from 1; 0 if there is none. What is no TOML is
// looked at as far as it is.
std::size_t FindDeepLine(std::string_view text, std::size_t points_max);

}  // namespace wharf::config
