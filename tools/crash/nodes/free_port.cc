#include "tools/crash/nodes/free_port.h"

#include <random>
#include <set>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace wharf::crash {
namespace {

constexpr std::uint16_t kFirst = 20'000;
constexpr std::uint16_t kLast = 32'000;
constexpr int kTries = 1'000;

bool IsFree(std::uint16_t port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_free =
      bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return is_free;
}

}  // namespace

// By chance, and not by the run's dice: two runs at the same time have different ones. None twice,
// for who asks listens later.
std::uint16_t FindFreePort() {
  static std::set<std::uint16_t> given;
  std::random_device chance;
  std::uniform_int_distribution<std::uint16_t> ports(kFirst, kLast);
  for (int i = 0; i < kTries; ++i) {
    const std::uint16_t port = ports(chance);
    if (IsFree(port) && given.insert(port).second) return port;
  }
  return 0;
}

}  // namespace wharf::crash
