#include "tools/crash/nodes/free_port.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "storage/base/descriptor.h"

namespace wharf::crash {
namespace {

constexpr std::uint16_t kFirst = 20'000;
constexpr std::uint16_t kLast = 32'000;
constexpr int kTries = 1'000;

bool IsFree(std::uint16_t port) {
  const Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// A name that the kernel forgets with this process says whose a port is, among all that test here
// (free_ports.py): the daemon that is to have it is down now and then. Not open: it is another's.
Descriptor Claim(std::uint16_t port) {
  const std::string name = fmt::format("wharf-test-port-{}", port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Behind a zero, which makes it a name of no file.
  std::copy(name.begin(), name.end(), std::begin(address.sun_path) + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Descriptor claim(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (bind(claim.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return {};
  return claim;
}

}  // namespace

// By chance, and not by the run's dice: two runs at the same time have different ones. None twice,
// for who asks listens later.
std::uint16_t FindFreePort() {
  static std::vector<Descriptor> claims;  // Held until this process ends.
  std::random_device chance;
  std::uniform_int_distribution<std::uint16_t> ports(kFirst, kLast);
  for (int i = 0; i < kTries; ++i) {
    const std::uint16_t port = ports(chance);
    Descriptor claim = Claim(port);
    if (!claim.is_open() || !IsFree(port)) continue;
    claims.push_back(std::move(claim));
    return port;
  }
  return 0;
}

}  // namespace wharf::crash
