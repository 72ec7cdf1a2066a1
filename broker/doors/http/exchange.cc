#include "broker/doors/http/exchange.h"

#include <absl/strings/match.h>

namespace wharf {

const std::string* FindField(const HttpFields& fields, std::string_view name) {
  for (const auto& [known, value] : fields) {
    if (absl::EqualsIgnoreCase(known, {name.data(), name.size()})) return &value;
  }
  return nullptr;
}

}  // namespace wharf
