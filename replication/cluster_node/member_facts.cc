// What a ClusterNode makes of what its members can read, and of what their clocks say.

#include <algorithm>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"
#include "replication/cluster_node/level_keeper.h"

namespace wharf {

Status ClusterNode::CheckLevel(const MemberBook& book) const {
  if (book.level <= options_.format_level_max) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("the cluster of this node writes level {} of the format, and this wharfd "
                      "reads up to level {}: start a newer one, or one that is not held at a lower "
                      "level",
                      book.level, options_.format_level_max)};
}

std::uint64_t ClusterNode::format_level() const {
  MutexLock lock(mutex_);
  return book_.level;
}

// Of those that are reached now: one that was restarted meanwhile may be of an older version again.
void ClusterNode::RaiseLevel(RaftNode& node, const MemberBook& book) {
  if (book.level >= options_.format_level_max) return;
  std::vector<std::optional<std::uint64_t>> others;
  for (const MemberReport& member : MembersIn(book)) {
    if (member.record.node == id()) continue;
    const bool is_known = member.peer && member.peer->is_connected && member.peer->levels;
    others.push_back(is_known ? std::optional(member.peer->levels->highest) : std::nullopt);
  }
  const auto level = LevelToRaiseTo(book.level, options_.format_level_max, others);
  const MemberRecord* const own = book.Find(id().value_or(0));
  if (!level || own == nullptr) return;
  MemberRecord next = *own;
  next.raises_level_to = *level;
  if (!node.ProposeMember({MemberChange::Kind::kUpdate, next.node, next.Encode()})) return;
  spdlog::info("all members read level {} of the format: the cluster writes it from now on",
               *level);
}

void ClusterNode::WatchClocks() {
  for (const PeerStatus& peer : peers_.statuses()) {
    if (!peer.is_connected || !peer.clock_offset) continue;
    const std::string news = clocks_.Note(peer.member.name, *peer.clock_offset);
    if (!news.empty()) spdlog::warn("{}", news);
  }
}

Duration ClusterNode::median_clock_offset() const {
  std::vector<Duration> offsets;
  for (const PeerStatus& peer : peers_.statuses()) {
    if (peer.is_connected && peer.clock_offset) offsets.push_back(*peer.clock_offset);
  }
  return MedianOffset(std::move(offsets));
}

}  // namespace wharf
