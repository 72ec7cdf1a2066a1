// NodeNeed: whether a call that every node answers, whoever leads, may be made by its caller.
//
// Used by the services Cluster and Backups, on gRPC's threads.
#pragma once

#include <string>

#include "broker/doors/common/local_peer.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/requests/need.h"

namespace wharf {

// Whoever has a shell on the machine owns what it has; from elsewhere nobody asks anything of a
// node before it says who may.
template <typename Call>
Status RequireLocal(const Call& call) {
  const std::string peer = call.caller().peer;
  if (IsLocalPeer(peer) || IsLocalPeerText(peer)) return {};
  return {ErrorCode::kForbidden,
          "this node has no cluster yet: it is founded from its own machine only, over loopback or "
          "a Unix socket"};
}

template <typename Call>
Status CheckNeed(const Call& call, const Need& need) {
  access::Guard* const guard = call.guard();
  if (guard == nullptr) return call.node().has_no_rules() ? RequireLocal(call) : Status();
  const Caller caller = call.caller();
  Status refused = guard->Check(caller.permit, *need.right, {});
  if (!refused.ok()) {
    guard->NoteRefusal(refused, caller.permit, caller.peer, ToString(caller.tracking_id));
  }
  return refused;
}

}  // namespace wharf
