// NamespaceNetwork: the network between nodes as the system makes it: each of them is in a network
// namespace of its own, with an address of its own, and a bridge is between them.
//
//   namespace of n1 --veth--+
//   namespace of n2 --veth--+-- bridge -- this process, and the clients
//   namespace of n3 --veth--+
//
// A direction is cut where it arrives: who is cut off drops what comes from that address, without a
// word, by a rule before all other routes. Late is the same: what TCP has not heard of it sends
// again when it heals. Needs root, and the program ip. Names and addresses are drawn from the
// number of this process; what is made here is gone with it, unless that was killed (`ip netns`
// lists what is left then).
//
// Made by a NodeSet; see NodeNetwork for threads.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/crash/nodes/node_network.h"

namespace wharf::crash {

class NamespaceNetwork final : public NodeNetwork {
 public:
  // An error if this system does not let us.
  static Result<std::unique_ptr<NodeNetwork>> Make();
  ~NamespaceNetwork() override;

  Result<Place> Add(const std::string& node, std::uint16_t peer_port) override;
  void Remove(const std::string& node) override;
  void Set(const std::string& from, const std::string& to, Passage passage) override;
  void Heal() override;

 private:
  NamespaceNetwork();

  std::string NamespaceOf(int number) const;
  std::string AddressOf(int number) const;
  // `what`: add or del.
  void Rule(const char* what, int from, int to) const;
  Status Give(int number) const;

  const std::string name_;    // Of the bridge, and what all other names begin with.
  const std::string subnet_;  // "198.18.7.": 1 is the bridge.
  mutable Mutex mutex_;
  int made_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<std::string, int> nodes_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<int, int>> cut_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::crash
