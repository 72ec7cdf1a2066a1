#include "broker/trace/endpoint.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <absl/strings/ascii.h>

namespace wharf::trace {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kSchemeWithTls = "https://";
constexpr std::string_view kDefaultTarget = "/v1/traces";

Status Refuse(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

bool IsPort(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && rest == end && port != 0;
}

// Of an address in brackets also colons.
bool IsHost(std::string_view host, bool is_bracketed) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](unsigned char letter) {
    return absl::ascii_isalnum(letter) || letter == '-' || letter == '.' || letter == '_' ||
           (is_bracketed && letter == ':');
  });
}

// It becomes a line of the request: nothing in it may end one.
bool IsTarget(std::string_view target) {
  return std::all_of(target.begin(), target.end(), [](unsigned char letter) {
    return absl::ascii_isgraph(letter) && letter != '#';
  });
}

}  // namespace

Result<Endpoint> ParseEndpoint(std::string_view text) {
  const bool has_tls = text.starts_with(kSchemeWithTls);
  if (!has_tls && !text.starts_with(kScheme)) return Refuse("it begins with http:// or https://");
  text.remove_prefix(has_tls ? kSchemeWithTls.size() : kScheme.size());
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view place = text.substr(0, slash);
  const std::string_view target = text.substr(slash);
  if (place.find('@') != std::string_view::npos) {
    return Refuse("it names a user, and none is told to a receiver");
  }
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return Refuse("the port is missing");
  std::string_view host = place.substr(0, colon);
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  if (!IsHost(host, is_bracketed)) return Refuse("its host is none");
  if (!IsPort(place.substr(colon + 1))) return Refuse("its port is none");
  if (!IsTarget(target)) return Refuse("its path is none");
  return Endpoint{.has_tls = has_tls,
                  .host = std::string(host),
                  .port = std::string(place.substr(colon + 1)),
                  .target = std::string(target.size() > 1 ? target : kDefaultTarget)};
}

}  // namespace wharf::trace
