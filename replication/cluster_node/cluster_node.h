// ClusterNode: this machine's node of a cluster: its log, its state, the thread that decides with
// the others, and the streams to them.
//
// A node whose folder belongs to no cluster waits: it lets nobody in but who invites it, and may be
// founded. Once it belongs to one it takes part until it is destroyed. Whoever leads adds a node as
// a learner, and makes it a voter when it has caught up; a node tells the leader where its clients
// find it. Whoever lacks more than the log has left is sent a snapshot; when one has come, or a
// cluster is founded on a broker that has data, the node must be opened anew (World::reopen).
//
// One whose state is lost takes no part: it asks the other members, one after the other, for a
// snapshot, and is opened anew when one has come. Its log and its vote stay as they are.
//
//   peers (strand) ---> raft thread ---> apply thread ---> state
//        ^                  |                 |
//        +----- outbox -----+                 +---> members, broker time
//        +-- SnapshotExchange: files          LogKeeper: flushes and cuts
//
// Made and destroyed on one thread; the other functions on any.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "absl/base/thread_annotations.h"
#include "replication/cluster_node/heard_time.h"
#include "replication/cluster_node/leading_room.h"
#include "replication/cluster_node/log_times.h"
#include "replication/cluster_node/member_book.h"
#include "replication/cluster_node/member_clocks.h"
#include "replication/cluster_node/member_request.h"
#include "replication/cluster_node/node_folder.h"
#include "replication/cluster_node/node_report.h"
#include "replication/cluster_node/peer_outbox.h"
#include "replication/cluster_node/replay_room.h"
#include "replication/cluster_node/rocks_replica_store.h"
#include "replication/cluster_node/state_folder.h"
#include "replication/cluster_node/state_format.h"
#include "replication/cluster_node/state_report.h"
#include "replication/cluster_node/state_search.h"
#include "replication/cluster_node/successors.h"
#include "replication/node_message.h"
#include "replication/peers/peers.h"
#include "replication/raft_thread.h"
#include "replication/snapshots/snapshot_exchange.h"
#include "replication/verify/state_verifier.h"
#include "storage/apply/caught_up_store.h"
#include "storage/apply/log_keeper.h"
#include "storage/archive/batch_archive.h"
#include "storage/base/clock.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/random.h"
#include "storage/base/ticker.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

