#include "replication/peers/admission/peer_admission.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

Status Refuse(std::string sentence) { return {ErrorCode::kForbidden, std::move(sentence)}; }

std::string TextOf(const std::string& name, NodeId node) {
  return fmt::format("{} (id {})", name, node.value());
}

Status CheckProtocol(std::uint64_t theirs, std::uint64_t their_oldest) {
  if (their_oldest > kPeerProtocol) {
    return Refuse(fmt::format(
        "it speaks the peer protocol {} and none below {}, this node speaks {}; upgrade this node",
        theirs, their_oldest, kPeerProtocol));
  }
  if (theirs < kOldestPeerProtocol) {
    return Refuse(fmt::format("it speaks the peer protocol {}, this node none below {}; upgrade it",
                              theirs, kOldestPeerProtocol));
  }
  return {};
}

// Whoever has a certificate of one node is that node and no other.
Status CheckProof(const std::string& said, const ProvenName& proven) {
  if (!proven || *proven == said) return {};
  if (proven->empty()) {
    return Refuse(fmt::format("its certificate names no node, and it says that it is {}", said));
  }
  return Refuse(
      fmt::format("its certificate is that of node {}, and it says that it is {}", *proven, said));
}

// It was removed from its cluster, or leadership was lost between its invitation and the entry in
// the log, and nobody knows it. It may have voted, so it is not made another node while it has what
// it had.
std::string IsMember(const NodeIdentity& own) {
  return fmt::format(
      "this is {} already; if its cluster does not list it, stop '{}', empty its data folder, "
      "start it and add it again",
      own.ToText(), own.name);
}

}  // namespace

PeerAdmission::PeerAdmission(std::string own_name, Incarnation own, std::uint64_t highest_level,
                             KnownUpTo known_up_to, Leader leader)
    : own_name_(std::move(own_name)),
      own_(own),
      known_up_to_(std::move(known_up_to)),
      leader_(std::move(leader)),
      levels_{.in_force = 1, .highest = highest_level} {}

Hello PeerAdmission::HelloTo(const Member& member, Traffic traffic) const {
  Hello hello{.from = *identity_,
              .to = member.node,
              .to_name = member.name,
              .levels = levels_,
              .incarnation = own_,
              .traffic = traffic};
  if (const Member* const own = Find(identity_->node, own_name_); own != nullptr) {
    hello.peer_address = own->peer_address;
    hello.as_of = known_up_to_();
  }
  return hello;
}

Hello PeerAdmission::WelcomeTo(const Hello& hello) const {
  return HelloTo({.node = hello.from.node, .name = hello.from.name}, hello.traffic);
}

Status PeerAdmission::CheckHello(const Hello& hello, const ProvenName& proven) const {
  WHARF_RETURN_IF_ERROR(CheckProtocol(hello.protocol, hello.oldest_protocol));
  WHARF_RETURN_IF_ERROR(CheckProof(hello.from.name, proven));
  WHARF_RETURN_IF_ERROR(CheckCluster(hello));
  WHARF_RETURN_IF_ERROR(CheckTarget(hello));
  WHARF_RETURN_IF_ERROR(CheckMember(hello));
  return CheckLevels(hello.levels);
}

Status PeerAdmission::CheckWelcome(const Hello& welcome, const Member& expected,
                                   const ProvenName& proven) const {
  WHARF_RETURN_IF_ERROR(CheckProtocol(welcome.protocol, welcome.oldest_protocol));
  WHARF_RETURN_IF_ERROR(CheckProof(welcome.from.name, proven));
  WHARF_RETURN_IF_ERROR(CheckCluster(welcome));
  if (welcome.from.node != expected.node || welcome.from.name != expected.name) {
    return Refuse(fmt::format("{} answers where {} was expected",
                              TextOf(welcome.from.name, welcome.from.node),
                              TextOf(expected.name, expected.node)));
  }
  WHARF_RETURN_IF_ERROR(CheckTarget(welcome));
  return CheckLevels(welcome.levels);
}

