// RaftCore: the consensus of one node, as a state machine without a thread, a clock, a disk or a
// network.
//
// What happened goes in (Step, Tick, Propose), what is to be done comes out (TakeReady), and when
// it is done Advance says so. It decides who leads and what is committed, and nothing else; whoever
// drives it (node/raft_node.h) keeps its promises: what it said must be on disk before it is told
// to anybody. One thread, or one after another.
//
// Payloads do not cross the border to Go: the core compares index and term, and knows the rest by a
// number (held_payloads.h). When it cannot go on, because its log contradicts what it was told
// before, it logs one sentence and ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replication/core/held_payloads.h"
#include "replication/core/raft_library.h"
#include "storage/entry_log.h"

namespace wharf {

// How a message wants to travel.
enum class MessageClass : std::uint8_t {
  kSmall = 0,     // Votes, heartbeats, answers: never behind what is large.
  kAppend = 1,    // Carries entries.
  kSnapshot = 2,  // Says that the receiver needs a snapshot; its files travel beside it.
};

enum class RaftRole : std::uint8_t {
  kFollower = 0,
  kCandidate = 1,
  kLeader = 2,
  kPreCandidate = 3,
};

struct RaftMessage {
  RaftId to = 0;
  MessageClass travels = MessageClass::kSmall;
  std::string bytes{};
};

// A look that was asked for with this context may be answered when so much is applied.
struct Readable {
  std::uint64_t index = 0;
  std::string context{};
};

// What is to be done, in the order of raft_node.h.
struct RaftReady {
  RaftId leader = 0;
  RaftRole role = RaftRole::kFollower;
  std::optional<HardState> hard_state{};
  bool must_sync = false;
  std::optional<RaftSnapshot> snapshot{};
  std::vector<LogEntry> entries{};
  // Up to here everything is committed, once the entries are in the log; 0: nothing new is.
  std::uint64_t committed = 0;
  // The changes of members among what is committed.
  std::vector<LogEntry> member_changes{};
  std::vector<RaftMessage> messages{};
  std::vector<Readable> readable{};
};

struct RaftStatus {
  HardState hard_state{};
  RaftId leader = 0;
  // To whom leadership is being handed over; 0: to nobody.
  RaftId transferee = 0;
  RaftRole role = RaftRole::kFollower;
};

// How far a member is, as the leader knows it.
struct MemberProgress {
  std::uint64_t match = 0;
  std::uint64_t next = 0;
  bool is_learner = false;
  bool is_recently_active = false;
  bool awaits_snapshot = false;
};

// What there is to send to a member whose entries are gone from the log. Asked again and again
// until there is one; asked on the thread of the core.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  // As of entry `from` or a later one, never of index 0: the members have not changed since, and
  // the log goes on from there.
  virtual std::optional<RaftSnapshot> Snapshot(std::uint64_t from) = 0;
};

class RaftCore {
 public:
  struct Options {
    RaftId id = 0;
    int election_ticks = 10;
    int heartbeat_ticks = 1;
    // Of payload: in one message, and in what one Ready commits. All messages on their way to who
    // lags fit into its queue (peers/peer_limits.h), or more is read than sent.
    std::size_t message_bytes_max = std::size_t{64} << 10;
    std::size_t ready_bytes_max = std::size_t{4} << 20;
    int inflight_messages_max = 56;
  };

  // Up to where the state has what the entries did, and the members as of there.
  struct Start {
    std::uint64_t applied = 0;
    std::string members{};
    // That of the log, with a commit index of at least `applied`.
    HardState hard_state{};
  };

  // All that is pointed to outlives it.
  RaftCore(const RaftLibrary& library, const Options& options, const Start& start,
           const EntryLog& log, SnapshotSource& snapshots);
  ~RaftCore();
  RaftCore(const RaftCore&) = delete;
  RaftCore& operator=(const RaftCore&) = delete;

  void Tick();
  // False: it was nothing that this member may send us, and is forgotten.
  bool Step(RaftId from, const SharedBytes& message);
  // False: it is dropped, because this node does not lead, or is about to lead no more.
  bool Propose(SharedBytes data);
  // The same. A change that is refused for another one that is not applied yet is committed as an
  // empty entry.
  bool ProposeMember(const MemberChange& change);
  // What an entry of the kind kMember says, once it is committed; the members as they are then.
  Result<std::string> ApplyMember(const LogEntry& entry);

  bool HasReady() const;
  RaftReady TakeReady();
  void Advance();

  void Campaign();
  void TransferLeader(RaftId to);
  // A context is used once.
  void ReadIndex(std::string_view context);
  void ReportUnreachable(RaftId node);
  void ReportSnapshot(RaftId node, bool is_installed);

  RaftStatus status() const;
  // None: it is no member.
  std::optional<MemberProgress> ProgressOf(RaftId node) const;

 private:
  class Host;
  class Sink;

  wharf_raft_host HostCalls();

  const RaftLibrary::Calls& calls_;
  const RaftId id_;
  const EntryLog& log_;
  SnapshotSource& snapshots_;
  HeldPayloads held_;
  // What the core was given last, until it asks again.
  std::vector<LogEntry> read_;
  std::vector<wharf_raft_entry> read_heads_;
  RaftSnapshot snapshot_;
  // Of the last change of members: a snapshot from before would not name who needs it.
  std::uint64_t members_index_ = 0;
  const std::uintptr_t core_;
};

}  // namespace wharf
