// What a ClusterNode makes of what the clocks of its members say.

#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"

namespace wharf {

void ClusterNode::WatchClocks() {
  for (const PeerStatus& peer : peers_.statuses()) {
    if (!peer.is_connected || !peer.clock_offset) continue;
    const std::string news = clocks_.Note(peer.member.name, *peer.clock_offset);
    if (!news.empty()) spdlog::warn("{}", news);
  }
}

Duration ClusterNode::median_clock_offset() const {
  std::vector<Duration> offsets;
  for (const PeerStatus& peer : peers_.statuses()) {
    if (peer.is_connected && peer.clock_offset) offsets.push_back(*peer.clock_offset);
  }
  return MedianOffset(std::move(offsets));
}

}  // namespace wharf
