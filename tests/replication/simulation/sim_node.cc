#include "tests/replication/simulation/sim_node.h"

#include <algorithm>
#include <utility>

#include "replication/not_leading.h"
#include "tests/replication/shared_library.h"

namespace wharf {
namespace {

// Of broker time, where nobody has told any.
constexpr Timestamp kBeginning{std::chrono::hours(24 * 365 * 50)};

Status IsOver() {
  return {ErrorCode::kServiceCommunicationProblem, "the node was killed", Outcome::kUnknown};
}

}  // namespace

// As where a broker with data founds a cluster: whoever joins needs a snapshot, in which the
// founders are.
SimNode::SimNode(RaftId id, const Members& founders, World world)
    : id_(id),
      world_(std::move(world)),
      store_(world_.founding,
             founders.voters.empty() ? StatePosition()
                                     : StatePosition{1, 1, SharedLibrary().EncodeMembers(founders)},
             Watches()) {
  log_.before = [this] { return Step(); };
  const std::uint64_t founded = store_.state().position.index;
  if (founded != 0) static_cast<void>(log_.BeginAt({founded, 1}, {.term = 1, .commit = founded}));
}

SimStore::Watch SimNode::Watches() {
  return {[this](const SimState& state) { NoteState(state); },
          [this](const std::string& key, bool was_there) {
            if (world_.on_row) world_.on_row(id_, key, was_there);
          }};
}

// What is garbage goes where it likes.
void SimNode::NoteState(const SimState& state) const {
  if (world_.founding.make_keeper) return;
  world_.history.OnState(id_, state.position.index, state.hash);
}

RaftNode::Options SimNode::Options() const {
  RaftNode::Options options;
  options.core.id = id_;
  options.core.message_bytes_max = world_.sizes.message_max;
  options.core.ready_bytes_max = world_.sizes.ready_max;
  options.core.inflight_messages_max = 4;
  options.proposed_bytes_max = world_.sizes.proposed_max;
  options.applying_bytes_max = world_.sizes.applying_max;
  return options;
}

void SimNode::Start() {
  ++life_;
  log_.stops = false;
  steps_left_.reset();
  log_.FinishSync();
  is_paused_ = is_syncing_ = false;
  syncs_before_ = log_.syncs;
  Settle();
  opened_at_ = store_.state().position.index;
  BeginKeeping();
  const BatchApplier::World applies{
      .store = store_, .listener = keeper_ ? &keeper_->listener() : nullptr, .row = store_.row()};
  applier_.emplace(applies, store_.state().position, store_.last());
  auto node = RaftNode::Open(
      Options(),
      {SharedLibrary(), log_, *this, *this, *this, *this, [this] { return is_log_full_; }},
      store_.state().position);
  if (!node.ok()) return world_.history.Violation(node.status().message());
  node_ = std::move(*node);
  Turn();
}

void SimNode::BeginKeeping() {
  if (!world_.founding.make_keeper) return;
  keeper_ = world_.founding.make_keeper();
  const Status loaded = keeper_->Load(store_);
  if (!loaded.ok()) world_.history.Violation(loaded.message());
  store_.DropGarbageAtRandom(keeper_->tables(), world_.random.Next());
}

std::uint64_t SimNode::HashWithoutGarbage() {
  WholeState();
  if (keeper_) keeper_->Refresh();
  store_.DropGarbage();
  return store_.HashRows();
}

// As a daemon does: the files of a snapshot were there, on disk, before the log began there.
void SimNode::Settle() {
  if (log_.start().index <= store_.state().position.index) return;
  const auto brought = std::find_if(
      world_.snapshots.begin(), world_.snapshots.end(), [this](const SimState& snapshot) {
        return LogPlace{snapshot.position.index, snapshot.position.term} == log_.start();
      });
  if (brought == world_.snapshots.end()) return;
  store_.Replace(*brought);
  NoteState(*brought);
}

void SimNode::Reopen() {
  Stop();
  Start();
}

void SimNode::Stop() {
  ++life_;
  is_reopening_ = false;
  // Clients hear no more of it, and know no more than that.
  if (const auto leading = std::exchange(leading_, nullptr)) leading->log.Close(IsOver());
  node_.reset();
  applier_.reset();
  store_.StopDropping();
  keeper_.reset();
  inbox_.clear();
  unsent_.clear();
  not_handed_over_.clear();
  readable_.reset();
  to_apply_.clear();
  hand_over_to_.reset();
}

void SimNode::CutPower() {
  Stop();
  log_.log.Forget();
  store_.CutPower();
}

bool SimNode::Step() {
  if (steps_left_ && *steps_left_ > 0) --*steps_left_;
  return steps_left_ != std::uint64_t{0};
}

void SimNode::Turn() {
  if (stands_still()) return;
  syncs_before_ = log_.syncs;
  if (leading_) leading_->log.Pump(*node_);
  const Status done = node_->Run();
  const bool is_killed = steps_left_ == std::uint64_t{0};
  if (is_killed || !done.ok()) {
    is_killed ? Stop() : CutPower();
    return world_.stopped();
  }
  TendLeadership();
  if (!is_behind_sync()) return;
  is_syncing_ = true;
  world_.after(sync_time_, [this, life = life_] {
    if (life == life_ && is_running()) EndSync();
  });
}

void SimNode::EndSync() {
  is_syncing_ = false;
  log_.FinishSync();
  if (!is_paused_) GoOn();
}

void SimNode::GoOn() {
  for (auto& [to, travels, message] : std::exchange(unsent_, {})) {
    world_.send(to, travels, std::move(message));
  }
  HandOver(std::exchange(not_handed_over_, {}));
  if (readable_ && leading_) leading_->log.OnReadable(*std::exchange(readable_, std::nullopt));
  for (const auto& [from, message] : std::exchange(inbox_, {})) node_->Receive(from, message);
  node_->Tick();
  Turn();
}

// As RaftThread does.
void SimNode::TendLeadership() {
  if (!node_->is_leading() || !leading_ || !leading_->log.is_done()) return;
  if (hand_over_to_) {
    node_->TransferLeader(*std::exchange(hand_over_to_, std::nullopt));
    Later(&SimNode::Turn);
  } else if (node_->status().transferee == 0) {
    node_->PauseLeading();
    Later(&SimNode::Turn);
  }
}

void SimNode::Later(void (SimNode::*what)()) {
  world_.soon([this, what, life = life_] {
    if (life == life_ && is_running()) (this->*what)();
  });
}

void SimNode::Resume() {
  if (!is_running() || !std::exchange(is_paused_, false)) return;
  if (!is_syncing_) GoOn();
}

const std::set<RaftId>& SimNode::KnownMembers() {
  const std::string& members = store_.state().position.members;
  if (members == members_) return known_;
  members_ = members;
  const Members decoded = *SharedLibrary().DecodeMembers(members);
  known_ = {decoded.voters.begin(), decoded.voters.end()};
  known_.insert(decoded.learners.begin(), decoded.learners.end());
  return known_;
}

bool SimNode::LetsIn(SimNode& other) {
  if (KnownMembers().empty() || KnownMembers().contains(other.id())) return true;
  const bool is_needed = node_->leader() == 0 || node_->leader() == other.id();
  return is_needed && other.KnownMembers().contains(other.id()) && other.applied() > applied();
}

void SimNode::Receive(RaftId from, const std::string& message) {
  if (!is_running()) return;
  if (stands_still()) return inbox_.emplace_back(from, message), void();
  if (!node_->Receive(from, message)) world_.history.Violation("a message was refused");
  Turn();
}

void SimNode::Tick() {
  if (!is_running() || stands_still()) return;
  node_->Tick();
  Turn();
}

void SimNode::Flush(bool cuts_log) {
  if (!is_running() || stands_still()) return;
  if (world_.random.Next() % 2 == 0) Write();
  store_.Flush();
  if (cuts_log) static_cast<void>(node_->CutLogUpTo(store_.flushed().position.index));
}

void SimNode::OnSnapshotSent(RaftId to, bool is_installed) {
  if (!is_running()) return;
  node_->OnSnapshotSent(to, is_installed);
  Later(&SimNode::Turn);
}

void SimNode::HandOver(RaftId to) {
  if (!is_leading() || is_paused_ || !leading_) return;
  hand_over_to_ = to;
  leading_->log.Refuse(NotLeading());
  Later(&SimNode::Turn);
}

void SimNode::Propose(const MemberChange& change) {
  if (!is_leading() || stands_still()) return;
  node_->ProposeMember(change);
  Later(&SimNode::Turn);
}

void SimNode::Send(RaftId to, MessageClass travels, std::string message) {
  if (!Step()) return;
  if (is_behind_sync()) return unsent_.emplace_back(to, travels, std::move(message)), void();
  world_.send(to, travels, std::move(message));
}

// Behind a snapshot nothing is applied to the state before it, as ApplyThread ends there.
void SimNode::Apply(std::vector<CommittedEntry> entries) {
  if (is_reopening_ || !Step()) return;
  if (!is_behind_sync()) return HandOver(std::move(entries));
  for (CommittedEntry& entry : entries) not_handed_over_.push_back(std::move(entry));
}

void SimNode::HandOver(std::vector<CommittedEntry> entries) {
  if (entries.empty()) return;
  for (CommittedEntry& entry : entries) to_apply_.push_back(std::move(entry));
  Later(&SimNode::ApplySome);
}

// Some of them now, the rest later: the disk of the state takes its time.
void SimNode::ApplySome() {
  if (to_apply_.empty()) return;
  if (is_paused_) return Later(&SimNode::ApplySome);
  const std::size_t count = 1 + world_.random.Next() % to_apply_.size();
  std::vector<CommittedEntry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back(std::move(to_apply_.front()));
    to_apply_.pop_front();
    world_.history.OnCommitted(id_, entries.back().entry);
  }
  const Timestamp before = applier_->time().value_or(kBeginning);
  const Status applied = applier_->Add(entries);
  if (!applied.ok()) world_.history.Violation(applied.message());
  if (applier_->time().value_or(kBeginning) < before) {
    world_.history.Violation("broker time goes back in the log");
  }
  if (applier_->has_unwritten_members() || world_.random.Next() % 3 == 0) Write();
  OnApplied({entries.back().entry.index, entries.back().entry.term});
  if (!to_apply_.empty()) Later(&SimNode::ApplySome);
}