Status PeerAdmission::CheckInvitation(const Invitation& invitation,
                                      const ProvenName& proven) const {
  WHARF_RETURN_IF_ERROR(CheckProtocol(invitation.protocol, invitation.oldest_protocol));
  WHARF_RETURN_IF_ERROR(CheckProof(invitation.from_name, proven));
  if (invitation.identity.name != own_name_) {
    return Refuse(
        fmt::format("it invites node {}, this is node {}", invitation.identity.name, own_name_));
  }
  if (identity_ && *identity_ != invitation.identity) return Refuse(IsMember(*identity_));
  if (invitation.level > levels_.highest) {
    return CheckLevels({.in_force = invitation.level, .highest = invitation.level});
  }
  return {};
}

Status PeerAdmission::CheckInvited(const std::string& name, const ProvenName& proven) const {
  return CheckProof(name, proven);
}

Status PeerAdmission::CheckCluster(const Hello& hello) const {
  if (!identity_) {
    return Refuse(fmt::format(
        "node {} belongs to no cluster yet, and waits to be invited; if it was a member "
        "and has lost its folder, remove it, and add it again",
        own_name_));
  }
  if (hello.from.cluster == identity_->cluster) return {};
  return Refuse(fmt::format("it belongs to cluster {}, this node to cluster {}",
                            hello.from.cluster.ToText(), identity_->cluster.ToText()));
}

Status PeerAdmission::CheckTarget(const Hello& hello) const {
  if (hello.incarnation == own_) {
    return Refuse("this address is the node's own; each member needs one of its own");
  }
  if (hello.from.node == identity_->node) {
    return Refuse(
        fmt::format("node {} (id {}) is there twice: it says to be this very node; is the "
                    "folder of one a copy of the other's?",
                    hello.from.name, hello.from.node.value()));
  }
  if (hello.to == identity_->node && hello.to_name == own_name_) return {};
  return Refuse(fmt::format("it wants to speak with {}, this is {}",
                            TextOf(hello.to_name, hello.to), TextOf(own_name_, identity_->node)));
}

// Who was added since is known to those that are further, itself among them, and perhaps to nobody
// else who is there. Who was removed before is not let in: its list is the older one. Its name is
// proven and what it says of entries is not, so it is believed only where that is needed: where
// nobody else leads, who would tell this node. A member's id is nobody else's.
Status PeerAdmission::CheckMember(const Hello& hello) const {
  if (Find(hello.from.node, hello.from.name) != nullptr) return {};
  const bool is_taken = std::any_of(members_.begin(), members_.end(), [&hello](const Member& each) {
    return each.node == hello.from.node;
  });
  const NodeId leader = leader_();
  const bool is_needed = leader == NodeId() || leader == hello.from.node;
  const bool is_newer = !hello.peer_address.empty() && hello.as_of > known_up_to_();
  if (is_newer && is_needed && !is_taken) return {};
  return Refuse(fmt::format("{} is no member of the cluster, as far as this node knows",
                            TextOf(hello.from.name, hello.from.node)));
}

const Member* PeerAdmission::Find(NodeId node, const std::string& name) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return member.node == node && member.name == name;
  });
  return found == members_.end() ? nullptr : &*found;
}

Status PeerAdmission::CheckLevels(FormatLevels theirs) const {
  if (theirs.in_force > levels_.highest) {
    return Refuse(
        fmt::format("it writes level {} of the format, this node reads up to level {}; "
                    "upgrade this node",
                    theirs.in_force, levels_.highest));
  }
  if (levels_.in_force > theirs.highest) {
    return Refuse(
        fmt::format("this node writes level {} of the format, it reads up to level {}; upgrade it",
                    levels_.in_force, theirs.highest));
  }
  return {};
}

}  // namespace wharf
