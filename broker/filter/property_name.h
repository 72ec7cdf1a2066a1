// PropertyName: the name of an application property as filters compare it, without regard to case
// (SQL-1, COR-7).
//
// Folded and hashed once, when a rule is made. Letters beyond ASCII are compared as they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace wharf {

// Whether they differ in nothing but the case of ASCII letters.
bool SameName(std::string_view a, std::string_view b);

using NameHash = std::uint32_t;

// The same for names that differ only in case.
NameHash HashOfName(std::string_view name);

class PropertyName {
 public:
  explicit PropertyName(std::string_view name);

  const std::string& folded() const { return folded_; }
  NameHash hash() const { return hash_; }
  bool Is(std::string_view name) const { return SameName(folded_, name); }

  friend bool operator==(const PropertyName&, const PropertyName&) = default;
  template <typename State>
  friend State AbslHashValue(State state, const PropertyName& name) {
    return State::combine(std::move(state), name.folded_);
  }
  friend auto operator<=>(const PropertyName& a, const PropertyName& b) {
    return a.folded_ <=> b.folded_;
  }

 private:
  std::string folded_;
  NameHash hash_;
};

}  // namespace wharf
