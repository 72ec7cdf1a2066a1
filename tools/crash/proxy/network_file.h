// NetworkFile: what a proxy is told by a file: which nodes there are, and what is cut.
//
//   node NAME PORT TARGET PIDFILE     NAME is dialled at PORT, listens at TARGET, and its process
//   has
//                                     the number that PIDFILE holds
//   cut FROM TO                       what FROM says to TO is lost
//   stall FROM TO                     and comes late
//
// Read by the program wharf-peer-proxy, which looks whether it has changed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "storage/base/status.h"
#include "tools/crash/proxy/peer_proxy.h"

namespace wharf::crash {

struct NetworkFile {
  struct Node {
    std::string name;
    std::uint16_t port = 0;
    std::string target;
    std::string pid_file;
  };
  struct Way {
    std::string from;
    std::string to;
    Passage passage = Passage::kOpen;
  };

  // An error names the line.
  static Result<NetworkFile> Parse(const std::string& text);

  std::vector<Node> nodes;
  // Those that are not open.
  std::vector<Way> ways;
};

}  // namespace wharf::crash
