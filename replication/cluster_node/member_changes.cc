// How the members of a ClusterNode's cluster change: what its leader is asked, and does by itself.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"
#include "replication/node_message.h"
#include "replication/not_leading.h"

namespace wharf {
namespace {

// A voter that is heard takes what it lacks in less, or has no room, or needs a snapshot.
constexpr Duration kProposePatience = std::chrono::seconds(10);

// So many members a cluster has at most, learners too: more only make each commit slower.
constexpr std::size_t kNodesMax = 16;

Status Waits() {
  return {
      ErrorCode::kInvalidOperation,
      "this node belongs to no cluster yet: found one here, or add it to the one that it is for"};
}

Status OpensAnew() {
  return {ErrorCode::kServiceBusy, "this node opens its folder anew just now: ask again"};
}

Status Lacks(std::string trouble) { return {ErrorCode::kServiceBusy, std::move(trouble)}; }

Status IsBusy() {
  return {ErrorCode::kServiceBusy,
          "another change of the members is under way: one at a time, ask again"};
}

Status IsBehind(const MemberRecord* voter) {
  return Lacks(
      fmt::format("{} is heard, but its log is behind the last change of who votes: ask "
                  "again when it has caught up, or stop it",
                  voter == nullptr ? "a voter" : "'" + voter->name + "'"));
}

// That the other node is not believed, or does not believe this one, says nothing of who asked.
Status NotInvited(const MemberRecord& member, const Status& why) {
  const bool is_of_peers = why.code() == ErrorCode::kUnauthorized;
  return {
      is_of_peers ? ErrorCode::kInvalidOperation : why.code(),
      fmt::format("{} at {} has not taken the invitation: {}; `wharfd --node {}` must wait there",
                  member.name, member.peer_address, why.message(), member.name),
      why.outcome()};
}

// Members that are new, gone or otherwise.
std::vector<RaftId> DifferenceOf(const MemberBook& before, const MemberBook& after) {
  std::vector<RaftId> changed;
  for (const MemberRecord& record : after.members) {
    const MemberRecord* const old = before.Find(record.node);
    if (old == nullptr || *old != record) changed.push_back(record.node);
  }
  for (const MemberRecord& record : before.members) {
    if (after.Find(record.node) == nullptr) changed.push_back(record.node);
  }
  return changed;
}

Status NoMember(const std::string& name) {
  return {ErrorCode::kMessagingEntityNotFound, "the cluster has no member '" + name + "'"};
}

// An older member would not know that the node itself has told another one, which would be told
// again.
Status CheckKeepsAddresses(const MemberBook& book) {
  if (book.level >= kSetAddressesFormatLevel) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("the cluster writes level {} of the format, in which an address is what its "
                      "node says: give wharfd another --advertise there, or upgrade all members to "
                      "level {}",
                      book.level, kSetAddressesFormatLevel)};
}

Result<std::optional<MemberChange>> MakeAddress(const MemberBook& book, const std::string& name,
                                                const std::string& client_address) {
  const MemberRecord* const member = book.FindName(name);
  if (member == nullptr) return NoMember(name);
  if (client_address.size() > kPeerAddressBytesMax) {
    return Status(ErrorCode::kArgumentError, "the address is too long");
  }
  if (member->client_address.empty()) {
    return Lacks("'" + name + "' has not told its own address yet: ask again");
  }
  const MemberRecord next = member->WithSetAddress(client_address);
  if (next == *member) return std::optional<MemberChange>();
  WHARF_RETURN_IF_ERROR(CheckKeepsAddresses(book));
  return std::optional(MemberChange{MemberChange::Kind::kUpdate, next.node, next.Encode()});
}

}  // namespace

void ClusterNode::AsLeader(Done done, LeaderWork work) {
  RaftThread* const raft = raft_;
  if (awaits_state_) return std::move(done)(Lacks(trouble()));
  if (raft == nullptr) return std::move(done)(is_member() ? OpensAnew() : Waits());
  auto held = std::make_shared<Done>(std::move(done));
  const bool is_taken = raft->Do([held, work = std::move(work)](RaftNode& node) mutable {
    if (!node.is_leading()) return std::move(*held)(NotLeading());
    std::move(work)(node, std::move(*held));
  });
  if (!is_taken) std::move (*held)(TooMany());
}

void ClusterNode::Add(const std::string& name, const std::string& peer_address, Done done) {
  AsLeader(std::move(done), [this, name, peer_address](RaftNode& /*node*/, Done done) {
    if (const Status status = CheckNew(name, peer_address); !status.ok()) {
      return std::move(done)(status);
    }
    const MemberRecord member{DrawNodeId(member_random_).value(), name, peer_address, {}};
    if (!request_.Begin(member.node, done)) return std::move(done)(IsBusy());
    Invite(member);
  });
}

