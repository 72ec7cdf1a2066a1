#include "broker/doors/grpc/services/cluster_service.h"

#include <string>
#include <variant>

#include "broker/doors/grpc/convert/convert_cluster.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/node_need.h"

namespace wharf {
namespace {

template <typename Call>
Status CheckFounding(const Call& call) {
  WHARF_RETURN_IF_ERROR(CheckNeed(call, kNeed<ChangeCluster>));
  return call.node().cluster.has_cluster() ? Status() : RequireLocal(call);
}

// For an answer that has nothing to say.
template <typename Call>
Answer<std::monostate> AnswerOf(Call& call) {
  return [&call](const Result<std::monostate>& done) {
    if (!done.ok()) return call.Fail(done.status());
    call.Succeed();
  };
}

// A change that names a member.
template <typename Call>
Status CheckChange(const Call& call, const std::string& name) {
  WHARF_RETURN_IF_ERROR(CheckNeed(call, kNeed<ChangeCluster>));
  return CheckMemberName(name);
}

}  // namespace

ClusterService::ClusterService(const Gates& gates)
    : RawService(v1::Cluster::service_full_name()), gates_(gates) {
  Offer(Unary("GetStatus", &ClusterService::GetStatus), Unary("Found", &ClusterService::Found),
        Unary("AddMember", &ClusterService::AddMember),
        Unary("RemoveMember", &ClusterService::RemoveMember),
        Unary("TransferLeadership", &ClusterService::TransferLeadership),
        Unary("SetMemberAddress", &ClusterService::SetMemberAddress),
        Unary("VerifyState", &ClusterService::VerifyState));
}

UnaryReactor* ClusterService::GetStatus(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetClusterStatusRequest, v1::ClusterStatus>;
  return Call::Start(gates_, context, response, [](Call& call) {
    if (Status refused = CheckNeed(call, kNeed<AskCluster>); !refused.ok()) {
      return call.Fail(refused);
    }
    call.node().cluster.GetStatus([&call](const Result<ClusterStatus>& status) {
      if (!status.ok()) return call.Fail(status.status());
      ToProto(*status, &call.response());
      call.Succeed();
    });
  });
}

UnaryReactor* ClusterService::Found(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::FoundClusterRequest, v1::FoundClusterResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    if (Status refused = CheckFounding(call); !refused.ok()) return call.Fail(refused);
    call.node().cluster.Found([&call](const Result<ClusterFounded>& founded) {
      if (!founded.ok()) return call.Fail(founded.status());
      call.response().set_cluster_id(founded->cluster_id);
      call.response().set_root_connection_file(founded->root_file);
      call.Succeed();
    });
  });
}

UnaryReactor* ClusterService::AddMember(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::AddMemberRequest, v1::AddMemberResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const v1::AddMemberRequest& request = call.request();
    Status refused = CheckChange(call, request.name());
    if (refused.ok()) refused = CheckMemberAddress("peer_address", request.peer_address());
    if (!refused.ok()) return call.Fail(refused);
    call.node().cluster.Add(request.name(), request.peer_address(), AnswerOf(call));
  });
}

UnaryReactor* ClusterService::RemoveMember(grpc::CallbackServerContext* context,
                                           grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RemoveMemberRequest, v1::RemoveMemberResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const std::string& name = call.request().name();
    if (Status refused = CheckChange(call, name); !refused.ok()) return call.Fail(refused);
    call.node().cluster.Remove(name, AnswerOf(call));
  });
}

UnaryReactor* ClusterService::TransferLeadership(grpc::CallbackServerContext* context,
                                                 grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::TransferLeadershipRequest, v1::TransferLeadershipResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const std::string& name = call.request().name();
    if (Status refused = CheckChange(call, name); !refused.ok()) return call.Fail(refused);
    call.node().cluster.Transfer(name, AnswerOf(call));
  });
}

UnaryReactor* ClusterService::SetMemberAddress(grpc::CallbackServerContext* context,
                                               grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::SetMemberAddressRequest, v1::SetMemberAddressResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const v1::SetMemberAddressRequest& request = call.request();
    Status refused = CheckChange(call, request.name());
    if (refused.ok()) refused = CheckMemberAddress("client_address", request.client_address());
    if (!refused.ok()) return call.Fail(refused);
    call.node().cluster.SetAddress(request.name(), request.client_address(), AnswerOf(call));
  });
}

UnaryReactor* ClusterService::VerifyState(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::VerifyStateRequest, v1::VerifyStateResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    if (Status refused = CheckNeed(call, kNeed<ChangeCluster>); !refused.ok()) {
      return call.Fail(refused);
    }
    const auto what =
        call.request().look_only() ? ClusterControl::Verify::kLook : ClusterControl::Verify::kBegin;
    call.node().cluster.VerifyState(what, [&call](const Result<StateVerification>& verification) {
      if (!verification.ok()) return call.Fail(verification.status());
      ToProto(*verification, &call.response());
      call.Succeed();
    });
  });
}

}  // namespace wharf
