#include "tools/client/cluster.h"

#include <utility>

#include "tools/client/unary.h"

namespace wharf::client {

using Stub = v1::Cluster::Stub;

Cluster::Cluster(std::shared_ptr<Endpoints> endpoints, Duration timeout)
    : endpoints_(std::move(endpoints)), timeout_(timeout) {}

Result<v1::ClusterStatus> Cluster::GetStatus() {
  return CallToLook(*endpoints_, &Stub::GetStatus, v1::GetClusterStatusRequest(), timeout_);
}

// Two nodes that are founded are two clusters: nobody else is ever asked instead.
Result<v1::FoundClusterResponse> Cluster::Found() {
  v1::FoundClusterResponse response;
  Status status = Endpoints::AskOne(*endpoints_->first(), timeout_,
                                    [&response](Endpoint& endpoint, grpc::ClientContext& context) {
                                      return endpoint.stub<Stub>().Found(
                                          &context, v1::FoundClusterRequest(), &response);
                                    });
  if (!status.ok()) return status;
  return response;
}

Status Cluster::AddMember(const std::string& name, const std::string& peer_address) {
  v1::AddMemberRequest request;
  request.set_name(name);
  request.set_peer_address(peer_address);
  return CallUnary(*endpoints_, &Stub::AddMember, request, timeout_).status();
}

Status Cluster::RemoveMember(const std::string& name) {
  v1::RemoveMemberRequest request;
  request.set_name(name);
  return CallUnary(*endpoints_, &Stub::RemoveMember, request, timeout_).status();
}

Status Cluster::TransferLeadership(const std::string& name) {
  v1::TransferLeadershipRequest request;
  request.set_name(name);
  return CallUnary(*endpoints_, &Stub::TransferLeadership, request, timeout_).status();
}

Status Cluster::SetMemberAddress(const std::string& name, const std::string& client_address) {
  v1::SetMemberAddressRequest request;
  request.set_name(name);
  request.set_client_address(client_address);
  return CallUnary(*endpoints_, &Stub::SetMemberAddress, request, timeout_).status();
}

// Twice is as once.
Result<v1::VerifyStateResponse> Cluster::BeginVerifyState() {
  return CallToLook(*endpoints_, &Stub::VerifyState, v1::VerifyStateRequest(), timeout_);
}

Result<v1::VerifyStateResponse> Cluster::LookAtVerifyState() {
  v1::VerifyStateRequest request;
  request.set_look_only(true);
  return CallToLook(*endpoints_, &Stub::VerifyState, request, timeout_);
}

}  // namespace wharf::client
