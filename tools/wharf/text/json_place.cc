#include "tools/wharf/text/json_place.h"

#include <algorithm>

#include <fmt/core.h>

#include "absl/strings/ascii.h"
#include "tools/wharf/text/json.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

// Longer ones are no keys of ours, and would hide what is wrong with them.
constexpr std::size_t kKeyWidthMax = 80;

bool IsWord(std::string_view key) {
  const auto is_letter = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  return !key.empty() && absl::ascii_isdigit(static_cast<unsigned char>(key.front())) == 0 &&
         std::all_of(key.begin(), key.end(), is_letter);
}

}  // namespace

JsonPlace JsonPlace::Key(std::string_view key) const {
  if (IsWord(key)) return JsonPlace(fmt::format("{}.{}", text_, Printable(key, kKeyWidthMax)));
  const std::string quoted = ToLine(Json(Printable(key, kKeyWidthMax)));
  return JsonPlace(fmt::format("{}[{}]", text_.empty() ? "." : text_, quoted));
}

JsonPlace JsonPlace::Item(std::size_t index) const {
  return JsonPlace(fmt::format("{}[{}]", text_.empty() ? "." : text_, index));
}

Status JsonPlace::Bad(std::string_view why) const {
  return {ErrorCode::kArgumentError, fmt::format("{}: {}", text(), why)};
}

}  // namespace wharf::tool
