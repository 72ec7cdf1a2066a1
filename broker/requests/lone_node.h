// LoneNode: the answer to everything that is asked of a cluster where a daemon runs by itself.
//
// Used by the gRPC door until it is told of another one (grpc/server.h). It keeps nothing.
#pragma once

#include "broker/requests/cluster_control.h"

namespace wharf {

class LoneNode final : public ClusterControl {
 public:
  bool has_cluster() const override { return false; }
  void GetStatus(Answer<ClusterStatus> answer) override;
  void Found(Answer<ClusterFounded> answer) override;
  void Add(std::string name, std::string peer_address, Answer<std::monostate> answer) override;
  void Remove(std::string name, Answer<std::monostate> answer) override;
  void Transfer(std::string name, Answer<std::monostate> answer) override;
  void SetAddress(std::string name, std::string client_address,
                  Answer<std::monostate> answer) override;
  void VerifyState(Verify what, Answer<StateVerification> answer) override;
};

}  // namespace wharf
