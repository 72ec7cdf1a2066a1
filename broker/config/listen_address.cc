#include "broker/config/listen_address.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/ip/address.hpp>

namespace wharf {
namespace {

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

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return port;
}

}  // namespace

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  if (text.empty()) return Bad("it is empty");
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && !text.ends_with(']');
  if (!has_port) return Bad("the port is missing");
  const std::string_view host = text.substr(0, colon);
  const auto address = ParseHost(host);
  if (!address) return Bad("the address is 127.0.0.1, [::1] or localhost");
  if (!address->is_loopback()) {
    return Bad("without credentials wharfd listens on this machine only");
  }
  const auto port = ParsePort(text.substr(colon + 1));
  if (!port) return Bad("the port is a number from 0 to 65535");
  return ListenAddress{std::string(host), {*address, *port}};
}

}  // namespace wharf
