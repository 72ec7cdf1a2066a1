// How a ClusterNode that waits becomes one of a cluster: it founds one, or is invited.

#include <utility>

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"

namespace wharf {

// Of the log: entry 1 makes this node a voter, the only one.
void ClusterNode::Found(Done done) {
  boost::asio::post(founding_,
                    [this, done = std::move(done)]() mutable { std::move(done)(FoundNow()); });
}

Status ClusterNode::FoundNow() {
  if (is_member()) {
    return {ErrorCode::kInvalidOperation, "this node belongs to a cluster already"};
  }
  const NodeIdentity identity{DrawClusterId(founding_random_), DrawNodeId(founding_random_),
                              options_.name};
  const MemberRecord self{identity.node.value(),   options_.name,       peer_address(),
                          options_.client_address, /*told_address=*/{}, options_.format_level_max};
  if (world_.is_single) return FoundWithData(identity, self);
  LogEntry first{.index = 1, .term = 1, .kind = EntryKind::kMember, .data = {}};
  first.data =
      library_->EncodeMemberChange({MemberChange::Kind::kAddVoter, self.node, self.Encode()});
  WHARF_RETURN_IF_ERROR(folder_.Found(identity, first));
  return TakePart(identity);
}

// What there is becomes the state behind the first entry, so that whoever joins needs a snapshot.
Status ClusterNode::FoundWithData(const NodeIdentity& identity, const MemberRecord& self) {
  MemberRecord recorded = self;
  const std::uint64_t level = std::exchange(recorded.raises_level_to, 0);
  const MemberBook book{library_->EncodeMembers({.voters = {self.node}}), {recorded}, level};
  WHARF_RETURN_IF_ERROR(folder_.FoundWithData(identity, book.Encode()));
  {
    MutexLock lock(mutex_);
    identity_ = identity;
  }
  spdlog::info("{} is founded with the data of this broker", identity.ToText());
  world_.reopen();
  return {};
}

// On the strand, which must not wait for the disk.
void ClusterNode::OnInvited(const Invitation& invitation, Answer answer) {
  boost::asio::post(founding_,
                    [this, invitation, answer = std::move(answer)] { answer(Join(invitation)); });
}

// The same again is fine: its answer was lost.
Status ClusterNode::Join(const Invitation& invitation) {
  if (const std::optional<NodeIdentity> own = identity()) {
    if (*own == invitation.identity) return {};
    return {ErrorCode::kInvalidOperation, "this is " + own->ToText() + " already"};
  }
  if (world_.is_single) {
    return {ErrorCode::kInvalidOperation,
            "this broker has data of its own, which would be lost: found the cluster with it, or "
            "invite one that is empty"};
  }
  WHARF_RETURN_IF_ERROR(folder_.Join(invitation));
  return TakePart(invitation.identity);
}

}  // namespace wharf
