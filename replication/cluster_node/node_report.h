// NodeReport: what a node knows of its cluster at one instant, for operators. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replication/cluster_node/member_book.h"
#include "replication/core/raft_core.h"
#include "replication/identity/node_identity.h"
#include "replication/peers/peers.h"
#include "replication/snapshots/snapshot_exchange.h"
#include "storage/segments/segment_log.h"

namespace wharf {

struct MemberReport {
  MemberRecord record{};
  bool is_voter = false;
  // Of who leads, as it knows it; nothing elsewhere, and of itself.
  std::optional<MemberProgress> progress{};
  // Of the leader's log, what the member is not known to have.
  std::optional<std::uint64_t> bytes_behind{};
  // For how long the leader has had that.
  std::optional<Duration> behind_for{};
  // Nothing of itself.
  std::optional<PeerStatus> peer{};
  // It says so of itself: it leads only where no other node's disk has room.
  bool is_short_of_disk = false;
};

struct NodeReport {
  std::string name{};
  // Nothing: it waits to be founded or invited.
  std::optional<NodeIdentity> identity{};
  RaftId leader = 0;
  std::uint64_t term = 0;
  std::uint64_t committed = 0;
  std::uint64_t applied = 0;
  SegmentLog::Stats log{};
  std::vector<MemberReport> members{};
  SnapshotExchange::Progress snapshots{};
  // Who was not let in last.
  Peers::Refused refused{};
  // What keeps it from leading, or from taking part, in a sentence; empty: nothing.
  std::string trouble{};
  // What the cluster writes, and up to what this node reads (format_level.h).
  std::uint64_t format_level = 0;
  std::uint64_t format_level_max = 0;
  // Its state is lost: it takes that of another member.
  bool lacks_state = false;
};

}  // namespace wharf
