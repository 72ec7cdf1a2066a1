#include "broker/access/ascii_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace wharf::access {
namespace {

char LowerOf(char c) { return absl::ascii_tolower(static_cast<unsigned char>(c)); }
bool IsBlank(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

}  // namespace

bool IsLetterOrDigit(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

std::string ToLowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = LowerOf(c);
  return lower;
}

bool EqualsInAnyCase(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return LowerOf(a) == LowerOf(b); });
}

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

}  // namespace wharf::access
