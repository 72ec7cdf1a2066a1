#include "broker/doors/http/host_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <boost/asio/ip/address.hpp>

namespace wharf {
namespace {

Status Refused(std::string why) { return {ErrorCode::kInvalidOperation, std::move(why)}; }

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// What stands before the port; with the brackets of an address of IPv6. Nothing if it is no host.
std::optional<std::string_view> NameOf(std::string_view host) {
  const std::size_t from = host.starts_with('[') ? host.find(']') : 0;
  if (from == std::string_view::npos) return std::nullopt;
  const std::size_t colon = host.find(':', from);
  if (colon != std::string_view::npos && !IsPort(host.substr(colon + 1))) return std::nullopt;
  return host.substr(0, colon);
}

std::optional<boost::asio::ip::address> AddressOf(std::string_view name) {
  const bool has_brackets = name.starts_with('[') && name.ends_with(']');
  if (has_brackets) name = name.substr(1, name.size() - 2);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(name), error);
  if (error || address.is_v6() != has_brackets) return std::nullopt;
  return address;
}

bool IsLoopback(std::string_view name) {
  if (absl::EqualsIgnoreCase({name.data(), name.size()}, "localhost")) return true;
  const auto address = AddressOf(name);
  return address && address->is_loopback();
}

// An address may be written in several ways.
bool AreSame(std::string_view ours, std::string_view name) {
  if (absl::EqualsIgnoreCase({ours.data(), ours.size()}, {name.data(), name.size()})) return true;
  const auto address = AddressOf(name);
  return address && address == AddressOf(ours);
}

}  // namespace

HostCheck::HostCheck(std::vector<std::string> names) : names_(std::move(names)) {}

Status HostCheck::Check(std::string_view host, std::string_view origin,
                        std::string_view scheme) const {
  const auto name = NameOf(host);
  if (!name || !IsOurs(*name)) {
    return Refused("this is not for the host of the request; http-hosts names others");
  }
  const std::string own = std::string(scheme) + "://" + std::string(host);
  if (!origin.empty() && !absl::EqualsIgnoreCase(own, std::string(origin))) {
    return Refused("this is not for pages of another origin");
  }
  return {};
}

bool HostCheck::IsOurs(std::string_view name) const {
  return IsLoopback(name) ||
         std::any_of(names_.begin(), names_.end(),
                     [&](const std::string& ours) { return AreSame(ours, name); });
}

}  // namespace wharf
