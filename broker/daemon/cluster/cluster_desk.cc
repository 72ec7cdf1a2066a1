#include "broker/daemon/cluster/cluster_desk.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "storage/base/broker_clock.h"

namespace wharf {
namespace {

std::string IdText(RaftId node) { return std::to_string(node); }

void TellPeer(const PeerStatus& peer, Timestamp now, ClusterMember& member) {
  member.is_reachable = peer.is_connected;
  member.trouble = peer.is_connected ? std::string() : peer.last_failure;
  if (!peer.is_connected && member.trouble.empty()) member.trouble = "it was not reached yet";
  if (peer.last_heard != Timestamp()) member.last_heard = now - peer.last_heard;
  member.round_trip = peer.round_trip;
  member.clock_offset = peer.clock_offset;
  if (peer.levels) member.format_level_max = peer.levels->highest;
}

ClusterMember MemberOf(const MemberReport& of, const NodeReport& report, Timestamp now) {
  ClusterMember member{.id = IdText(of.record.node),
                       .name = of.record.name,
                       .peer_address = of.record.peer_address,
                       .client_address = of.record.client_address,
                       .is_voter = of.is_voter,
                       .is_leader = of.record.node == report.leader,
                       .is_short_of_disk = of.is_short_of_disk};
  const bool is_self = report.identity && report.identity->node.value() == of.record.node;
  member.is_reachable = is_self;
  if (is_self) member.format_level_max = report.format_level_max;
  if (!is_self && of.peer) TellPeer(*of.peer, now, member);
  if (of.progress && !is_self) {
    const std::uint64_t last = report.log.last_index;
    member.lag_entries = last - std::min(last, of.progress->match);
    member.lag_bytes = of.bytes_behind;
    member.lag = of.behind_for;
  }
  return member;
}

std::string NameIn(const NodeReport& report, RaftId node) {
  for (const MemberReport& member : report.members) {
    if (member.record.node == node) return member.record.name;
  }
  return "another node";
}

std::string HowFar(std::uint64_t bytes, std::uint64_t of_bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  return fmt::format("{} of {} MiB", bytes / kMiB, of_bytes / kMiB);
}

// Empty: none is on its way, nor was the last one refused here.
std::string SnapshotWords(const NodeReport& report) {
  const auto& [sending, receiving, refusal] = report.snapshots;
  if (sending) {
    return fmt::format("{} takes it from here, {}", NameIn(report, sending->receiver),
                       HowFar(sending->bytes, sending->of_bytes));
  }
  if (!receiving) return refusal;
  return fmt::format("it comes from {}, {}", NameIn(report, receiving->sender),
                     HowFar(receiving->bytes, receiving->of_bytes));
}

ClusterStatus StatusOf(const NodeReport& report) {
  ClusterStatus status{.node_name = report.name,
                       .waits_for_invitation = !report.identity,
                       .term = report.term,
                       .committed_index = report.committed,
                       .applied_index = report.applied,
                       .format_level = report.format_level,
                       .log_bytes = report.log.bytes,
                       .log_segments = report.log.segments,
                       .sync_latency = report.log.sync_latency,
                       .snapshot = SnapshotWords(report),
                       .trouble = report.trouble,
                       .lacks_state = report.lacks_state,
                       .refused_peer = report.refused.sentence};
  if (report.identity) {
    status.cluster_id = report.identity->cluster.ToText();
    status.node_id = IdText(report.identity->node.value());
  }
  const Timestamp now = BrokerClock::SystemSources().wall();
  if (!status.refused_peer.empty()) status.refused_ago = now - report.refused.at;
  for (const MemberReport& member : report.members) {
    status.members.push_back(MemberOf(member, report, now));
    if (status.members.back().is_leader) status.leader = member.record.name;
  }
  return status;
}

StateVerification VerificationOf(const StateReport& report) {
  const StateComparison::Progress& progress = report.progress;
  StateVerification verification{.is_under_way = progress.is_under_way,
                                 .rows = progress.rows,
                                 .bytes = progress.bytes,
                                 .index = progress.index,
                                 .trouble = report.sentence};
  if (progress.difference) {
    const StateComparison::Difference& found = *progress.difference;
    verification.difference = {.table = report.table,
                               .key = found.row.key,
                               .index = found.index,
                               .has_majority = found.has_majority};
  }
  for (const StateComparison::Member& member : progress.members) {
    verification.members.push_back({member.name, member.trouble});
    const bool differs =
        progress.difference && std::count(progress.difference->nodes.begin(),
                                          progress.difference->nodes.end(), member.node) > 0;
    if (differs) verification.difference->members.push_back(member.name);
  }
  return verification;
}

}  // namespace

void ClusterDesk::GetStatus(Answer<ClusterStatus> answer) {
  auto held = std::make_shared<Answer<ClusterStatus>>(std::move(answer));
  node_.Report([this, held](Result<NodeReport> report) {
    if (!report.ok()) return std::move(*held)(report.status());
    ClusterStatus status = StatusOf(*report);
    {
      MutexLock lock(mutex_);
      AddOwn(status);
    }
    std::move (*held)(std::move(status));
  });
}

void ClusterDesk::Look() {
  node_.Report([this](const Result<NodeReport>& report) { Take(report); });
}

// One that comes too late, because too much waits, leaves the one before.
void ClusterDesk::Take(const Result<NodeReport>& report) {
  if (!report.ok()) return;
  ClusterStatus status = StatusOf(*report);
  MutexLock lock(mutex_);
  last_ = std::move(status);
}

std::optional<ClusterStatus> ClusterDesk::last() const {
  MutexLock lock(mutex_);
  std::optional<ClusterStatus> last = last_;
  if (last) AddOwn(*last);
  return last;
}

void ClusterDesk::AddOwn(ClusterStatus& status) const {
  status.is_serving = root_file_.has_value();
  status.leaderships_begun = begun_;
  status.leaderships_ended = ended_;
  status.refused_batches = refused_;
}

void ClusterDesk::Found(Answer<ClusterFounded> answer) {
  node_.Found([this, answer = std::move(answer)](Status done) mutable {
    if (!done.ok()) return std::move(answer)(std::move(done));
    // What serves then is another desk.
    if (!node_.takes_part()) return std::move(answer)(ClusterFounded{node_.cluster().ToText(), {}});
    AwaitServing(std::move(answer));
  });
}

// Once in the life of a node, so there is one that waits at most.
void ClusterDesk::AwaitServing(Answer<ClusterFounded> answer) {
  std::string root_file;
  {
    MutexLock lock(mutex_);
    if (!root_file_ && !is_closed_) {
      founding_ = std::move(answer);
      return;
    }
    root_file = root_file_.value_or("");
  }
  std::move(answer)(ClusterFounded{node_.cluster().ToText(), std::move(root_file)});
}

void ClusterDesk::OnServing(const std::string& root_file) {
  std::optional<Answer<ClusterFounded>> founding;
  {
    MutexLock lock(mutex_);
    root_file_ = root_file;
    ++begun_;
    founding = std::exchange(founding_, std::nullopt);
  }
  if (founding) std::move (*founding)(ClusterFounded{node_.cluster().ToText(), root_file});
}

void ClusterDesk::OnServingEnded() {
  MutexLock lock(mutex_);
  root_file_.reset();
  ++ended_;
}

void ClusterDesk::CountRefused(std::uint64_t batches) {
  MutexLock lock(mutex_);
  refused_ += batches;
}

void ClusterDesk::Close(const std::string& root_file) {
  std::optional<Answer<ClusterFounded>> founding;
  {
    MutexLock lock(mutex_);
    founding = std::exchange(founding_, std::nullopt);
    is_closed_ = true;
  }
  if (founding) std::move (*founding)(ClusterFounded{node_.cluster().ToText(), root_file});
}

void ClusterDesk::Add(std::string name, std::string peer_address, Answer<std::monostate> answer) {
  node_.Add(name, peer_address, DoneOf(std::move(answer)));
}

void ClusterDesk::Remove(std::string name, Answer<std::monostate> answer) {
  node_.Remove(name, DoneOf(std::move(answer)));
}

void ClusterDesk::Transfer(std::string name, Answer<std::monostate> answer) {
  node_.Transfer(name, DoneOf(std::move(answer)));
}

void ClusterDesk::SetAddress(std::string name, std::string client_address,
                             Answer<std::monostate> answer) {
  node_.SetAddress(name, client_address, DoneOf(std::move(answer)));
}

ClusterNode::Done ClusterDesk::DoneOf(Answer<std::monostate> answer) {
  return [this, answer = std::move(answer)](Status done) mutable {
    if (done.ok()) return std::move(answer)(std::monostate());
    std::move(answer)(WithLeader(std::move(done)));
  };
}

Status ClusterDesk::WithLeader(Status refused) const {
  if (refused.code() != ErrorCode::kPartitionNotOwned) return refused;
  const std::optional<MemberRecord> leader = node_.leader();
  return Status::NotOwned(leader ? leader->client_address : std::string(), refused.message());
}

void ClusterDesk::VerifyState(Verify what, Answer<StateVerification> answer) {
  auto held = std::make_shared<Answer<StateVerification>>(std::move(answer));
  const auto comparing =
      what == Verify::kBegin ? ClusterNode::Comparing::kBegin : ClusterNode::Comparing::kLook;
  node_.CompareStates(comparing, [this, held](Result<StateReport> report) {
    if (!report.ok()) return std::move(*held)(WithLeader(report.status()));
    std::move (*held)(VerificationOf(*report));
  });
}

}  // namespace wharf
