#include "broker/config/listen_address.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <absl/strings/escaping.h>
#include <boost/asio/ip/address.hpp>
#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::size_t kListenersMax = 16;
// What the system takes of the path of a Unix socket, with the zero behind it.
constexpr std::size_t kPathBytesMax = 107;
constexpr mode_t kPrivateMode = 0600;

struct KindName {
  std::string_view name;
  ListenerKind kind;
};
constexpr KindName kKinds[] = {{"grpc", ListenerKind::kGrpc},
                               {"amqp", ListenerKind::kAmqp},
                               {"servicebus", ListenerKind::kServiceBus},
                               {"operations", ListenerKind::kOperations},
                               {"console", ListenerKind::kConsole}};

Status Bad(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

std::optional<boost::asio::ip::address> ParseHost(std::string_view host) {
  if (host == "localhost") return boost::asio::ip::address_v4::loopback();
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  if (error || address.is_v6() != has_brackets) return std::nullopt;
  return address;
}

template <typename T>
std::optional<T> ParseWhole(std::string_view text, int base) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// Takes "kind://" or "kind+tls://" away.
Status TakeKind(std::string_view& text, ListenAddress& address) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos) return {};
  std::string_view name = text.substr(0, end);
  text.remove_prefix(end + 3);
  constexpr std::string_view kTls = "+tls";
  address.has_tls = name.ends_with(kTls);
  if (address.has_tls) name.remove_suffix(kTls.size());
  for (const KindName& known : kKinds) {
    if (known.name != name) continue;
    address.kind = known.kind;
    return {};
  }
  return Bad(
      "before :// stands grpc, amqp, servicebus, operations or console, and +tls behind it if it "
      "is encrypted");
}

Status TakeUnix(std::string_view text, ListenAddress& address) {
  const std::size_t question = text.find('?');
  const std::string_view path = text.substr(0, question);
  if (!path.starts_with('/') || path.find('\0') != std::string_view::npos) {
    return Bad("the path of a Unix socket begins with /");
  }
  if (path.size() > kPathBytesMax) return Bad("the path of a Unix socket has at most 107 bytes");
  address.path = std::string(path);
  if (question == std::string_view::npos) return {};
  std::string_view option = text.substr(question);
  constexpr std::string_view kMode = "?mode=";
  const auto mode =
      option.starts_with(kMode) ? ParseWhole<mode_t>(option.substr(kMode.size()), 8) : std::nullopt;
  if (!mode || *mode > 0777) return Bad("behind the path stands ?mode=, and 0600 for example");
  address.mode = *mode;
  return {};
}

Status TakeEndpoint(std::string_view text, ListenAddress& address) {
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && !text.ends_with(']');
  if (!has_port) return Bad("the port is missing");
  const std::string_view host = text.substr(0, colon);
  const auto parsed = ParseHost(host);
  if (!parsed)
    return Bad(
        "before the port stands an address, for example 127.0.0.1, 0.0.0.0 or [::1], or localhost");
  const auto port = ParseWhole<std::uint16_t>(text.substr(colon + 1), 10);
  if (!port) return Bad("the port is a number from 0 to 65535");
  address.host = std::string(host);
  address.endpoint = {*parsed, *port};
  return {};
}

}  // namespace

bool ListenAddress::is_private() const {
  return is_unix() ? mode == kPrivateMode : endpoint.address().is_loopback();
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  if (text.empty()) return Bad("it is empty");
  ListenAddress address;
  WHARF_RETURN_IF_ERROR(TakeKind(text, address));
  constexpr std::string_view kUnix = "unix:";
  const bool is_unix = text.starts_with(kUnix);
  WHARF_RETURN_IF_ERROR(is_unix ? TakeUnix(text.substr(kUnix.size()), address)
                                : TakeEndpoint(text, address));
  return address;
}

Result<std::vector<ListenAddress>> ParseListenAddresses(const std::vector<std::string>& texts) {
  if (texts.empty()) return Bad("it is empty");
  if (texts.size() > kListenersMax) return Bad("there are at most 16");
  std::vector<ListenAddress> addresses;
  std::set<std::string> places;
  bool has_grpc = false;
  for (const std::string& text : texts) {
    Result<ListenAddress> address = ParseListenAddress(text);
    if (!address.ok()) return address.status();
    const int port = address->endpoint.port();
    const std::string place =
        address->is_unix() ? address->path
                           : fmt::format("{} {}", port, address->endpoint.address().to_string());
    const bool is_new = places.insert(place).second;
    if (!is_new && (address->is_unix() || port != 0))
      return Bad(absl::CHexEscape(text) + " is a place that is named twice");
    has_grpc = has_grpc || address->kind == ListenerKind::kGrpc;
    addresses.push_back(*std::move(address));
  }
  if (!has_grpc) return Bad("none of them is for gRPC");
  return addresses;
}

std::string_view NameOf(ListenerKind kind) {
  for (const KindName& known : kKinds) {
    if (known.kind == kind) return known.name;
  }
  return "";
}

std::string ToText(const ListenAddress& address, int port) {
  const bool is_plain_grpc = address.kind == ListenerKind::kGrpc && !address.has_tls;
  const std::string kind =
      is_plain_grpc ? ""
                    : fmt::format("{}{}://", NameOf(address.kind), address.has_tls ? "+tls" : "");
  return address.is_unix() ? fmt::format("{}unix:{}", kind, address.path)
                           : fmt::format("{}{}:{}", kind, address.host, port);
}

}  // namespace wharf
