// Hello: what both ends of a stream say of themselves before anything else.
//
//   hello = fields                        ; fields.h; of the frames kHello and kWelcome
//     1 protocol, 2 oldest protocol that it speaks
//     3 cluster (16 bytes), 4 node id, 5 name       of who says it
//     6 node id, 7 name                             of whom it says it to
//     8 level in force, 9 highest level             of the format of what is stored
//    10 incarnation                                 drawn when the process started
//    11 traffic: 1 small, 2 bulk                    what the stream is for; only who dials says so
//    12 peer address, 13 entry of the log           both if it has a list of members: where it is
//                                                   by that list, and up to which entry it knows it
//
// Plain values; whether they are good is the PeerAdmission's to say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "replication/identity/node_identity.h"
#include "replication/peers/streams/traffic.h"
#include "storage/base/status.h"

namespace wharf {

// Of the streams themselves.
inline constexpr std::uint64_t kPeerProtocol = 1;
inline constexpr std::uint64_t kOldestPeerProtocol = 1;

// Of what is stored: what the cluster writes now, and up to what a node can read. From 1.
struct FormatLevels {
  std::uint64_t in_force = 1;
  std::uint64_t highest = 1;

  friend bool operator==(const FormatLevels&, const FormatLevels&) = default;
};

// Tells two processes apart that say to be the same node.
using Incarnation = StrongId<struct IncarnationTag, std::uint64_t>;

struct Hello {
  std::uint64_t protocol = kPeerProtocol;
  std::uint64_t oldest_protocol = kOldestPeerProtocol;
  NodeIdentity from{};
  NodeId to{};
  std::string to_name{};
  FormatLevels levels{};
  Incarnation incarnation{};
  Traffic traffic = Traffic::kSmall;
  std::string peer_address{};
  std::uint64_t as_of = 0;

  friend bool operator==(const Hello&, const Hello&) = default;
};

std::string Encode(const Hello& hello);
// Of a protocol that this version does not speak, only the numbers of the protocol are read.
Result<Hello> DecodeHello(std::string_view bytes);

}  // namespace wharf
