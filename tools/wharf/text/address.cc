#include "tools/wharf/text/address.h"

#include <vector>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

// More than a cluster has members.
constexpr std::size_t kAddressesMax = 16;
constexpr NumberRange kPorts = {.min = 1, .max = 65535};
constexpr const char* kForm = "write host:port, for example 127.0.0.1:5680";

Status BadAddress(const std::string& why) {
  return {ErrorCode::kArgumentError, fmt::format("--address: {}; {}", why, kForm)};
}

bool IsSocket(const std::string& address) { return address.starts_with("unix:/"); }

bool IsBracketed(const std::string& host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']';
}

std::string PortOf(const std::string& address) { return address.substr(address.rfind(':') + 1); }

// Without the brackets.
std::string PlainHostOf(const std::string& address) {
  const std::string host = HostOf(address);
  return IsBracketed(host) ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

std::string HostOf(const std::string& address) { return address.substr(0, address.rfind(':')); }

Status CheckAddress(const std::string& address) {
  if (IsSocket(address)) return Status::Ok();
  if (address.empty()) return BadAddress("the address is empty");
  if (address.find("://") != std::string::npos || address.find('/') != std::string::npos) {
    return BadAddress(fmt::format("\"{}\" is a URL or a path", address));
  }
  if (address.find(':') == std::string::npos || address.back() == ']') {
    return BadAddress(fmt::format("\"{}\" has no port", address));
  }
  const std::string host = HostOf(address);
  if (host.empty()) return BadAddress(fmt::format("\"{}\" has no host", address));
  if (host.find(':') != std::string::npos && !IsBracketed(host)) {
    return BadAddress(
        fmt::format("\"{}\": an IPv6 address stands in brackets, [::1]:5680", address));
  }
  if (const auto port = ParseNumber(PortOf(address), kPorts); !port.ok()) {
    return BadAddress("the port " + port.status().message());
  }
  return Status::Ok();
}

Status CheckAddresses(const std::string& addresses) {
  const std::vector<std::string> all = absl::StrSplit(addresses, ',');
  if (all.size() > kAddressesMax) {
    return BadAddress(
        fmt::format("there are {} of them, and at most {} are asked", all.size(), kAddressesMax));
  }
  for (const std::string& each : all) WHARF_RETURN_IF_ERROR(CheckAddress(each));
  return Status::Ok();
}

bool IsLoopback(const std::string& address) {
  if (IsSocket(address)) return true;
  const std::string host = PlainHostOf(address);
  in6_addr six{};
  if (inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
    return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return absl::EqualsIgnoreCase(host, "localhost");
}

bool HasKnownHost(const std::string& address) {
  if (IsSocket(address)) return true;
  const std::string host = PlainHostOf(address);
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), PortOf(address).c_str(), nullptr, &found);
  if (error == 0) freeaddrinfo(found);
  return error != EAI_NONAME;
}

}  // namespace wharf::tool
