// FromEnvironment: a number that makes a test longer or begins it elsewhere, e.g. WHARF_SEED=7000.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace wharf {

inline std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace wharf