Status SimNode::CatchUp(std::uint64_t life) {
  if (life != life_ || !is_running()) return IsOver();
  Write();
  return {};
}

void SimNode::Write() {
  const Status written = applier_->Write(applier_->Take());
  if (!written.ok()) world_.history.Violation(written.message());
}

void SimNode::OnApplied(const LogPlace& place) {
  node_->OnApplied(place.index);
  if (leading_) leading_->log.OnApplied(place.term, applier_->last());
  Turn();
}

void SimNode::Install(RaftSnapshot /*snapshot*/) {
  if (!Step()) return;
  is_reopening_ = true;
  to_apply_.clear();
  Later(&SimNode::Reopen);
}

// Asked again until the state has flushed so much. Of this life, as a node sends nothing that it
// has made in one before: it may be of before the members that it knew when it began.
std::optional<RaftSnapshot> SimNode::Snapshot(std::uint64_t from) {
  const SimState& state = store_.flushed();
  if (state.position.index < std::max({from, opened_at_, std::uint64_t{1}})) {
    Later(&SimNode::FlushAll);
    return std::nullopt;
  }
  world_.snapshots.push_back(state);
  return RaftSnapshot{state.position.index, state.position.term, state.position.members, {}};
}

// Whoever leads begins with all of the state.
void SimNode::OnLeading(std::uint64_t term) {
  if (!Step()) return;
  Write();
  world_.history.OnLeading(id_, term);
  const RaftCommitLog::Options options{.entry_bytes_max = world_.sizes.entry_max};
  leading_ = std::make_shared<SimLeading>(
      applier_->time().value_or(kBeginning), *this, store_.tables(),
      [this] { Later(&SimNode::Turn); }, options, term, applier_->last());
}

void SimNode::OnLeadingEnded() {
  if (!Step()) return;
  hand_over_to_.reset();
  readable_.reset();
  if (leading_) leading_->log.Close(NotLeading());
}

void SimNode::OnReadable(ReadRound round) {
  if (!Step()) return;
  if (is_behind_sync()) return readable_.emplace(round), void();
  if (leading_) leading_->log.OnReadable(round);
}

}  // namespace wharf
