#include "broker/doors/http/servicebus/target.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <fmt/format.h>

namespace wharf {
namespace {

constexpr std::size_t kParametersMax = 64;

Status BadTarget(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

int ValueOf(char digit) {
  const auto c = static_cast<unsigned char>(digit);
  if (absl::ascii_isdigit(c)) return c - '0';
  if (!absl::ascii_isxdigit(c)) return -1;
  return absl::ascii_tolower(c) - 'a' + 10;
}

bool IsControl(unsigned char c) { return c < 0x20 || c == 0x7F; }

Result<std::string> Unescaped(std::string_view text, bool plus_is_space) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? ValueOf(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? ValueOf(text[i + 2]) : -1;
      if (high < 0 || low < 0) return BadTarget("behind a % stand two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (IsControl(static_cast<unsigned char>(c))) {
      return BadTarget("a path and its query have no control characters");
    }
    plain += c;
  }
  return plain;
}

std::string_view WithoutOuterSlashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

Status AddParameter(std::string_view text, Target& target) {
  const std::size_t equals = text.find('=');
  const bool has_value = equals != std::string_view::npos;
  Result<std::string> name = Unescaped(text.substr(0, equals), true);
  Result<std::string> value = Unescaped(has_value ? text.substr(equals + 1) : "", true);
  WHARF_RETURN_IF_ERROR(name.status());
  WHARF_RETURN_IF_ERROR(value.status());
  target.query.emplace_back(*std::move(name), *std::move(value));
  return {};
}

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

std::string Escaped(std::string_view text, std::string_view also) {
  std::string escaped;
  for (const char c : text) {
    if (IsUnreserved(c) || also.find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

}  // namespace

const std::string* Target::Find(std::string_view name) const {
  for (const auto& [known, value] : query) {
    if (absl::EqualsIgnoreCase(known, {name.data(), name.size()})) return &value;
  }
  return nullptr;
}

Result<Target> ParseTarget(std::string_view path, std::string_view query) {
  if (path.size() > kTargetBytesMax || query.size() > kTargetBytesMax) {
    return BadTarget(fmt::format("a path, and a query, has at most {} bytes", kTargetBytesMax));
  }
  Target target;
  const Result<std::string> plain = Unescaped(path, false);
  if (!plain.ok()) return plain.status();
  target.path = WithoutOuterSlashes(*plain);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (end > 0) WHARF_RETURN_IF_ERROR(AddParameter(query.substr(0, end), target));
    query.remove_prefix(std::min(end + 1, query.size()));
    if (target.query.size() > kParametersMax) {
      return BadTarget(fmt::format("a query has at most {} parameters", kParametersMax));
    }
  }
  return target;
}

std::string EscapedPath(std::string_view path) { return Escaped(path, "/$"); }
std::string EscapedSegment(std::string_view segment) { return Escaped(segment, ""); }

}  // namespace wharf
