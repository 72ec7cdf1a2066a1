#include "tools/crash/proxy/socket_owner.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include <arpa/inet.h>
#include <fmt/core.h>

namespace wharf::crash {
namespace {

namespace fs = std::filesystem;
using boost::asio::ip::tcp;

// As the kernel writes it: the bytes of the address as a number of this machine's.
std::string KernelText(const tcp::endpoint& endpoint) {
  const std::uint32_t address = htonl(endpoint.address().to_v4().to_uint());
  return fmt::format("{:08X}:{:04X}", address, endpoint.port());
}

// "socket:[4711]", as a link to it is written; empty: there is none.
std::string SocketOf(const tcp::endpoint& local) {
  const std::string wanted = KernelText(local);
  std::ifstream table("/proc/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string number;
    std::string own;
    words >> number >> own;
    if (own != wanted) continue;
    std::string word;
    for (int i = 0; i < 8; ++i) words >> word;  // The tenth of the line is the inode.
    if (word != "0") return "socket:[" + word + "]";
  }
  return {};
}

bool Has(pid_t process, const std::string& socket) {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(fmt::format("/proc/{}/fd", process), error)) {
    std::error_code gone;
    if (fs::read_symlink(file.path(), gone) == socket) return true;
  }
  return false;
}

}  // namespace

pid_t OwnerOf(const tcp::endpoint& local, std::span<const pid_t> processes) {
  const std::string socket = SocketOf(local);
  if (socket.empty()) return 0;
  for (const pid_t process : processes) {
    if (process > 0 && Has(process, socket)) return process;
  }
  return 0;
}

}  // namespace wharf::crash