Status ClusterNode::CheckNew(const std::string& name, const std::string& peer_address) const {
  WHARF_RETURN_IF_ERROR(CheckNodeName(name));
  const MemberBook known = book();
  if (known.members.size() >= kNodesMax) {
    return {ErrorCode::kQuotaExceeded, fmt::format("a cluster has at most {} members", kNodesMax)};
  }
  for (const MemberRecord& member : known.members) {
    const bool is_same_name = member.name == name;
    if (!is_same_name && member.peer_address != peer_address) continue;
    return {ErrorCode::kMessagingEntityAlreadyExists,
            is_same_name ? "the cluster has a member '" + name +
                               "' already; one that has lost its folder is removed first, and "
                               "then added again"
                         : "member '" + member.name + "' has the address " + peer_address};
  }
  return {};
}

// On the node's thread. The invited one has it on its disk when it answers.
void ClusterNode::Invite(const MemberRecord& member) {
  Invitation invitation;
  {
    MutexLock lock(mutex_);
    invitation.from_name = options_.name;
    invitation.identity = {identity_->cluster, NodeId(member.node), member.name};
    invitation.level = book_.level;
    invitation.members = PeersIn(book_);
  }
  const MemberChange change{MemberChange::Kind::kAddLearner, member.node, member.Encode()};
  const MakeChange make = [change](const RaftNode& /*node*/, const MemberBook& /*book*/) {
    return std::optional(change);
  };
  peers_.Invite(
      std::move(invitation), member.peer_address, [this, member, make](const Status& taken) {
        if (!taken.ok()) return request_.Fail(member.node, NotInvited(member, taken));
        const bool is_taken = raft_.load()->Do([this, id = member.node, make](RaftNode& node) {
          Propose(node, {id, make, SteadyNow() + kProposePatience});
        });
        if (!is_taken) request_.Fail(member.node, TooMany());
      });
}

void ClusterNode::Remove(const std::string& name, Done done) {
  AsLeader(std::move(done), [this, name](RaftNode& node, Done done) {
    const auto removal = MakeRemoval(node, book(), name);
    if (!removal.ok()) return std::move(done)(removal.status());
    const RaftId member = (*removal)->node;
    if (!request_.Begin(member, done)) return std::move(done)(IsBusy());
    const MakeChange make = [this, name](const RaftNode& node, const MemberBook& book) {
      return MakeRemoval(node, book, name);
    };
    Propose(node, {member, make, SteadyNow() + kProposePatience});
  });
}

Result<std::optional<MemberChange>> ClusterNode::MakeRemoval(const RaftNode& node,
                                                             const MemberBook& book,
                                                             const std::string& name) const {
  const MemberRecord* const member = book.FindName(name);
  if (member == nullptr) return NoMember(name);
  WHARF_RETURN_IF_ERROR(CheckRemoval(node, book, *member));
  return std::optional(MemberChange{MemberChange::Kind::kRemove, member->node, {}});
}

// Whoever is left must be able to go on: a majority of the voters that remain is reached.
Status ClusterNode::CheckRemoval(const RaftNode& node, const MemberBook& book,
                                 const MemberRecord& member) const {
  if (book.members.size() == 1) {
    return {ErrorCode::kInvalidOperation,
            "'" + member.name + "' is the last member: without it there is no cluster"};
  }
  if (member.node == id()) {
    return {ErrorCode::kInvalidOperation,
            "'" + member.name + "' leads: hand leadership over, then remove it"};
  }
  std::size_t voters = 0;
  std::size_t reached = 0;
  for (const MemberReport& other : MembersIn(book)) {
    const std::optional<MemberProgress> progress = node.ProgressOf(other.record.node);
    if (other.record.node == member.node || !progress || progress->is_learner) continue;
    ++voters;
    reached += other.record.node == id() || IsHeard(other) ? 1 : 0;
  }
  if (reached * 2 > voters) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("without '{}' the cluster could not go on: of the {} voters left {} can be "
                      "reached",
                      member.name, voters, reached)};
}

// Less is enough to try a member than to rely on it: the consensus remembers for an election
// timeout one that has died, and a stream may stand for seconds behind a cut.
bool ClusterNode::IsHeard(const MemberReport& member) const {
  const Duration timeout = options_.raft.tick * options_.raft.node.core.election_ticks;
  if (!member.peer || !member.peer->is_connected) return false;
  const Duration silent = world_.wall.Now() - member.peer->last_heard;
  // A clock that was set back says nothing until the next sign of life.
  return silent >= Duration(0) && silent < timeout;
}

void ClusterNode::SetAddress(const std::string& name, const std::string& client_address,
                             Done done) {
  AsLeader(std::move(done), [this, name, client_address](RaftNode& node, Done done) {
    const MakeChange make = [name, client_address](const RaftNode& /*node*/,
                                                   const MemberBook& book) {
      return MakeAddress(book, name, client_address);
    };
    const auto change = make(node, book());
    if (!change.ok() || !*change) return std::move(done)(change.status());
    const RaftId member = (*change)->node;
    if (!request_.Begin(member, done)) return std::move(done)(IsBusy());
    Propose(node, {member, make, SteadyNow() + kProposePatience});
  });
}

