#include "broker/filter/property_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace wharf {

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char left, char right) {
    return absl::ascii_tolower(left) == absl::ascii_tolower(right);
  });
}

// FNV-1a: short names, one pass, and nothing depends on it but speed.
NameHash HashOfName(std::string_view name) {
  constexpr NameHash kBasis = 2166136261U;
  constexpr NameHash kPrime = 16777619U;
  NameHash hash = kBasis;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(absl::ascii_tolower(c))) * kPrime;
  }
  return hash;
}

PropertyName::PropertyName(std::string_view name) : folded_(name), hash_(HashOfName(name)) {
  absl::AsciiStrToLower(&folded_);
}

}  // namespace wharf
