#include "replication/cluster_node/cluster_node.h"

#include <algorithm>
#include <set>
#include <utility>

#include <spdlog/spdlog.h>

#include "replication/node_message.h"
#include "replication/peers/endpoint_text.h"
#include "storage/backup/backup_manifest.h"
#include "storage/base/clock.h"

namespace wharf {
namespace {

constexpr Duration kLookPace = std::chrono::milliseconds(250);

}  // namespace

Result<std::unique_ptr<ClusterNode>> ClusterNode::Open(Options options, const World& world) {
  WHARF_RETURN_IF_ERROR(CheckNodeName(options.name));
  Result<std::unique_ptr<RaftLibrary>> library = RaftLibrary::Open(options.library);
  if (!library.ok()) return library.status();
  std::unique_ptr<ClusterNode> node(
      new ClusterNode(std::move(options), world, *std::move(library)));
  WHARF_RETURN_IF_ERROR(node->Begin());
  return node;
}

ClusterNode::ClusterNode(Options options, const World& world, std::unique_ptr<RaftLibrary> library)
    : options_(std::move(options)),
      world_(world),
      library_(std::move(library)),
      folder_(options_.data, log_random_, options_.segment_bytes),
      state_folder_(options_.data),
      state_(world.store, world.position, world.format),
      caught_up_(world.store, [this] { return WriteAll(); }),
      room_(options_.free_bytes_to_lead, world.disk),
      work_(boost::asio::make_work_guard(io_)),
      io_thread_([this] { io_.run(); }),
      peers_(io_.get_executor(), options_.name, options_.format_level_max, options_.security,
             options_.limits, world.wall, peer_random_, *this),
      outbox_(
          peers_, [this](RaftId to) { ReportUnreachable(to); },
          [this](RaftId to) { snapshots_->OnOffered(to); }) {}

// Peers first: nobody calls the raft thread any more then. What it still sends goes nowhere.
ClusterNode::~ClusterNode() {
  looks_.reset();
  peers_.Stop();
  founding_.join();
  if (snapshots_) snapshots_->Stop();
  if (verifier_) verifier_->Stop();
  raft_ = nullptr;
  raft_thread_.reset();
  request_.OnLeadingEnded();
  work_.reset();
  io_.stop();
  io_thread_.join();
}

Status ClusterNode::Begin() {
  const Result<std::optional<NodeIdentity>> identity = folder_.Identity(options_.name);
  if (!identity.ok()) return identity.status();
  const Result<std::uint16_t> port = peers_.Listen(options_.listen);
  if (!port.ok()) return port.status();
  port_ = *port;
  if (*identity) {
    WHARF_RETURN_IF_ERROR(world_.lost.empty() ? TakePart(**identity) : AwaitState(**identity));
  }
  looks_ = std::make_unique<Ticker>(kLookPace, [this] { Look(); });
  return {};
}

std::string ClusterNode::peer_address() const {
  if (!options_.peer_address.empty()) return options_.peer_address;
  return ToText(boost::asio::ip::tcp::endpoint(options_.listen.address(), port_));
}

Status ClusterNode::TakePart(const NodeIdentity& identity) {
  const Result<CommitIndex> last = world_.index.Read(world_.store);
  if (!last.ok()) return last.status();
  Result<StatePosition> position = world_.position.Read(world_.store);
  if (!position.ok()) return position.status();
  Result<MemberBook> book = MemberBook::Decode(position->members);
  if (!book.ok()) return book.status();
  WHARF_RETURN_IF_ERROR(CheckLevel(*book));
  WHARF_RETURN_IF_ERROR(OpenLog(identity));
  MakeVerifier(identity);
  if (world_.archive != nullptr) {
    const BackupManifest mine{
        .is_of_node = true, .cluster_id = identity.cluster.ToText(), .node_name = identity.name};
    world_.archive->Begin(mine.archive_owner(), *log_, *position, *last);
  }
  const std::uint64_t opened_at = position->index;
  applier_.emplace(
      BatchApplier::World{state_, this, world_.index, this, verifier_.get(), world_.archive},
      *std::move(position), *last);
  keeper_ = std::make_unique<LogKeeper>(
      options_.log_bound,
      LogKeeper::World{world_.store, *log_, [this](const Status& why) { OnFailed(why); }});
  peers_.BeNode(identity, book->level);
  replay_.emplace(options_.log_bound, *log_, *keeper_, *applier_, opened_at);
  const std::string configuration = book->configuration;
  WHARF_RETURN_IF_ERROR(Keep(identity, *std::move(book)));
  RaftThread::Options raft = options_.raft;
  raft.node.core.id = identity.node.value();
  Result<std::unique_ptr<RaftThread>> thread = RaftThread::Start(
      raft, {*library_, *log_, outbox_, *applier_, configuration, *this, *this, *this,
             [this](RaftId leader) { NoteLeader(leader); }, [this] { return replay_->IsFull(); }});
  if (!thread.ok()) return thread.status();
  raft_thread_ = *std::move(thread);
  raft_ = raft_thread_.get();
  if (const Status tidied = state_folder_.ForgetLost(); !tidied.ok()) {
    spdlog::warn("{}", tidied.message());
  }
  spdlog::info("{} takes part", identity.ToText());
  return {};
}

Status ClusterNode::OpenLog(const NodeIdentity& identity) {
  Result<std::unique_ptr<SegmentLog>> log = folder_.OpenLog(identity);
  if (!log.ok()) return log.status();
  log_ = *std::move(log);
  snapshots_ = std::make_unique<SnapshotExchange>(ExchangeOptions(), *library_, snapshot_random_,
                                                  static_cast<SnapshotExchange::Node&>(*this));
  return {};
}

// A newcomer knows those who invited it until its state says more, also after a restart.
Status ClusterNode::Keep(const NodeIdentity& identity, MemberBook book) {
  std::vector<Member> peers = PeersIn(book);
  if (!peers.empty()) KeepMembers(book);
  if (peers.empty()) {
    Result<std::vector<Member>> inviters = folder_.Inviters();
    if (!inviters.ok()) return inviters.status();
    peers = *std::move(inviters);
  }
  MutexLock lock(mutex_);
  identity_ = identity;
  book_ = std::move(book);
  peers_.SetMembers(peers);
  return {};
}

// For when the state is lost: those who vote. A learner may have nothing yet, and a node whose
// state nobody else has must not give it up.
void ClusterNode::KeepMembers(MemberBook book) const {
  const Result<Members> members = library_->DecodeMembers(book.configuration);
  if (!members.ok()) return spdlog::warn("{}", members.status().message());
  const auto votes = [&](const MemberRecord& member) {
    return std::count(members->voters.begin(), members->voters.end(), member.node) > 0;
  };
  std::erase_if(book.members, [&](const MemberRecord& member) { return !votes(member); });
  const Status kept = folder_.KeepMembers(book.Encode());
  if (!kept.ok()) spdlog::warn("{}", kept.message());
}

std::string ClusterNode::trouble() const {
  if (raft_ != nullptr && !verifier_->alarm().empty()) return verifier_->alarm();
  if (!awaits_state_) return room_.trouble();
  return "this node takes the state of another member, and no part until it has it: " + world_.lost;
}

void ClusterNode::OnMessage(NodeId from, Traffic /*traffic*/, std::string message) {
  RaftThread* const raft = raft_;
  std::optional<NodeMessage> said = DecodeNodeMessage(std::move(message));
  if (said && awaits_state_) return TakeWhileAwaiting(from.value(), *std::move(said));
  if (raft == nullptr || !said) return;
  switch (said->kind) {
    case NodeMessageKind::kConsensus:
      raft->Receive(from.value(), std::move(said->content));
      return;
    case NodeMessageKind::kClientAddress:
      raft->Do([this, from, address = std::move(said->content)](RaftNode& node) {
        NoteAddress(node, from.value(), address);
      });
      return;
    case NodeMessageKind::kBrokerTime:
      TakeTime(from.value(), said->content);
      return;
    case NodeMessageKind::kShortDisk:
      room_.NoteShort(from.value(), SteadyNow());
      return;
    case NodeMessageKind::kSnapshotOffer:
      raft->Do([this, from, offer = std::move(said->content)](RaftNode& node) mutable {
        TakeOffer(node, from.value(), std::move(offer));
      });
      return;
    case NodeMessageKind::kSnapshotAsk:
    case NodeMessageKind::kSnapshotAnswer:
    case NodeMessageKind::kSnapshotWanted:
      snapshots_->OnMessage(from.value(), said->kind, std::move(said->content));
      return;
    case NodeMessageKind::kStateCheckAnswer:
    case NodeMessageKind::kStateVerdict:
      verifier_->OnMessage(from.value(), said->kind, said->content);
      return;
    // It has a state, and has asked for none.
    case NodeMessageKind::kSnapshotNotice:
      return;
  }
}

bool ClusterNode::Relay(RelayedClient client, Descriptor& connection, Relays::Undone undone) {
  const RaftId leader = leader_;
  if (raft_ == nullptr || leader == 0 || leader == id().value_or(0)) return false;
  peers_.Relay(NodeId(leader), std::move(client), std::move(connection), std::move(undone));
  return true;
}

Status ClusterNode::OnRelayed(const RelayedClient& client, Descriptor connection) {
  if (world_.relayed) return world_.relayed(client, std::move(connection));
  return {ErrorCode::kInvalidOperation, "this node serves nobody that others bring"};
}

std::uint64_t ClusterNode::MembersKnownUpTo() {
  RaftThread* const raft = raft_;
  return raft == nullptr ? 0 : raft->applied();
}

void ClusterNode::ReportUnreachable(RaftId to) {
  RaftThread* const raft = raft_;
  if (raft != nullptr) raft->Do([to](RaftNode& node) { node.OnUnreachable(to); });
}

// A raft thread that hangs at its disk is asked once.
void ClusterNode::Look() {
  if (awaits_state_) return AskForState();
  RaftThread* const raft = raft_;
  if (raft == nullptr) return;
  raft->Watch();
  room_.Look(disk_age(), SteadyNow());
  WatchClocks();
  if (is_looking_.exchange(true)) return;
  const bool is_taken = raft->Do([this](RaftNode& node) {
    is_looking_ = false;
    LookAt(node);
  });
  if (!is_taken) is_looking_ = false;
}

void ClusterNode::LookAt(RaftNode& node) {
  const MemberBook known = book();
  static_cast<void>(replay_->IsFull());  // It may be over, though nobody asks for room.
  const std::uint64_t end = keeper_->Look(KnownToAll(node, known));
  // A member that takes a snapshot needs what is behind it.
  const Status kept = node.CutLogUpTo(std::min(end, snapshots_->pinned().value_or(end)));
  if (!kept.ok()) return OnFailed(kept);
  TellShort(known);
  NoteWhoIsThere();
  verifier_->Look(TurnOf(node), [this] { return MembersToCompare(); });
  TellTime(known);
  if (!node.is_leading()) {
    log_times_.Clear();
    return TellAddress(known);
  }
  // A look at a hanging disk may have meant the log of a leadership before.
  NoteLeader(node.leader());
  log_times_.Note(log_->stats().last_index, SteadyNow());
  ProposePostponed(node);
  NoteAddress(node, id().value_or(0), options_.client_address);
  Promote(node, known);
  RaiseLevel(node, known);
  LeaveLeading(node, known);
}

// A follower does not know, and may lead next: it keeps what the bound lets it.
std::uint64_t ClusterNode::KnownToAll(const RaftNode& node, const MemberBook& book) const {
  if (!node.is_leading()) return 0;
  std::uint64_t known = node.committed();
  for (const MemberRecord& member : book.members) {
    const std::optional<MemberProgress> progress = node.ProgressOf(member.node);
    if (progress) known = std::min(known, progress->match);
  }
  return known;
}

void ClusterNode::Report(std::function<void(Result<NodeReport>)> done) {
  RaftThread* const raft = raft_;
  if (awaits_state_) return done(ReportWithoutState());
  if (raft == nullptr) {
    NodeReport report;
    report.name = options_.name;
    report.refused = peers_.last_refused();
    return done(std::move(report));
  }
  if (!raft->Do([this, done](RaftNode& node) { done(ReportOf(node)); })) done(TooMany());
}

Status ClusterNode::TooMany() {
  return {ErrorCode::kServiceBusy,
          "too much waits for this node, whose disk may be slow: ask again"};
}

NodeReport ClusterNode::ReportOf(const RaftNode& node) const {
  NodeReport report{.name = options_.name,
                    .leader = node.leader(),
                    .term = node.term(),
                    .committed = node.committed(),
                    .applied = node.applied(),
                    .log = log_->stats(),
                    .snapshots = snapshots_->progress(),
                    .refused = peers_.last_refused(),
                    .trouble = trouble()};
  const MemberBook known = book();
  report.identity = identity();
  report.format_level = known.level;
  report.format_level_max = options_.format_level_max;
  report.members = MembersIn(known);
  const Result<Members> configuration = library_->DecodeMembers(known.configuration);
  for (MemberReport& member : report.members) {
    const RaftId each = member.record.node;
    if (configuration.ok()) {
      const auto& voters = configuration->voters;
      member.is_voter = std::find(voters.begin(), voters.end(), each) != voters.end();
    }
    if (node.is_leading()) member.progress = node.ProgressOf(each);
    if (!member.progress) continue;
    member.bytes_behind = log_->BytesBehind(member.progress->match);
    member.behind_for = log_times_.BehindFor(member.progress->match, SteadyNow());
  }
  return report;
}

std::vector<MemberReport> ClusterNode::MembersIn(const MemberBook& book) const {
  std::vector<MemberReport> members;
  const std::vector<PeerStatus> peers = peers_.statuses();
  for (const MemberRecord& record : book.members) {
    MemberReport member{.record = record};
    member.is_short_of_disk =
        record.node == id() ? room_.is_short() : room_.IsShort(record.node, SteadyNow());
    const auto peer = std::find_if(peers.begin(), peers.end(), [&record](const PeerStatus& each) {
      return each.member.node.value() == record.node;
    });
    if (peer != peers.end()) member.peer = *peer;
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<Member> ClusterNode::PeersIn(const MemberBook& book) {
  std::vector<Member> members;
  for (const MemberRecord& record : book.members) {
    members.push_back({NodeId(record.node), record.name, record.peer_address});
  }
  return members;
}

std::optional<NodeIdentity> ClusterNode::identity() const {
  MutexLock lock(mutex_);
  return identity_;
}

ClusterId ClusterNode::cluster() const {
  MutexLock lock(mutex_);
  return identity_ ? identity_->cluster : ClusterId();
}

bool ClusterNode::is_hanging() const {
  const RaftThread* const raft = raft_;
  return raft != nullptr && raft->is_hanging();
}

Duration ClusterNode::disk_age() const {
  const RaftThread* const raft = raft_;
  if (raft == nullptr) return {};
  return std::max({log_->stats().sync_age, raft->write_age(), replay_->full_for()});
}

std::uint64_t ClusterNode::syncs() const {
  return raft_ == nullptr ? 0 : log_->stats().sync_latency.count;
}

void ClusterNode::NoteWhoIsThere() {
  std::set<RaftId> there;
  for (const PeerStatus& peer : peers_.statuses()) {
    if (peer.is_connected) there.insert(peer.member.node.value());
  }
  room_.NoteThere(there, SteadyNow());
}

std::optional<RaftId> ClusterNode::id() const {
  MutexLock lock(mutex_);
  if (!identity_) return std::nullopt;
  return identity_->node.value();
}

MemberBook ClusterNode::book() const {
  MutexLock lock(mutex_);
  return book_;
}

void ClusterNode::OnApplying(const BatchNotes& notes) {
  if (world_.listener != nullptr) world_.listener->OnApplying(notes);
}

void ClusterNode::OnApplied(BatchNotes notes) {
  if (notes.time) heard_.NoteEntry(*notes.time);
  if (world_.listener != nullptr) world_.listener->OnApplied(std::move(notes));
}

Status ClusterNode::WriteAll() {
  RaftThread* const raft = raft_;
  const Status written = raft != nullptr ? raft->WriteAll() : Status();
  return written.ok() ? Status() : ClosedBy(written, Outcome::kNotDone);
}

// What this node has told as applied is in it.
Status ClusterNode::Checkpoint(const std::string& folder) {
  WHARF_RETURN_IF_ERROR(WriteAll());
  return world_.store.Checkpoint(folder);
}

}  // namespace wharf
