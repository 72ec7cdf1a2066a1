// LevelKeeper: to which level of the format a cluster may be raised, as its leader knows the
// members. A pure function.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace wharf {

// Nothing: it stays as it is. `others`: up to which level each of them reads; one of whom that is
// not known, because it was not reached, may be of any version.
inline std::optional<std::uint64_t> LevelToRaiseTo(
    std::uint64_t in_force, std::uint64_t own,
    const std::vector<std::optional<std::uint64_t>>& others) {
  std::uint64_t readable = own;
  for (const std::optional<std::uint64_t>& level : others) {
    if (!level) return std::nullopt;
    readable = std::min(readable, *level);
  }
  if (readable <= in_force) return std::nullopt;
  return readable;
}

}  // namespace wharf
