// Nearest word: what somebody meant who wrote something that is not there.
//
// Used when a command line or a configuration is refused. A pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wharf {

// The candidate that a slip or two of the finger turn into `word`, or that begins with it; nothing
// if none is near.
std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace wharf
