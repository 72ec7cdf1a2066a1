// wharf-peer-proxy: the network between the nodes of tools/cluster, as a file tells it to be
// (network_file.h); looks ten times a second whether that has changed, and ends with SIGTERM.

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include <fmt/core.h>

#include "storage/base/mutex.h"
#include "tools/crash/proxy/network_file.h"
#include "tools/crash/proxy/peer_proxy.h"
#include "tools/crash/proxy/socket_owner.h"

namespace wharf::crash {
namespace {

constexpr std::chrono::milliseconds kPace(100);

std::string ContentOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Network {
 public:
  explicit Network(std::string path)
      : path_(std::move(path)),
        proxy_([this](const boost::asio::ip::tcp::endpoint& from) { return WhoDials(from); }) {}

  // An error if the file is wrong, or a port is taken.
  Status Look() {
    std::string text = ContentOf(path_);
    if (text == seen_) return {};
    const Result<NetworkFile> file = NetworkFile::Parse(text);
    if (!file.ok()) return {file.status().code(), path_ + ": " + file.status().message()};
    seen_ = std::move(text);
    for (const NetworkFile::Node& node : file->nodes) WHARF_RETURN_IF_ERROR(Add(node));
    proxy_.Heal();
    for (const NetworkFile::Way& way : file->ways) proxy_.Set(way.from, way.to, way.passage);
    return {};
  }

 private:
  Status Add(const NetworkFile::Node& node) {
    {
      MutexLock lock(mutex_);
      if (!pid_files_.emplace(node.name, node.pid_file).second) return {};
    }
    return proxy_.Add(node.name, node.target, node.port).status();
  }

  // On the proxy's thread. A node may have been started anew since.
  std::string WhoDials(const boost::asio::ip::tcp::endpoint& from) {
    MutexLock lock(mutex_);
    for (const auto& [name, pid_file] : pid_files_) {
      const std::array<pid_t, 1> process{std::atoi(ContentOf(pid_file).c_str())};
      if (OwnerOf(from, process) != 0) return name;
    }
    return {};
  }

  const std::string path_;
  std::string seen_;
  Mutex mutex_;
  std::map<std::string, std::string> pid_files_ ABSL_GUARDED_BY(mutex_);
  PeerProxy proxy_;
};

int Main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: wharf-peer-proxy FILE\n");
    return 2;
  }
  Network network(argv[1]);
  while (true) {
    if (const Status status = network.Look(); !status.ok()) {
      fmt::print(stderr, "wharf-peer-proxy: {}\n", status.message());
      return 1;
    }
    std::this_thread::sleep_for(kPace);
  }
}

}  // namespace
}  // namespace wharf::crash

int main(int argc, char** argv) { return wharf::crash::Main(argc, argv); }
