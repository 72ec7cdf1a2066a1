// Invitation: by which a node that belongs to no cluster becomes one of a cluster's.
//
//   invitation = fields                   ; fields.h; of the frame kInvitation
//     1 protocol, 2 oldest protocol that the inviter speaks
//     3 name                              of who invites
//     4 cluster (16 bytes), 5 node id, 6 name       what the invited node is to be
//     7 level in force                    what it must be able to read
//     8 member = fields: 1 node id, 2 name, 3 peer address        each member that there is
//
// An empty node has no members to ask, so they are told. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "replication/identity/node_identity.h"
#include "replication/peers/admission/hello.h"
#include "replication/peers/member.h"
#include "storage/base/status.h"

namespace wharf {

inline constexpr std::size_t kPeersMax = 64;

struct Invitation {
  std::uint64_t protocol = kPeerProtocol;
  std::uint64_t oldest_protocol = kOldestPeerProtocol;
  std::string from_name{};
  NodeIdentity identity{};
  std::uint64_t level = 1;
  std::vector<Member> members{};

  friend bool operator==(const Invitation&, const Invitation&) = default;
};

std::string Encode(const Invitation& invitation);
// Of a protocol that this version does not speak, only the numbers of the protocol are read.
Result<Invitation> DecodeInvitation(std::string_view bytes);

}  // namespace wharf
