// What a ClusterNode does because it leads, or another one does: it tells broker time and hands
// leadership over.

#include <charconv>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"
#include "replication/node_message.h"
#include "replication/not_leading.h"

namespace wharf {
namespace {

// Until a node whose disk is short tries again to leave leading to another one.
constexpr Duration kLeavePace = std::chrono::seconds(10);

}  // namespace

std::shared_ptr<RaftCommitLog> ClusterNode::OnLeading(std::uint64_t term, CommitIndex last,
                                                      std::function<void()> wake) {
  leader_ = id().value_or(0);
  leading_ = world_.leaderships.OnLeading(term, last, std::move(wake));
  return leading_;
}

// Whoever leads now is not known here before the disk answers; it is not this node.
void ClusterNode::OnHanging(const RaftCommitLog& log) {
  RaftId self = id().value_or(0);
  leader_.compare_exchange_strong(self, 0);
  world_.leaderships.OnHanging(log);
}

void ClusterNode::OnLeadingEnded() {
  leader_ = 0;
  leading_.reset();
  if (postponed_) request_.Fail(std::exchange(postponed_, std::nullopt)->node, NotLeading());
  request_.OnLeadingEnded();
  world_.leaderships.OnLeadingEnded();
}

// This node leads for as long as it has a log to lead by, whatever the consensus knows yet.
void ClusterNode::NoteLeader(RaftId leader) {
  const bool is_self = leader == id().value_or(0);
  const RaftId next = is_self && leading_ == nullptr ? 0 : leader;
  if (leader_.exchange(next) == next) return;
  MutexLock lock(leader_watch_mutex_);
  if (leader_watch_) leader_watch_();
}

void ClusterNode::WatchLeader(std::function<void()> watch) {
  MutexLock lock(leader_watch_mutex_);
  leader_watch_ = std::move(watch);
}

std::optional<MemberRecord> ClusterNode::leader() const {
  MutexLock lock(mutex_);
  const MemberRecord* const record = book_.Find(leader_);
  if (record == nullptr) return std::nullopt;
  return *record;
}

// Who leads says it, and who has heard it says it on: who led may be gone before it has told one
// that has just begun, and that may be the next to lead.
void ClusterNode::TellTime(const MemberBook& book) {
  if (leading_ != nullptr) heard_.Note(leading_->Now(), SteadyNow());
  const std::optional<Timestamp> now = leading_ != nullptr ? leading_->Now() : heard_time();
  if (!now) return;
  const std::string time = std::to_string(now->time_since_epoch().count());
  for (const MemberRecord& member : book.members) {
    if (member.node == id()) continue;
    peers_.Send(NodeId(member.node), Traffic::kSmall,
                EncodeNodeMessage(NodeMessageKind::kBrokerTime, time));
  }
}

void ClusterNode::TakeTime(RaftId from, const std::string& said) {
  Timestamp::rep micros = 0;
  const auto [end, wrong] = std::from_chars(said.data(), said.data() + said.size(), micros);
  if (wrong != std::errc() || end != said.data() + said.size()) return;
  if (from != leader_ && heard_time()) return;
  heard_.Note(Timestamp(Duration(micros)), SteadyNow());
}

// The consensus forgets each election timeout whom it has heard; a stream that stands counts, too.
bool ClusterNode::IsReached(const MemberProgress& progress, const MemberReport& member) {
  return progress.is_recently_active || (member.peer && member.peer->is_connected);
}

bool ClusterNode::CanLead(const RaftNode& node, const MemberReport& member) const {
  const RaftId id = member.record.node;
  const std::optional<MemberProgress> progress = node.ProgressOf(id);
  if (!progress || progress->is_learner || id == this->id()) return false;
  return IsReached(*progress, member);
}

Successors ClusterNode::SuccessorsIn(const RaftNode& node, const MemberBook& book) const {
  std::vector<Successor> successors;
  for (const MemberReport& member : MembersIn(book)) {
    if (!CanLead(node, member)) continue;
    const MemberProgress progress = *node.ProgressOf(member.record.node);
    successors.push_back({.node = member.record.node,
                          .name = member.record.name,
                          .has_room = !member.is_short_of_disk,
                          .was_just_heard = progress.is_recently_active,
                          .match = progress.match});
  }
  return Successors(std::move(successors));
}

bool ClusterNode::HandOver() {
  RaftThread* const raft = raft_;
  if (raft == nullptr || leader_ != id().value_or(0) || book().members.size() < 2) return false;
  raft->Do([this](RaftNode& node) {
    if (!node.is_leading()) return;
    Successors successors = SuccessorsIn(node, book());
    if (successors.best() != nullptr) HandOverTo(std::move(successors));
  });
  return true;
}

// One after the other: who does not take it in time is followed by the next, and this node leads on
// only if there is no other.
void ClusterNode::HandOverTo(Successors successors) {
  RaftThread* const raft = raft_;
  if (raft == nullptr) return;
  raft->HandOver([successors = std::move(successors)]() mutable { return successors.Next(); });
}

// In order, while there is room for it: what is under way is finished, and nothing is unknown.
void ClusterNode::LeaveLeading(const RaftNode& node, const MemberBook& book) {
  if (!room_.is_short() || SteadyNow() < leaves_next_) return;
  const Successors successors = SuccessorsIn(node, book);
  const Successor* const to = successors.best();
  if (to == nullptr || !room_.IsKnownToHaveRoom(to->node, SteadyNow())) return;
  const bool is_near = to->match + kCaughtUpEntries >= node.committed();
  if (!is_near) return;
  leaves_next_ = SteadyNow() + kLeavePace;
  spdlog::warn("leadership is handed over to {}, whose disk has room", to->name);
  HandOverTo(Successors({*to}));
}

void ClusterNode::TellShort(const MemberBook& book) {
  if (!room_.is_short()) return;
  for (const MemberRecord& member : book.members) {
    if (member.node == id()) continue;
    peers_.Send(NodeId(member.node), Traffic::kSmall,
                EncodeNodeMessage(NodeMessageKind::kShortDisk, {}));
  }
}

}  // namespace wharf