class ClusterNode final : private Peers::Observer,
                          private CommitLog::ApplyListener,
                          private MemberKeeper,
                          private SnapshotSource,
                          private SnapshotInstaller,
                          private SnapshotExchange::Node,
                          private RaftThread::Leaderships {
 public:
  struct Options {
    std::string data;  // The folder.
    std::string name;
    boost::asio::ip::tcp::endpoint listen;
    // What others are told of it; empty: where it listens.
    std::string peer_address{};
    std::string client_address;
    std::string library;  // The file of the raft core.
    PeerSecurity security;
    // Those of `security`, for whoever looks whether their files have changed; null: there are
    // none.
    std::shared_ptr<PeerCertificates> certificates{};
    PeerLimits limits{};
    RaftThread::Options raft{};
    LogBound log_bound{};
    // With less of its disk free it leads only where no other node has as much.
    std::uint64_t free_bytes_to_lead = 0;
    std::size_t segment_bytes = SegmentLogOptions().segment_bytes;
    // Of a snapshot that comes to this node.
    std::uint64_t snapshot_bytes_per_second = SnapshotReceiver::Options().bytes_per_second;
    StateVerifier::Options verify{};
    // Up to which level of the format the node reads, and lets the cluster be raised.
    std::uint64_t format_level_max = kFormatLevelMax;
  };

  // What is pointed to outlives the node.
  struct World {
    RocksStore& store;
    AppliedIndexRow index;
    StatePositionRow position;
    // Hears of what is applied; null: nobody does.
    CommitLog::ApplyListener* listener;
    Clock& wall;
    RaftThread::Leaderships& leaderships;
    // The store is that of a broker of a single node: this node founds its cluster with what is
    // there, and is invited by nobody.
    bool is_single = false;
    // The folder is to be settled and all of it opened anew: what is in it has changed. Once, on
    // any thread.
    std::function<void()> reopen{};
    // How the disk of the folder is now; any thread. Null: it has room.
    std::function<DiskReport()> disk{};
    // Why the state of this node, which belongs to a cluster, is lost, in a sentence: the store
    // only stands in for it. Empty: it is there.
    std::string lost{};
    // What compactions of the store drop, for who compares states. Empty: nothing.
    MakeLeftOutRows left_out{};
    // What the state says of its format. Empty: nothing.
    FormatRows format{};
    // A client that another node brings here, because this one leads; `Peers::Observer` says more.
    // Empty: nobody is served here that way.
    std::function<Status(const RelayedClient&, Descriptor)> relayed{};
    // Keeps what is committed; null: nobody does.
    BatchArchive* archive = nullptr;
  };

  // Takes part at once if the folder belongs to a cluster.
  static Result<std::unique_ptr<ClusterNode>> Open(Options options, const World& world);
  // A leadership that goes on is told of its end.
  ~ClusterNode() override;

  using Done = MemberRequest::Done;
  // Makes a cluster of this node, which waits.
  void Found(Done done);
  // Of a leader; done when it is applied. The node at this address waits for it under this name.
  void Add(const std::string& name, const std::string& peer_address, Done done);
  void Remove(const std::string& name, Done done);
  void SetAddress(const std::string& name, const std::string& client_address, Done done);
  // Hands leadership over; done when that is begun.
  void Transfer(const std::string& name, Done done);
  // Of a leader: begins to compare the states of all members, if that is not under way; and how far
  // it is, or how it ended. (state_verification.cc)
  enum class Comparing : bool { kLook, kBegin };
  void CompareStates(Comparing what, std::function<void(Result<StateReport>)> done);
  // `done` is called on the node's thread, or at once if there is none, or too much waits for it.
  void Report(std::function<void(Result<NodeReport>)> done);

  // Brings a client of this node to who leads. False: as far as this node knows nobody else does,
  // and the connection is left alone. If it could not be brought there, `undone` gets it back, on
  // the strand of the peers.
  bool Relay(RelayedClient client, Descriptor& connection, Relays::Undone undone);
  // Hands leadership over to the best of the voters (Successors), or the next if that one does not
  // take it; false: this node has none, or nobody to give it to, as far as it knows.
  bool HandOver();

  // Makes the folder with the state of this node as it is, for a backup; takes seconds. Any thread.
  Status Checkpoint(const std::string& folder);

  // What clients of a leadership read: what they heard of is in it.
  const Store& store() const { return caught_up_; }
  // Where it listens; that of the options, if there it is not 0.
  std::uint16_t port() const { return port_; }
  // Whether it belongs to a cluster, and to which; zero: to none.
  bool is_member() const { return !cluster().is_zero(); }
  ClusterId cluster() const;
  // It does; or it belongs to a cluster, and takes part when its folder has been opened anew.
  bool takes_part() const { return raft_ != nullptr; }
  // What keeps it from leading, or from taking part, in a sentence; empty: nothing.
  std::string trouble() const;
  // Its state is lost, and that of another member has not come yet.
  bool lacks_state() const { return awaits_state_; }
  // Who leads, as far as this node knows.
  std::optional<MemberRecord> leader() const;
  // From now on called when another node leads than before, as far as this one knows, or nobody;
  // not for the beginning and the end of its own leading. On the node's thread, which must not
  // wait. None: never any more, also not just now.
  void WatchLeader(std::function<void()> watch);
  // Broker time of whoever leads or led, carried on; nothing if nobody has said any.
  std::optional<Timestamp> heard_time() const { return heard_.At(SteadyNow()); }
  // What the cluster writes (format_level.h): whatever this node proposes comes behind the entry
  // that raised it. It never falls.
  std::uint64_t format_level() const;
  // By how much the wall clock in the middle of the members' is ahead of this node's own.
  Duration median_clock_offset() const;
  // It has not answered for longer than others wait for it.
  bool is_hanging() const;
  // For how long the disk has been at something that commits wait for, by CommitLog::Stats; how
  // often the log was synced.
  Duration disk_age() const;
  std::uint64_t syncs() const;

 private:
  using LeaderWork = absl::AnyInvocable<void(RaftNode& node, Done done) &&>;

  ClusterNode(Options options, const World& world, std::unique_ptr<RaftLibrary> library);

  Status Begin();
  // The folder is this node's by now.
  Status TakePart(const NodeIdentity& identity);
  Status Keep(const NodeIdentity& identity, MemberBook book);
  void KeepMembers(MemberBook book) const;
  // What it needs to send snapshots and to take them.
  Status OpenLog(const NodeIdentity& identity);

  // --- founding.cc, on the thread for what waits for the disk ---
  Status FoundNow();
  Status FoundWithData(const NodeIdentity& identity, const MemberRecord& self);
  Status Join(const Invitation& invitation);

  // --- lost_state.cc: of a node whose state is lost ---
  Status AwaitState(const NodeIdentity& identity);
  // On the thread of the looks.
  void AskForState();
  void TakeWhileAwaiting(RaftId from, NodeMessage said);
  // On the thread of the snapshots, when all files are here.
  Status TakeState(const StatePosition& position);
  NodeReport ReportWithoutState() const;

  // --- member_changes.cc, on the node's thread ---
  void Promote(RaftNode& node, const MemberBook& book);
  void TellWaiting(const MemberRecord& learner, const MemberRecord* behind);
  void TellAddress(const MemberBook& book);
  void NoteAddress(RaftNode& node, RaftId from, const std::string& address);
  void Invite(const MemberRecord& member);
  // What a change is as things are when it is proposed; nothing: all is as it was asked to be.
  using MakeChange = std::function<Result<std::optional<MemberChange>>(const RaftNode& node,
                                                                       const MemberBook& book)>;
  struct PostponedChange {
    RaftId node;
    MakeChange make;
    Duration until;
  };
  void Propose(RaftNode& node, PostponedChange change);
  void ProposePostponed(RaftNode& node);
  Result<std::optional<MemberChange>> MakeRemoval(const RaftNode& node, const MemberBook& book,
                                                  const std::string& name) const;
  Status CheckNew(const std::string& name, const std::string& peer_address) const;
  Status CheckRemoval(const RaftNode& node, const MemberBook& book,
                      const MemberRecord& member) const;
  // Within an election timeout, over streams that stand.
  bool IsHeard(const MemberReport& member) const;
  // Any thread.
  void AsLeader(Done done, LeaderWork work);

  // --- leading.cc, on the node's thread ---
  // A learner that lacks no more entries than this becomes a voter, and may be handed leadership.
  static constexpr std::uint64_t kCaughtUpEntries = 256;
  void NoteLeader(RaftId leader);
  // So that they go on from it, if one of them leads next.
  void TellTime(const MemberBook& book);
  // To all others, for as long as this node's disk is.
  void TellShort(const MemberBook& book);
  void LeaveLeading(const RaftNode& node, const MemberBook& book);
  static bool IsReached(const MemberProgress& progress, const MemberReport& member);
  bool CanLead(const RaftNode& node, const MemberReport& member) const;
  Successors SuccessorsIn(const RaftNode& node, const MemberBook& book) const;
  void HandOverTo(Successors successors);
  // On the strand of the peers.
  void TakeTime(RaftId from, const std::string& said);

  // --- on the node's thread ---
  void LookAt(RaftNode& node);
  void NoteWhoIsThere();
  // What all members have, as far as this node knows.
  std::uint64_t KnownToAll(const RaftNode& node, const MemberBook& book) const;
  NodeReport ReportOf(const RaftNode& node) const;
  // What this node can tell of each member, but for what the consensus knows.
  std::vector<MemberReport> MembersIn(const MemberBook& book) const;
  static std::vector<Member> PeersIn(const MemberBook& book);
  static Status TooMany();

  // --- state_verification.cc: of states that are compared ---
  void MakeVerifier(const NodeIdentity& identity);
  StateVerifier::Turn TurnOf(RaftNode& node) const;
  bool ProposeCheck(RaftNode& node, const std::string& check) const;
  std::vector<StateComparison::Member> MembersToCompare() const;
  void StepVerifier();
  void GiveStateUp(const std::string& why);

  // --- member_facts.cc: what the members can read, and what their clocks say ---
  Status CheckLevel(const MemberBook& book) const;
  void RaiseLevel(RaftNode& node, const MemberBook& book);
  void WatchClocks();

  std::string peer_address() const;
  void Look();
  void ReportUnreachable(RaftId to);
  // On any thread: what was completed is in the store then.
  Status WriteAll();
  std::optional<NodeIdentity> identity() const;
  std::optional<RaftId> id() const;
  MemberBook book() const;

  // --- Peers::Observer, on the strand ---
  void OnMessage(NodeId from, Traffic traffic, std::string message) override;
  void OnUnreachable(NodeId node) override { ReportUnreachable(node.value()); }
  void OnInvited(const Invitation& invitation, Answer answer) override;
  Status OnRelayed(const RelayedClient& client, Descriptor connection) override;
  std::uint64_t MembersKnownUpTo() override;
  NodeId Leader() override { return NodeId(leader_.load()); }

  // --- on the node's thread; those below on the applier's ---
  Result<std::string> After(const std::string& before, const LogEntry& change,
                            const std::string& configuration) override;
  void OnMembers(const std::string& members) override;
  void OnApplying(const BatchNotes& notes) override;
  void OnApplied(BatchNotes notes) override;
  void Install(const RaftSnapshot& snapshot) override;

  // --- on the node's thread ---
  std::optional<RaftSnapshot> Snapshot(std::uint64_t from) override {
    return snapshots_->Offer(from);
  }
  std::shared_ptr<RaftCommitLog> OnLeading(std::uint64_t term, CommitIndex last,
                                           std::function<void()> wake) override;
  void OnLeadingEnded() override;
  // --- node_snapshots.cc, on the thread of the snapshots ---
  SnapshotExchange::Options ExchangeOptions() const;
  Result<SnapshotManifest> MakeSnapshot(const std::string& folder) override;
  Status KeepSnapshot(const StatePosition& position) override;
  Status CheckRoom(std::uint64_t bytes) override;
  void SendToPeer(RaftId to, Traffic traffic, NodeMessageKind kind, std::string content) override;
  void ReportSnapshot(RaftId receiver, bool is_taken) override;
  void DeliverOffer(RaftId sender, std::string offer) override;
  Result<std::string> ConfigurationIn(const std::string& members) override;
  // On the node's thread.
  void TakeOffer(RaftNode& node, RaftId from, std::string offer);

  // On the thread of the looks.
  void OnHanging(const RaftCommitLog& log) override;
  // On any.
  void OnFailed(const Status& status) override { world_.leaderships.OnFailed(status); }

  // In the order of their making; they go down in the opposite one.
  const Options options_;
  const World world_;
  // Each used on one thread: of the log, of the peers, of the founding, of the node, of snapshots.
  SystemRandom log_random_;
  SystemRandom peer_random_;
  SystemRandom founding_random_;
  SystemRandom member_random_;
  SystemRandom snapshot_random_;
  const std::unique_ptr<RaftLibrary> library_;
  const NodeFolder folder_;
  const StateFolder state_folder_;
  RocksReplicaStore state_;
  CaughtUpStore caught_up_;
  HeardTime heard_;
  LeadingRoom room_;
  MemberRequest request_;
  LogTimes log_times_;   // Of the node's thread.
  MemberClocks clocks_;  // Of the thread of the looks.
  std::atomic<RaftId> leader_ = 0;
  Mutex leader_watch_mutex_;
  std::function<void()> leader_watch_ ABSL_GUARDED_BY(leader_watch_mutex_);
  std::atomic<bool> is_looking_ = false;
  std::atomic<bool> awaits_state_ = false;
  // Of a node that awaits its state, and from which entry on its log needs one.
  std::optional<StateSearch> search_;
  std::uint64_t needs_from_ = 0;
  Duration leaves_next_{};  // Of the node's thread.
  // Of the node's thread; null: this node does not lead.
  std::shared_ptr<RaftCommitLog> leading_;
  // Of the node's thread: the change that somebody waits for, when it could not be proposed yet.
  std::optional<PostponedChange> postponed_;
  LogLimit waits_to_promote_{std::chrono::seconds(60)};
  std::uint16_t port_ = 0;

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread io_thread_;
  boost::asio::thread_pool founding_{1};
  Peers peers_;
  PeerOutbox outbox_;

  mutable Mutex mutex_;
  std::optional<NodeIdentity> identity_ ABSL_GUARDED_BY(mutex_);
  MemberBook book_ ABSL_GUARDED_BY(mutex_);

  // Made when the node takes part, before `raft_` says that they are there.
  std::unique_ptr<SegmentLog> log_;
  std::unique_ptr<StateVerifier> verifier_;
  std::optional<BatchApplier> applier_;
  std::unique_ptr<SnapshotExchange> snapshots_;
  std::unique_ptr<LogKeeper> keeper_;
  std::optional<ReplayRoom> replay_;
  std::unique_ptr<RaftThread> raft_thread_;
  std::atomic<RaftThread*> raft_ = nullptr;
  std::unique_ptr<Ticker> looks_;
};

}  // namespace wharf
