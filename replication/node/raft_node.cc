#include "replication/node/raft_node.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "replication/core/core_message.h"
#include "storage/base/mutant.h"

namespace wharf {
namespace {

Status Misfit(const std::string& what) {
  return Status::Damage(what + ": this node cannot go on and must be replaced");
}

// Whether log and state can be those of one node.
Status CheckStart(const EntryLog& log, const LogPlace& state) {
  const std::string state_at = "the state is at entry " + std::to_string(state.index);
  if (state.index > log.last_index()) {
    return Misfit(state_at + ", and the log ends at " + std::to_string(log.last_index()));
  }
  if (state.index < log.start().index) {
    return Misfit(state_at + ", and the log begins behind " + std::to_string(log.start().index));
  }
  if (state.term != log.TermOf(state.index)) {
    return Misfit(state_at + " of term " + std::to_string(state.term) +
                  ", and in the log it is of " + std::to_string(log.TermOf(state.index)));
  }
  if (log.hard_state().commit > log.last_index()) {
    return Misfit("the log ends at " + std::to_string(log.last_index()) + ", and entry " +
                  std::to_string(log.hard_state().commit) + " was committed");
  }
  return {};
}

HardState StoredOf(HardState state) {
  if (kMutant == Mutant::kVoteNotStored) state.vote = 0;
  return state;
}

bool HasPayload(const SharedBytes& message) {
  const std::optional<CoreMessage> read = DecodeCoreMessage(message);
  if (!read) return false;
  return std::any_of(read->payloads.begin(), read->payloads.end(),
                     [](const SharedBytes& payload) { return !payload.empty(); });
}

}  // namespace

Result<std::unique_ptr<RaftNode>> RaftNode::Open(const Options& options, const World& world,
                                                 const StatePosition& state) {
  WHARF_RETURN_IF_ERROR(CheckStart(world.log, {state.index, state.term}));
  RaftCore::Start start{
      .applied = state.index, .members = state.members, .hard_state = world.log.hard_state()};
  // That of the log may be behind: a commit alone is not synced.
  start.hard_state.commit = std::max(start.hard_state.commit, state.index);
  std::unique_ptr<RaftNode> node(new RaftNode(options, world, start));
  WHARF_RETURN_IF_ERROR(node->NoteVoters(state.members));
  return node;
}

RaftNode::RaftNode(const Options& options, const World& world, const RaftCore::Start& start)
    : options_(options),
      world_(world),
      core_(world.library, options.core, start, world.log, world.snapshots),
      hard_state_(start.hard_state),
      committed_(start.applied),
      handed_over_(start.applied),
      applied_(start.applied) {}

bool RaftNode::Receive(RaftId from, const SharedBytes& message) {
  // A later heartbeat shows its sender that they did not arrive.
  if (is_log_full() && HasPayload(message)) return true;
  if (!core_.Step(from, message)) return false;
  heard_[from] = ticks_;
  return true;
}

Status RaftNode::Run() {
  do {
    while (core_.HasReady()) WHARF_RETURN_IF_ERROR(Handle(core_.TakeReady()));
    WHARF_RETURN_IF_ERROR(HandOver());
    UpdateLeading();
    TellReadable();
    // Only now: a core that does not lead any more would forward it to the one that does.
    if (const std::optional<std::string> context = rounds_.Begin()) core_.ReadIndex(*context);
  } while (core_.HasReady());
  return {};
}

Status RaftNode::Handle(RaftReady ready) {
  SendEarly(ready);
  if (kMutant == Mutant::kAnswerBeforeSync) Send(std::exchange(ready.messages, {}));
  WHARF_RETURN_IF_ERROR(Store(ready));
  NoteRole(ready);
  NoteAppended(ready.entries);
  WHARF_RETURN_IF_ERROR(ApplyMembers(std::move(ready.member_changes)));
  Send(std::move(ready.messages));
  committed_ = std::max(committed_, ready.committed);
  for (const Readable& readable : ready.readable) {
    rounds_.OnReadable(readable.context, readable.index);
  }
  core_.Advance();
  return HandOver();
}

// The dissertation, 10.2.1: a leader may write to its disk in parallel with its followers, because
// it commits nothing before a later Ready.
void RaftNode::SendEarly(RaftReady& ready) {
  const bool has_voted = ready.hard_state && (ready.hard_state->term != hard_state_.term ||
                                              ready.hard_state->vote != hard_state_.vote);
  if (ready.role != RaftRole::kLeader || has_voted) return;
  const auto late = std::stable_partition(
      ready.messages.begin(), ready.messages.end(),
      [](const RaftMessage& message) { return message.travels == MessageClass::kAppend; });
  Send({std::make_move_iterator(ready.messages.begin()), std::make_move_iterator(late)});
  ready.messages.erase(ready.messages.begin(), late);
}

Status RaftNode::Store(RaftReady& ready) {
  if (ready.hard_state) hard_state_ = *ready.hard_state;
  if (ready.snapshot) {
    RaftSnapshot& snapshot = *ready.snapshot;
    const std::uint64_t index = snapshot.index;
    WHARF_RETURN_IF_ERROR(world_.log.BeginAt({index, snapshot.term}, StoredOf(hard_state_)));
    WHARF_RETURN_IF_ERROR(NoteVoters(snapshot.members));
    members_.clear();
    committed_ = handed_over_ = index;
    applying_.push_back({index, 0});
    world_.applier.Install(std::move(snapshot));
  }
  if (ready.entries.empty() && !ready.hard_state) return {};
  const std::optional<HardState> state =
      ready.hard_state ? std::optional(StoredOf(hard_state_)) : std::nullopt;
  WHARF_RETURN_IF_ERROR(world_.log.Append(ready.entries, state));
  return ready.must_sync ? world_.log.Sync() : Status();
}

Status RaftNode::ApplyMembers(std::vector<LogEntry> changes) {
  for (const LogEntry& change : changes) {
    Result<std::string> members = core_.ApplyMember(change);
    if (!members.ok()) return members.status();
    WHARF_RETURN_IF_ERROR(NoteVoters(*members));
    members_[change.index] = std::move(*members);
  }
  return {};
}

Status RaftNode::NoteVoters(const std::string& members) {
  Result<Members> known = world_.library.DecodeMembers(members);
  if (!known.ok()) return known.status();
  voters_ = std::move(known->voters);
  std::erase_if(heard_, [this](const auto& each) {
    return std::find(voters_.begin(), voters_.end(), each.first) == voters_.end();
  });
  return {};
}

void RaftNode::Send(std::vector<RaftMessage> messages) {
  for (RaftMessage& message : messages) {
    world_.outbox.Send(message.to, message.travels, std::move(message.bytes));
  }
}

void RaftNode::NoteRole(const RaftReady& ready) {
  role_ = ready.role;
  leader_ = ready.leader;
  const bool is_same_term = leading_ == hard_state_.term;
  if (leading_ && (role_ != RaftRole::kLeader || !is_same_term)) EndLeading();
  if (role_ != RaftRole::kLeader) is_pausing_ = false;
}

// Entries of the term that a node leads are its own: the empty one first, then what it proposed, in
// the order of the proposals.
void RaftNode::NoteAppended(const std::vector<LogEntry>& entries) {
  if (role_ != RaftRole::kLeader) return;
  auto unknown = std::find_if(proposed_.begin(), proposed_.end(),
                              [](const OnItsWay& proposal) { return proposal.index == 0; });
  for (const LogEntry& entry : entries) {
    if (entry.term != hard_state_.term) continue;
    if (!first_of_term_ || first_of_term_->term != entry.term) {
      first_of_term_ = LogPlace{entry.index, entry.term};
      // What is in its log may be a change that is not applied.
      member_change_ = entry.index;
    } else if (entry.kind == EntryKind::kMember) {
      member_change_ = entry.index;
    } else if (!entry.data.empty() && !is_pausing_) {
      assert(unknown != proposed_.end() && unknown->bytes == entry.data.size());
      (unknown++)->index = entry.index;
    }
  }
  is_member_proposed_ = false;
}

// Only as much as it may have: the rest waits in the log.
Status RaftNode::HandOver() {
  const bool takes_own = kMutant == Mutant::kAnswerBeforeQuorum && role_ == RaftRole::kLeader;
  const std::uint64_t end = takes_own ? world_.log.last_index() : committed_;
  while (handed_over_ < end && applying_bytes_ < options_.applying_bytes_max) {
    Result<std::vector<LogEntry>> read =
        world_.log.Read(handed_over_ + 1, end + 1, options_.applying_bytes_max - applying_bytes_);
    if (!read.ok()) return read.status();
    std::vector<CommittedEntry> entries;
    for (LogEntry& entry : *read) {
      applying_.push_back({entry.index, entry.data.size()});
      applying_bytes_ += entry.data.size();
      handed_over_ = entry.index;
      auto members = members_.extract(entry.index);
      entries.push_back(
          {std::move(entry), members ? std::optional(std::move(members.mapped())) : std::nullopt});
    }
    world_.applier.Apply(std::move(entries));
  }
  return {};
}

void RaftNode::OnApplied(std::uint64_t index) {
  // Of before a snapshot that was installed meanwhile, if it is not more.
  applied_ = std::max(applied_, index);
  for (; !applying_.empty() && applying_.front().index <= index; applying_.pop_front()) {
    applying_bytes_ -= applying_.front().bytes;
  }
  const auto is_done = [index](const OnItsWay& proposal) {
    return proposal.index != 0 && proposal.index <= index;
  };
  for (; !proposed_.empty() && is_done(proposed_.front()); proposed_.pop_front()) {
    proposed_bytes_ -= proposed_.front().bytes;
  }
}

bool RaftNode::may_lead() const {
  const bool has_own = first_of_term_ && first_of_term_->term == hard_state_.term;
  if (role_ != RaftRole::kLeader || !has_own) return false;
  return applied_ >= (is_pausing_ ? world_.log.last_index() : first_of_term_->index);
}

// The dissertation, 6.4: what a leader knows to be committed is complete from its first entry on.
void RaftNode::UpdateLeading() {
  if (leading_ || !may_lead()) return;
  leading_ = hard_state_.term;
  is_pausing_ = false;
  world_.observer.OnLeading(*leading_);
}

void RaftNode::PauseLeading() {
  if (!leading_) return;
  is_pausing_ = true;
  EndLeading();
}

void RaftNode::EndLeading() {
  leading_.reset();
  proposed_.clear();
  proposed_bytes_ = 0;
  rounds_.Abandon();
  world_.observer.OnLeadingEnded();
}

void RaftNode::TellReadable() {
  if (const std::optional<ReadRound> round = rounds_.TakeReadable(applied_)) {
    world_.observer.OnReadable(*round);
  }
}

std::size_t RaftNode::room() const {
  if (!leading_ || core_.status().transferee != 0 || is_log_full()) return 0;
  return options_.proposed_bytes_max - std::min(options_.proposed_bytes_max, proposed_bytes_);
}

bool RaftNode::Propose(SharedBytes data) {
  assert(!data.empty());
  const std::size_t size = data.size();
  if (!leading_ || !core_.Propose(std::move(data))) return false;
  proposed_.push_back({0, size});
  proposed_bytes_ += size;
  return true;
}

bool RaftNode::ProposeMember(const MemberChange& change) {
  const bool is_open = is_member_proposed_ || member_change_ > applied_;
  if (!leading_ || is_open || core_.status().transferee != 0) return false;
  if (change.changes_voters() && VoterBehindMembers(change.node)) return false;
  is_member_proposed_ = core_.ProposeMember(change);
  return is_member_proposed_;
}

// What this leader says next tells it that the change is committed. Who is not heard is not waited
// for, or nobody could remove who is dead.
std::optional<RaftId> RaftNode::VoterBehindMembers(RaftId spared) const {
  const auto is_heard = [&](RaftId voter) {
    const auto heard = heard_.find(voter);
    const auto timeout = static_cast<std::uint64_t>(options_.core.election_ticks);
    return heard != heard_.end() && ticks_ - heard->second <= timeout;
  };
  const auto is_behind = [&](RaftId voter) {
    const std::optional<MemberProgress> progress = core_.ProgressOf(voter);
    return voter != spared && progress && progress->match < member_change_ && is_heard(voter);
  };
  const auto found = std::find_if(voters_.begin(), voters_.end(), is_behind);
  return found == voters_.end() ? std::nullopt : std::optional(*found);
}

ReadRound RaftNode::RequestRead() {
  assert(leading_);
  const ReadRound round = rounds_.Request();
  if (kMutant == Mutant::kNoReadIndex && rounds_.Begin()) {
    rounds_.OnReadable(std::to_string(round.value()), applied_);
  }
  return round;
}

bool RaftNode::TransferLeader(RaftId to) {
  const bool is_open = is_member_proposed_ || member_change_ > applied_;
  if (!leading_ || is_open) return false;
  core_.TransferLeader(to);
  return true;
}

Status RaftNode::CutLogUpTo(std::uint64_t index) {
  return world_.log.CutUpTo(std::min(index, applied_));
}

}  // namespace wharf
