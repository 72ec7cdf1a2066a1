#include "replication/cluster_node/cluster_node.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/node_message.h"
#include "replication/not_leading.h"
#include "replication/peers/endpoint_text.h"
#include "storage/backup/backup_manifest.h"
#include "storage/base/clock.h"
#include "storage/rocks/state_files.h"

namespace wharf {
namespace {

constexpr Duration kLookPace = std::chrono::milliseconds(250);
// Until a node whose disk is short tries again to leave leading to another one.
constexpr Duration kLeavePace = std::chrono::seconds(10);
// What a state keeps in memory before it is flushed.
const std::uint64_t kStateBytesInMemory = RocksStoreOptions().write_buffer_bytes;
// A learner that lacks no more entries than this becomes a voter.
constexpr std::uint64_t kCaughtUpEntries = 256;
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

Status TooMany() {
  return {ErrorCode::kServiceBusy,
          "too much waits for this node, whose disk may be slow: ask again"};
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

std::vector<Member> PeersIn(const MemberBook& book) {
  std::vector<Member> members;
  for (const MemberRecord& record : book.members) {
    members.push_back({NodeId(record.node), record.name, record.peer_address});
  }
  return members;
}

// The consensus forgets each election timeout whom it has heard; a stream that stands counts, too.
bool IsReached(const MemberProgress& progress, const MemberReport& member) {
  return progress.is_recently_active || (member.peer && member.peer->is_connected);
}

Status NoMember(const std::string& name) {
  return {ErrorCode::kMessagingEntityNotFound, "the cluster has no member '" + name + "'"};
}

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
  applier_.emplace(
      BatchApplier::World{state_, this, world_.index, this, verifier_.get(), world_.archive},
      *std::move(position), *last);
  keeper_ = std::make_unique<LogKeeper>(
      options_.log_bound,
      LogKeeper::World{world_.store, *log_, [this](const Status& why) { OnFailed(why); }});
  peers_.BeNode(identity, book->level);
  const std::string configuration = book->configuration;
  WHARF_RETURN_IF_ERROR(Keep(identity, *std::move(book)));
  RaftThread::Options raft = options_.raft;
  raft.node.core.id = identity.node.value();
  Result<std::unique_ptr<RaftThread>> thread = RaftThread::Start(
      raft, {*library_, *log_, outbox_, *applier_, configuration, *this, *this, *this});
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

// What its log says counts, and is told to nobody meanwhile: neither a vote nor an entry is.
Status ClusterNode::AwaitState(const NodeIdentity& identity) {
  WHARF_RETURN_IF_ERROR(OpenLog(identity));
  const Result<std::string> members = folder_.Members();
  if (!members.ok()) return members.status();
  Result<MemberBook> book = MemberBook::Decode(*members);
  if (!book.ok()) return book.status();
  WHARF_RETURN_IF_ERROR(CheckLevel(*book));
  peers_.BeNode(identity, book->level);
  WHARF_RETURN_IF_ERROR(Keep(identity, *std::move(book)));
  search_.emplace(member_random_.Next());
  needs_from_ = log_->start().index;
  awaits_state_ = true;
  spdlog::warn("{}: {}", identity.ToText(), trouble());
  return {};
}

std::string ClusterNode::trouble() const {
  if (raft_ != nullptr && !verifier_->alarm().empty()) return verifier_->alarm();
  if (!awaits_state_) return room_.trouble();
  return "this node takes the state of another member, and no part until it has it: " + world_.lost;
}

// Some may not be so far, or be without a state themselves.
void ClusterNode::AskForState() {
  if (snapshots_->progress().receiving) return;
  std::vector<NodeId> reached;
  for (const PeerStatus& peer : peers_.statuses()) {
    if (peer.is_connected && peer.member.node.value() != id()) reached.push_back(peer.member.node);
  }
  const std::optional<NodeId> asked = search_->Next(reached, SteadyNow());
  if (!asked) return;
  SendToPeer(asked->value(), Traffic::kSmall, NodeMessageKind::kSnapshotWanted,
             std::to_string(needs_from_));
}

void ClusterNode::TakeWhileAwaiting(RaftId from, NodeMessage said) {
  if (search_->has_ended()) return;
  if (said.kind == NodeMessageKind::kSnapshotWanted) {
    return SendToPeer(from, Traffic::kSmall, NodeMessageKind::kSnapshotNotice,
                      SnapshotNotice{.kind = SnapshotNotice::Kind::kNone}.Encode());
  }
  const bool is_notice = said.kind == NodeMessageKind::kSnapshotNotice;
  if (!is_notice && said.kind != NodeMessageKind::kSnapshotAnswer) return;
  const auto notice = is_notice ? SnapshotNotice::Decode(said.content) : std::nullopt;
  if (notice) search_->Note(notice->kind, SteadyNow());
  snapshots_->OnMessage(from, said.kind, std::move(said.content));
}

// Where the log has that entry it goes on behind it, with all that this node has acknowledged
// since. Else what is in the log is in the state, or came to nothing, and the log begins anew
// there: the next start does the rest, as for any snapshot.
Status ClusterNode::TakeState(const StatePosition& position) {
  const Result<MemberBook> book = MemberBook::Decode(position.members);
  if (!book.ok()) return book.status();
  if (book->Find(id().value_or(0)) == nullptr) {
    return {ErrorCode::kInvalidOperation, "this node is no member as of there"};
  }
  const LogPlace place{position.index, position.term};
  if (place.index < log_->start().index) {
    return {ErrorCode::kInvalidOperation, "the log of this node does not reach back so far"};
  }
  const bool goes_on = place.index <= log_->last_index() && log_->TermOf(place.index) == place.term;
  if (goes_on) {
    WHARF_RETURN_IF_ERROR(state_folder_.Replace(place));
  } else {
    HardState next = log_->hard_state();
    if (next.term < place.term) next = {.term = place.term};
    next.commit = place.index;
    WHARF_RETURN_IF_ERROR(state_folder_.Keep(place));
    // What a log that failed says of itself need not be on its disk: the next start looks there.
    if (const Status begun = log_->BeginAt(place, next); !begun.ok()) {
      search_->End();
      OnFailed(begun);
      return begun;
    }
  }
  search_->End();
  spdlog::info(
      "the state as of entry {} takes the place of the one that is lost: the node opens "
      "anew",
      place.index);
  return {};
}

// Of the log: entry 1 makes this node a voter, the only one.
void ClusterNode::Found(Done done) {
  boost::asio::post(founding_,
                    [this, done = std::move(done)]() mutable { std::move(done)(FoundNow()); });
}

Status ClusterNode::FoundNow() {
  if (is_member()) {
    return {ErrorCode::kInvalidOperation, "this node belongs to a cluster already"};
  }
  const NodeIdentity identity{DrawClusterId(founding_random_), DrawNodeId(founding_random_),
                              options_.name};
  const MemberRecord self{identity.node.value(), options_.name, peer_address(),
                          options_.client_address, options_.format_level_max};
  if (world_.is_single) return FoundWithData(identity, self);
  LogEntry first{.index = 1, .term = 1, .kind = EntryKind::kMember, .data = {}};
  first.data =
      library_->EncodeMemberChange({MemberChange::Kind::kAddVoter, self.node, self.Encode()});
  WHARF_RETURN_IF_ERROR(folder_.Found(identity, first));
  return TakePart(identity);
}

// What there is becomes the state behind the first entry, so that whoever joins needs a snapshot.
Status ClusterNode::FoundWithData(const NodeIdentity& identity, const MemberRecord& self) {
  MemberRecord recorded = self;
  const std::uint64_t level = std::exchange(recorded.raises_level_to, 0);
  const MemberBook book{library_->EncodeMembers({.voters = {self.node}}), {recorded}, level};
  WHARF_RETURN_IF_ERROR(folder_.FoundWithData(identity, book.Encode()));
  {
    MutexLock lock(mutex_);
    identity_ = identity;
  }
  spdlog::info("{} is founded with the data of this broker", identity.ToText());
  world_.reopen();
  return {};
}

// On the strand, which must not wait for the disk.
void ClusterNode::OnInvited(const Invitation& invitation, Answer answer) {
  boost::asio::post(founding_,
                    [this, invitation, answer = std::move(answer)] { answer(Join(invitation)); });
}

// The same again is fine: its answer was lost.
Status ClusterNode::Join(const Invitation& invitation) {
  if (const std::optional<NodeIdentity> own = identity()) {
    if (*own == invitation.identity) return {};
    return {ErrorCode::kInvalidOperation, "this is " + own->ToText() + " already"};
  }
  if (world_.is_single) {
    return {ErrorCode::kInvalidOperation,
            "this broker has data of its own, which would be lost: found the cluster with it, or "
            "invite one that is empty"};
  }
  WHARF_RETURN_IF_ERROR(folder_.Join(invitation));
  return TakePart(invitation.identity);
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

// Of what this node has by its log no files are needed: the consensus says so to who offers.
void ClusterNode::TakeOffer(RaftNode& node, RaftId from, std::string offer) {
  const Result<RaftSnapshot> snapshot = library_->DecodeSnapshot(offer);
  if (!snapshot.ok()) return;
  if (snapshot->index <= node.committed()) {
    node.Receive(from, offer);
  } else {
    snapshots_->OnMessage(from, NodeMessageKind::kSnapshotOffer, std::move(offer));
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
  room_.Look();
  WatchClocks();
  if (is_looking_.exchange(true)) return;
  const bool is_taken = raft->Do([this](RaftNode& node) {
    is_looking_ = false;
    LookAt(node);
  });
  if (!is_taken) is_looking_ = false;
}

void ClusterNode::LookAt(RaftNode& node) {
  leader_ = node.leader();
  const MemberBook known = book();
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
  log_times_.Note(log_->stats().last_index, SteadyNow());
  ProposePostponed(node);
  NoteAddress(node, id().value_or(0), options_.client_address);
  Promote(node, known);
  RaiseLevel(node, known);
  LeaveLeading(node, known);
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

// One at a time; the next look goes on.
void ClusterNode::Promote(RaftNode& node, const MemberBook& book) {
  for (const MemberRecord& member : book.members) {
    const std::optional<MemberProgress> progress = node.ProgressOf(member.node);
    // One that needs a snapshot lacks everything, however few entries there are behind it.
    const bool has_state = progress && progress->match >= log_->start().index;
    const bool is_due = has_state && progress->is_learner && progress->is_recently_active &&
                        progress->match + kCaughtUpEntries >= node.committed();
    if (!is_due) continue;
    spdlog::info("node {} has caught up, and votes", member.name);
    node.ProposeMember({MemberChange::Kind::kAddVoter, member.node, member.Encode()});
    return;
  }
}

// To whoever leads, until the book has it.
void ClusterNode::TellAddress(const MemberBook& book) {
  const std::optional<RaftId> self = id();
  const MemberRecord* const own = self ? book.Find(*self) : nullptr;
  const RaftId leader = leader_;
  if (own == nullptr || leader == 0 || own->client_address == options_.client_address) return;
  peers_.Send(NodeId(leader), Traffic::kSmall,
              EncodeNodeMessage(NodeMessageKind::kClientAddress, options_.client_address));
}

void ClusterNode::NoteAddress(RaftNode& node, RaftId from, const std::string& address) {
  const MemberBook known = book();
  const MemberRecord* const member = known.Find(from);
  const bool is_news = member != nullptr && member->client_address != address;
  if (!is_news || !node.is_leading() || address.size() > kPeerAddressBytesMax) return;
  MemberRecord next = *member;
  next.client_address = address;
  node.ProposeMember({MemberChange::Kind::kUpdate, next.node, next.Encode()});
}

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
  peers_.Invite(std::move(invitation), member.peer_address, [this, member](const Status& taken) {
    if (!taken.ok()) return request_.Fail(member.node, NotInvited(member, taken));
    const bool is_taken = raft_.load()->Do([this, member](RaftNode& node) {
      Propose(node, {MemberChange::Kind::kAddLearner, member.node, member.Encode()});
    });
    if (!is_taken) request_.Fail(member.node, TooMany());
  });
}

// Where a change that nobody asked for is under way, an address or a promotion, it comes next: who
// was invited has written it down already.
void ClusterNode::Propose(RaftNode& node, const MemberChange& change) {
  if (node.ProposeMember(change)) return;
  if (!node.is_leading()) return request_.Fail(change.node, NotLeading());
  postponed_ = change;
}

void ClusterNode::ProposePostponed(RaftNode& node) {
  if (const auto change = std::exchange(postponed_, std::nullopt)) Propose(node, *change);
}

void ClusterNode::Remove(const std::string& name, Done done) {
  AsLeader(std::move(done), [this, name](RaftNode& node, Done done) {
    const MemberBook known = book();
    const MemberRecord* const member = known.FindName(name);
    const Status status = member == nullptr ? NoMember(name) : CheckRemoval(node, known, *member);
    if (!status.ok()) return std::move(done)(status);
    if (!request_.Begin(member->node, done)) return std::move(done)(IsBusy());
    Propose(node, {MemberChange::Kind::kRemove, member->node, {}});
  });
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
    const MemberBook known = book();
    const MemberRecord* const member = known.FindName(name);
    if (member == nullptr) return std::move(done)(NoMember(name));
    if (client_address.size() > kPeerAddressBytesMax) {
      return std::move(done)({ErrorCode::kArgumentError, "the address is too long"});
    }
    MemberRecord next = *member;
    next.client_address = client_address;
    if (next == *member) return std::move(done)({});
    if (!request_.Begin(next.node, done)) return std::move(done)(IsBusy());
    Propose(node, {MemberChange::Kind::kUpdate, next.node, next.Encode()});
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
      return std::move(done)({ErrorCode::kInvalidOperation,
                              "'" + name + "' would give it back: its disk is short of space"});
    }
    HandOverTo(Successors({{.node = to->record.node, .name = name}}));
    std::move(done)({});
  });
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

// Who votes it cannot tell, nor what is committed.
NodeReport ClusterNode::ReportWithoutState() const {
  return {.name = options_.name,
          .identity = identity(),
          .log = log_->stats(),
          .members = MembersIn(book()),
          .snapshots = snapshots_->progress(),
          .refused = peers_.last_refused(),
          .trouble = trouble(),
          .lacks_state = true};
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

Duration ClusterNode::sync_age() const {
  return raft_ == nullptr ? Duration(0) : log_->stats().sync_age;
}

std::uint64_t ClusterNode::syncs() const {
  return raft_ == nullptr ? 0 : log_->stats().sync_latency.count;
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

// One after the other: who does not take it in time is followed by the next, and this node leads on
// only if there is no other.
void ClusterNode::HandOverTo(Successors successors) {
  RaftThread* const raft = raft_;
  if (raft == nullptr) return;
  raft->HandOver([successors = std::move(successors)]() mutable { return successors.Next(); });
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

void ClusterNode::NoteWhoIsThere() {
  std::set<RaftId> there;
  for (const PeerStatus& peer : peers_.statuses()) {
    if (peer.is_connected) there.insert(peer.member.node.value());
  }
  room_.NoteThere(there, SteadyNow());
}

void ClusterNode::TellShort(const MemberBook& book) {
  if (!room_.is_short()) return;
  for (const MemberRecord& member : book.members) {
    if (member.node == id()) continue;
    peers_.Send(NodeId(member.node), Traffic::kSmall,
                EncodeNodeMessage(NodeMessageKind::kShortDisk, {}));
  }
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

std::optional<MemberRecord> ClusterNode::leader() const {
  MutexLock lock(mutex_);
  const MemberRecord* const record = book_.Find(leader_);
  if (record == nullptr) return std::nullopt;
  return *record;
}

void ClusterNode::OnApplying(const BatchNotes& notes) {
  if (world_.listener != nullptr) world_.listener->OnApplying(notes);
}

void ClusterNode::OnApplied(BatchNotes notes) {
  if (notes.time) heard_.NoteEntry(*notes.time);
  if (world_.listener != nullptr) world_.listener->OnApplied(std::move(notes));
}

void ClusterNode::Install(const RaftSnapshot& snapshot) {
  spdlog::info("the log begins at the snapshot as of entry {}: the node opens anew",
               snapshot.index);
  world_.reopen();
}

SnapshotExchange::Options ClusterNode::ExchangeOptions() const {
  return {.sender = {.folder = state_folder_.outgoing()},
          .receiver = {.folder = state_folder_.incoming(),
                       .bytes_per_second = options_.snapshot_bytes_per_second}};
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

// What is damaged here must not become so elsewhere.
Result<SnapshotManifest> ClusterNode::MakeSnapshot(const std::string& folder) {
  WHARF_RETURN_IF_ERROR(Checkpoint(folder));
  WHARF_RETURN_IF_ERROR(world_.store.CheckFiles());
  Result<StatePosition> position = ReadStatePosition(
      {.path = folder, .tables = world_.store.tables(), .position = world_.position});
  if (!position.ok()) return position.status();
  Result<std::vector<StateFile>> files = ReadStateFiles(nullptr, folder);
  if (!files.ok()) return files.status();
  return SnapshotManifest{.position = *std::move(position), .files = *std::move(files)};
}

Status ClusterNode::KeepSnapshot(const StatePosition& position) {
  if (awaits_state_) return TakeState(position);
  return state_folder_.Keep({position.index, position.term});
}

// Of the disk a segment of the log and what the state has in memory must find room, too.
Status ClusterNode::CheckRoom(std::uint64_t bytes) {
  constexpr std::uint64_t kMegabyte = 1 << 20;
  const std::uint64_t needed = bytes + options_.segment_bytes + kStateBytesInMemory;
  const std::uint64_t free = room_.free_bytes();
  if (free >= needed) return {};
  return {ErrorCode::kQuotaExceeded,
          fmt::format("{} MB of it are to come, which takes {} MB of the disk, and {} MB are free",
                      bytes / kMegabyte, needed / kMegabyte, free / kMegabyte)};
}

void ClusterNode::SendToPeer(RaftId to, Traffic traffic, NodeMessageKind kind,
                             std::string content) {
  peers_.Send(NodeId(to), traffic, EncodeNodeMessage(kind, std::move(content)));
}

void ClusterNode::ReportSnapshot(RaftId receiver, bool is_taken) {
  RaftThread* const raft = raft_;
  if (raft == nullptr) return;
  raft->Do([receiver, is_taken](RaftNode& node) { node.OnSnapshotSent(receiver, is_taken); });
}

void ClusterNode::DeliverOffer(RaftId sender, std::string offer) {
  if (awaits_state_) return world_.reopen();
  RaftThread* const raft = raft_;
  if (raft != nullptr) raft->Receive(sender, std::move(offer));
}

Result<std::string> ClusterNode::ConfigurationIn(const std::string& members) {
  Result<MemberBook> book = MemberBook::Decode(members);
  if (!book.ok()) return book.status();
  return std::move(book->configuration);
}

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
  postponed_.reset();
  request_.OnLeadingEnded();
  world_.leaderships.OnLeadingEnded();
}

}  // namespace wharf
