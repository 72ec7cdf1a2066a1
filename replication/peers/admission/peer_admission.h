// PeerAdmission: with whom this node speaks, and what it says of itself.
//
// The rules by which both ends look at a hello, and an empty node at an invitation; each refusal is
// one sentence, that is logged here and told to the other end. Knows no sockets. Used on the strand
// of the peers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replication/peers/admission/hello.h"
#include "replication/peers/admission/invitation.h"
#include "replication/peers/member.h"
#include "storage/base/status.h"

namespace wharf {

// The name in the certificate by which the other end proved who it is; nothing where peers speak in
// the clear, and prove nothing.
using ProvenName = std::optional<std::string>;

class PeerAdmission {
 public:
  // Up to which entry of the log this node knows who is a member.
  using KnownUpTo = std::function<std::uint64_t()>;
  // Who leads; zero: nobody, as far as this node knows.
  using Leader = std::function<NodeId()>;

  // Of a node that was started with this name, and can read up to this level of the format.
  PeerAdmission(std::string own_name, Incarnation own, std::uint64_t highest_level,
                KnownUpTo known_up_to, Leader leader);

  // Once: when the node is founded or invited, or as it starts.
  void set_identity(NodeIdentity identity) { identity_ = std::move(identity); }
  // This node itself may be among them: then others that lag believe it that it is one.
  void set_members(std::vector<Member> members) { members_ = std::move(members); }
  // What the cluster writes.
  void set_level(std::uint64_t level) { levels_.in_force = level; }

  const std::string& own_name() const { return own_name_; }
  const std::optional<NodeIdentity>& identity() const { return identity_; }

  // To a member; there is an identity.
  Hello HelloTo(const Member& member, Traffic traffic) const;
  // To who said this hello, which was admitted.
  Hello WelcomeTo(const Hello& hello) const;

  // Of who dials: a member, or one that this node cannot know yet.
  Status CheckHello(const Hello& hello, const ProvenName& proven) const;
  // Of who answers when this member was dialled.
  Status CheckWelcome(const Hello& welcome, const Member& expected, const ProvenName& proven) const;
  // An invitation that this node had before, and took, is good again: its answer may be lost.
  Status CheckInvitation(const Invitation& invitation, const ProvenName& proven) const;
  // Before an invitation is sent: the other end is who is meant.
  Status CheckInvited(const std::string& name, const ProvenName& proven) const;

 private:
  Status CheckCluster(const Hello& hello) const;
  Status CheckTarget(const Hello& hello) const;
  Status CheckMember(const Hello& hello) const;
  const Member* Find(NodeId node, const std::string& name) const;
  Status CheckLevels(FormatLevels theirs) const;

  const std::string own_name_;
  const Incarnation own_;
  std::optional<NodeIdentity> identity_;
  std::vector<Member> members_;
  const KnownUpTo known_up_to_;
  const Leader leader_;
  FormatLevels levels_;
};

}  // namespace wharf
