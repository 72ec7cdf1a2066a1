#include "broker/access/connection_string.h"

#include <optional>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/ascii.h"
#include "broker/access/ascii_text.h"
#include "storage/base/nearest_word.h"

namespace wharf::access {
namespace {

constexpr std::string_view kEndpoint = "Endpoint";
constexpr std::string_view kKeyName = "SharedAccessKeyName";
constexpr std::string_view kKey = "SharedAccessKey";
constexpr std::string_view kSignature = "SharedAccessSignature";
constexpr std::string_view kEntityPath = "EntityPath";
constexpr std::string_view kEmulator = "UseDevelopmentEmulator";

Status Bad(std::string why) {
  return {ErrorCode::kArgumentError, "the connection string is not valid: " + why};
}

bool IsWord(std::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isalpha(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty() && text.size() <= 32;
}

// A name that nobody knows is told only if it is a word: else a secret may stand in its place.
Status Unknown(std::string_view name, std::size_t place) {
  const std::vector<std::string> names = {std::string(kEndpoint),   std::string(kKeyName),
                                          std::string(kKey),        std::string(kSignature),
                                          std::string(kEntityPath), std::string(kEmulator)};
  if (!IsWord(name)) return Bad(fmt::format("field {} has no name that means anything", place));
  const std::optional<std::string> nearest = Nearest(name, names);
  return Bad(nearest ? fmt::format("it has no field {}; {}?", name, *nearest)
                     : fmt::format("it has no field {}", name));
}

Status SetText(std::string_view name, std::string_view value, std::string& field) {
  if (!field.empty()) return Bad(fmt::format("{} stands twice", name));
  if (value.empty()) return Bad(fmt::format("{} is empty", name));
  field = std::string(value);
  return {};
}

Status SetEmulator(std::string_view value, bool& field) {
  field = EqualsInAnyCase(value, "true");
  if (field || EqualsInAnyCase(value, "false")) return {};
  return Bad("UseDevelopmentEmulator is true or false");
}

Status SetField(std::string_view name, std::string_view value, std::size_t place,
                ConnectionString& result) {
  const auto is = [name](std::string_view other) { return EqualsInAnyCase(name, other); };
  if (is(kEndpoint)) return SetText(kEndpoint, value, result.endpoint);
  if (is(kKeyName)) return SetText(kKeyName, value, result.key_name);
  if (is(kKey)) return SetText(kKey, value, result.key);
  if (is(kSignature)) return SetText(kSignature, value, result.signature);
  if (is(kEntityPath)) return SetText(kEntityPath, value, result.entity_path);
  if (is(kEmulator)) return SetEmulator(value, result.uses_development_emulator);
  return Unknown(name, place);
}

Status CheckWhole(const ConnectionString& result) {
  if (result.endpoint.empty()) return Bad("it has no Endpoint");
  if (result.Authority().empty()) return Bad("Endpoint must be like sb://host:port/");
  if (result.key_name.empty() != result.key.empty()) {
    return Bad("SharedAccessKeyName and SharedAccessKey go together");
  }
  if (!result.key.empty() && !result.signature.empty()) {
    return Bad("it has a SharedAccessKey and a SharedAccessSignature");
  }
  return {};
}

}  // namespace

std::string ConnectionString::Authority() const {
  const std::size_t scheme = endpoint.find("://");
  if (scheme == std::string::npos) return {};
  const std::size_t begin = scheme + 3;
  return endpoint.substr(begin, endpoint.find_first_of("/?#", begin) - begin);
}

std::string ConnectionString::Uri() const {
  return fmt::format("sb://{}/{}", Authority(), entity_path);
}

Result<ConnectionString> ParseConnectionString(std::string_view text) {
  if (text.size() > kConnectionStringBytesMax) return Bad("it has more than 8192 bytes");
  text = Stripped(text);
  if (text.empty()) return Bad("it is empty");
  ConnectionString result;
  std::size_t place = 0;
  for (const std::string_view part : Split(text, ';')) {
    const std::string_view field = Stripped(part);
    ++place;
    if (field.empty()) continue;
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) return Bad(fmt::format("field {} has no '='", place));
    WHARF_RETURN_IF_ERROR(SetField(Stripped(field.substr(0, equals)),
                                   Stripped(field.substr(equals + 1)), place, result));
  }
  if (Status bad = CheckWhole(result); !bad.ok()) return bad;
  return result;
}

std::string ToString(const ConnectionString& connection) {
  std::string text = fmt::format("{}={}", kEndpoint, connection.endpoint);
  const auto add = [&text](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format(";{}={}", name, value);
  };
  add(kKeyName, connection.key_name);
  add(kKey, connection.key);
  add(kSignature, connection.signature);
  add(kEntityPath, connection.entity_path);
  add(kEmulator, connection.uses_development_emulator ? "true" : "");
  return text;
}

}  // namespace wharf::access
