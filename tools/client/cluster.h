// Cluster: looks at the nodes that keep a broker together, and changes which ones they are.
//
// Every call waits for its answer. Made by Client; any thread may call.
#pragma once

#include <memory>
#include <string>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "wharf/v1/cluster.grpc.pb.h"

namespace wharf::client {

class Cluster {
 public:
  Cluster(std::shared_ptr<Endpoints> endpoints, Duration timeout);

  // As the node sees it that is asked now, whether it leads or not.
  Result<v1::ClusterStatus> GetStatus();
  // Of the node at the first address, and of no other one.
  Result<v1::FoundClusterResponse> Found();
  Status AddMember(const std::string& name, const std::string& peer_address);
  Status RemoveMember(const std::string& name);
  // Ok: it is begun.
  Status TransferLeadership(const std::string& name);
  Status SetMemberAddress(const std::string& name, const std::string& client_address);
  // Begins to compare what the members have stored, if that is not under way; or looks how it goes.
  Result<v1::VerifyStateResponse> BeginVerifyState();
  Result<v1::VerifyStateResponse> LookAtVerifyState();

 private:
  const std::shared_ptr<Endpoints> endpoints_;
  const Duration timeout_;
};

}  // namespace wharf::client
