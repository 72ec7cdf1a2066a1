// NodeMessage: what nodes of a cluster say to each other: words of the consensus, and a few of
// ours.
//
//   message = content · kind (1)
//
// The kind stands at the end, so that megabytes need not move for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace wharf {

// Numbers are on the wire.
enum class NodeMessageKind : std::uint8_t {
  kConsensus = 1,
  kClientAddress = 2,  // Of who says it: to be written into the book of members.
  // Of the consensus, too, and kept from it until the files are there.
  kSnapshotOffer = 3,
  kSnapshotAsk = 4,  // snapshots/snapshot_message.h
  kSnapshotAnswer = 5,
  kBrokerTime = 6,  // Of who leads, in microseconds, as decimal digits.
  // Of who says it: its disk is short of space, or does not answer, so it leads only where no other
  // one has room. Said again and again for as long as it is so; without content.
  kShortDisk = 7,
  // Of a node whose state is lost, to any other: it needs a snapshot as of this entry or a later
  // one, as decimal digits. And the answer: whether there is one.
  kSnapshotWanted = 8,
  kSnapshotNotice = 9,  // snapshots/snapshot_message.h
  // Of who was asked by an entry of the log what its state is, to who leads.
  kStateCheckAnswer = 10,  // verify/state_check.h
  // Of who leads, when states were compared.
  kStateVerdict = 11,  // verify/state_verdict.h
};

struct NodeMessage {
  NodeMessageKind kind = NodeMessageKind::kConsensus;
  std::string content{};
};

inline std::string EncodeNodeMessage(NodeMessageKind kind, std::string content) {
  content.push_back(static_cast<char>(kind));
  return content;
}

// Nothing: it is of no kind that this version knows.
inline std::optional<NodeMessage> DecodeNodeMessage(std::string message) {
  if (message.empty()) return std::nullopt;
  const auto kind = static_cast<NodeMessageKind>(message.back());
  if (kind < NodeMessageKind::kConsensus || kind > NodeMessageKind::kStateVerdict) {
    return std::nullopt;
  }
  message.pop_back();
  return NodeMessage{kind, std::move(message)};
}

}  // namespace wharf
