// Sizes as people write them: "512B", "64KiB", "16MiB", "2GiB", "1TiB".
//
//   size = digits ( "B" / "KiB" / "MiB" / "GiB" / "TiB" )
//
// The unit is always written, so that nobody has to know which one a number means, and a power of
// two, so that there is one reading. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf::config {

// Bytes; nothing if it is not a size, or more than 64 bits hold.
std::optional<std::uint64_t> ParseSize(std::string_view text);

// What ParseSize reads back unchanged, with the largest unit that does.
std::string FormatSize(std::uint64_t bytes);

}  // namespace wharf::config