void ClusterNode::Transfer(const std::string& name, Done done) {
  AsLeader(std::move(done), [this, name](RaftNode& node, Done done) {
    const std::vector<MemberReport> members = MembersIn(book());
    const auto to = std::find_if(members.begin(), members.end(), [&](const MemberReport& each) {
      return each.record.name == name;
    });
    if (to == members.end()) return std::move(done)(NoMember(name));
    if (to->record.node == id()) return std::move(done)({});
    if (!CanLead(node, *to)) {
      return std::move(done)({ErrorCode::kInvalidOperation,
                              "'" + name + "' cannot lead: it is no voter, or is not reached"});
    }
    if (to->is_short_of_disk && !room_.is_short()) {
      return std::move(done)(
          {ErrorCode::kInvalidOperation,
           "'" + name + "' would give it back: its disk is short of space, or does not answer"});
    }
    HandOverTo(Successors({{.node = to->record.node, .name = name}}));
    std::move(done)({});
  });
}

// Where a change that nobody asked for is under way, an address or a promotion, it comes next: who
// was invited has written it down already. It is made of the book as it is then. Who asked on an
// earlier leadership has heard that it may be made or not.
void ClusterNode::Propose(RaftNode& node, PostponedChange postponed) {
  if (!request_.IsFor(postponed.node)) return;
  if (!node.is_leading()) return request_.Fail(postponed.node, NotLeading());
  const auto change = postponed.make(node, book());
  if (!change.ok() || !*change) return request_.Fail(postponed.node, change.status());
  if (node.ProposeMember(**change)) return request_.OnProposed(postponed.node);
  const auto behind =
      (*change)->changes_voters() ? node.VoterBehindMembers((*change)->node) : std::nullopt;
  if (behind && SteadyNow() > postponed.until) {
    return request_.Fail(postponed.node, IsBehind(book().Find(*behind)));
  }
  postponed_ = std::move(postponed);
}

void ClusterNode::ProposePostponed(RaftNode& node) {
  if (auto change = std::exchange(postponed_, std::nullopt)) Propose(node, *std::move(change));
}

// One at a time; the next look goes on.
void ClusterNode::Promote(RaftNode& node, const MemberBook& book) {
  for (const MemberRecord& member : book.members) {
    const std::optional<MemberProgress> progress = node.ProgressOf(member.node);
    // One that needs a snapshot lacks everything, however few entries there are behind it.
    const bool has_state = progress && progress->match >= log_->start().index;
    const bool is_due = has_state && progress->is_learner && progress->is_recently_active &&
                        progress->match + kCaughtUpEntries >= node.committed();
    if (!is_due) continue;
    if (node.ProposeMember({MemberChange::Kind::kAddVoter, member.node, member.Encode()})) {
      spdlog::info("node {} has caught up, and votes", member.name);
    } else if (const auto behind = node.VoterBehindMembers(member.node)) {
      TellWaiting(member, book.Find(*behind));
    }
    return;
  }
}

void ClusterNode::TellWaiting(const MemberRecord& learner, const MemberRecord* behind) {
  if (const auto unsaid = waits_to_promote_.Admit()) {
    spdlog::warn("node {} has caught up, and votes when {} has, too{}", learner.name,
                 behind == nullptr ? "another one" : behind->name, Unsaid(*unsaid));
  }
}

// To whoever leads, until the book has it. What it has told before is no news: an operator may have
// said another one since.
void ClusterNode::TellAddress(const MemberBook& book) {
  const std::optional<RaftId> self = id();
  const MemberRecord* const own = self ? book.Find(*self) : nullptr;
  const RaftId leader = leader_;
  if (own == nullptr || leader == 0 || own->HasTold(options_.client_address)) return;
  peers_.Send(NodeId(leader), Traffic::kSmall,
              EncodeNodeMessage(NodeMessageKind::kClientAddress, options_.client_address));
}

void ClusterNode::NoteAddress(RaftNode& node, RaftId from, const std::string& address) {
  const MemberBook known = book();
  const MemberRecord* const member = known.Find(from);
  const bool is_news = member != nullptr && !member->HasTold(address);
  if (!is_news || !node.is_leading() || address.size() > kPeerAddressBytesMax) return;
  const MemberRecord next = member->WithToldAddress(address);
  node.ProposeMember({MemberChange::Kind::kUpdate, next.node, next.Encode()});
}

Result<std::string> ClusterNode::After(const std::string& before, const LogEntry& change,
                                       const std::string& configuration) {
  return BookBehind(*library_, before, change, configuration);
}

void ClusterNode::OnMembers(const std::string& members) {
  Result<MemberBook> next = MemberBook::Decode(members);
  if (!next.ok()) return OnFailed(next.status());
  if (const Status readable = CheckLevel(*next); !readable.ok()) return OnFailed(readable);
  std::vector<RaftId> changed;
  {
    MutexLock lock(mutex_);
    changed = DifferenceOf(book_, *next);
    book_ = *std::move(next);
    peers_.SetMembers(PeersIn(book_));
    peers_.SetLevel(book_.level);
  }
  KeepMembers(book());
  for (const RaftId node : changed) request_.OnApplied(node);
}

}  // namespace wharf
