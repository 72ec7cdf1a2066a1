// Random bytes: whatever they are, they are frames, handshakes and pings, or clean errors.
// WHARF_PEER_ROUNDS and WHARF_SEED make it longer or begin it elsewhere.

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "replication/peers/admission/hello.h"
#include "replication/peers/admission/invitation.h"
#include "replication/peers/fields.h"
#include "replication/peers/streams/frame.h"
#include "tests/from_environment.h"
#include "tests/replication/peers/any_peer_bytes.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using Generator = std::mt19937_64;

const NodeIdentity kIdentity{.cluster = *ClusterId::FromText("0123456789abcdef0123456789abcdef"),
                             .node = NodeId(1),
                             .name = "n1"};

std::string SomeFrames(Generator& random) {
  FrameWriter writer;
  std::string out;
  for (std::uint64_t i = random() % 6; i > 0; --i) {
    const auto kind = static_cast<FrameKind>(1 + random() % 8);
    writer.Write(kind, std::string(random() % 300, static_cast<char>(random())), out);
  }
  return out;
}

std::string AHello() {
  return Encode(
      Hello{.from = kIdentity, .to = NodeId(2), .to_name = "n2", .incarnation = Incarnation(3)});
}

std::string AnInvitation() {
  return Encode(
      Invitation{.from_name = "n2",
                 .identity = kIdentity,
                 .members = {{.node = NodeId(2), .name = "n2", .peer_address = "127.0.0.1:1"}}});
}

std::string SomethingWhole(Generator& random) {
  switch (random() % 4) {
    case 0:
      return AHello();
    case 1:
      return AnInvitation();
    case 2:
      return FieldWriter().Number(random() % 12, random()).Text(3, "x").Take();
    default:
      return SomeFrames(random);
  }
}

void Spoil(std::string& bytes, Generator& random) {
  if (bytes.empty()) return;
  const std::size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40));
      break;
    default:
      bytes.erase(at, random() % 20);
      break;
  }
}

TEST(PeerBytesRandomTest, WhateverComesIsReadOrRefused) {
  const std::uint64_t rounds = FromEnvironment("WHARF_PEER_ROUNDS", 20000);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    std::string bytes = SomethingWhole(random);
    for (std::uint64_t i = random() % 4; i > 0; --i) Spoil(bytes, random);
    TryAnyPeerBytes(bytes);
  }
}

}  // namespace
}  // namespace wharf
