// ClusterDesk: what operators ask of a cluster, in the words of the doors, answered by this
// machine's node.
//
// Any thread.
#pragma once

#include <string>

#include "broker/requests/cluster_control.h"
#include "replication/cluster_node/cluster_node.h"

namespace wharf {

class ClusterDesk final : public ClusterControl {
 public:
  explicit ClusterDesk(ClusterNode& node) : node_(node) {}

  bool has_cluster() const override { return node_.is_member(); }
  void GetStatus(Answer<ClusterStatus> answer) override;
  void Found(Answer<ClusterFounded> answer) override;
  void Add(std::string name, std::string peer_address, Answer<std::monostate> answer) override;
  void Remove(std::string name, Answer<std::monostate> answer) override;
  void Transfer(std::string name, Answer<std::monostate> answer) override;
  void SetAddress(std::string name, std::string client_address,
                  Answer<std::monostate> answer) override;

 private:
  // Of a node that does not lead: with the address of the one that does.
  ClusterNode::Done DoneOf(Answer<std::monostate> answer);

  ClusterNode& node_;
};

}  // namespace wharf
