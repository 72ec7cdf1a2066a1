#include "tools/crash/nodes/member_changes.h"

#include <chrono>
#include <csignal>
#include <utility>

namespace wharf::crash {
namespace {

constexpr Duration kChangePatience = std::chrono::seconds(60);

}  // namespace

Status MemberChanges::Last(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kReplaceLeader:
      return Replace(nodes_.at(fault.leader).name());
    case FaultKind::kReplaceFollower:
      return Replace(nodes_.at(fault.follower).name());
    case FaultKind::kReplaceDead:
      return ReplaceDead(fault.follower);
    case FaultKind::kBreakInvitation:
      return BreakInvitation(fault);
    default:
      return BreakSnapshot(fault);
  }
}

Status MemberChanges::Replace(const std::string& leaving) {
  WHARF_RETURN_IF_ERROR(nodes_.Invite().status());
  WHARF_RETURN_IF_ERROR(nodes_.AwaitVotes(kChangePatience));
  return nodes_.Dismiss(leaving);
}

Status MemberChanges::ReplaceDead(std::size_t dead) {
  WHARF_RETURN_IF_ERROR(nodes_.at(dead).daemon().WaitUntilEnded(kChangePatience).status());
  WHARF_RETURN_IF_ERROR(nodes_.Dismiss(nodes_.at(dead).name()));
  WHARF_RETURN_IF_ERROR(nodes_.Invite().status());
  return nodes_.AwaitVotes(kChangePatience);
}

// Whoever sends it leads.
Status MemberChanges::BreakSnapshot(const Fault& fault) {
  leaving_ = nodes_.at(fault.follower).name();
  const Result<std::size_t> newcomer = nodes_.Invite();
  if (!newcomer.ok()) return newcomer.status();
  const Result<bool> is_on_its_way = AwaitSnapshot(nodes_.at(*newcomer));
  if (!is_on_its_way.ok() || !*is_on_its_way) return is_on_its_way.status();
  ++snapshots_broken_;
  Daemon& struck =
      nodes_.at(fault.kind == FaultKind::kBreakSender ? fault.leader : *newcomer).daemon();
  struck.Signal(SIGKILL);
  return struck.WaitUntilEnded(kChangePatience).status();
}

// The leader is alone when it invites, and is killed then: the new node has written down that it is
// a member, and the entry that says so is in no log but the leader's. Where it took too long and
// led no more, nobody was invited. Then the new node is added as if nothing had been.
Status MemberChanges::BreakInvitation(const Fault& fault) {
  leaving_ = nodes_.at(fault.leader).name();
  const Result<std::size_t> newcomer = nodes_.StartNew();
  if (!newcomer.ok()) return newcomer.status();
  Node& leader = nodes_.at(fault.leader);
  for (std::size_t node = 0; node < *newcomer; ++node) {
    nodes_.network().Set(leader.name(), nodes_.at(node).name(), Passage::kCut);
  }
  static_cast<void>(leader.Add(nodes_.at(*newcomer)));
  leader.daemon().Signal(SIGKILL);
  WHARF_RETURN_IF_ERROR(leader.daemon().WaitUntilEnded(kChangePatience).status());
  nodes_.network().Heal();
  return nodes_.Add(nodes_.at(*newcomer));
}

Result<bool> MemberChanges::AwaitSnapshot(Node& newcomer) {
  bool is_on_its_way = false;
  const Status waited = NodeSet::Await(kChangePatience, newcomer.name() + " takes a snapshot", [&] {
    const Result<v1::ClusterStatus> status = newcomer.GetStatus();
    is_on_its_way = status.ok() && !status->snapshot().empty();
    return is_on_its_way || nodes_.AllVote();
  });
  if (!waited.ok()) return waited;
  return is_on_its_way;
}

Status MemberChanges::Finish(const Fault&) {
  WHARF_RETURN_IF_ERROR(nodes_.StartAll());
  if (leaving_.empty()) return {};
  WHARF_RETURN_IF_ERROR(nodes_.AwaitVotes(kChangePatience));
  return nodes_.Dismiss(std::exchange(leaving_, {}));
}

}  // namespace wharf::crash
