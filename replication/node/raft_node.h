// RaftNode: one node of a cluster: consensus, log, messages and what is committed, in the order
// that makes a promise of each.
//
//   a Ready of the core:
//     1 appends of a leader whose term and vote stay   sent; they travel while we sync
//     2 snapshot, entries, hard state                  in the log, synced if they must be
//     3 changes of members that are committed          told to the core
//     4 all other messages: votes, answers             sent
//     5 what is committed                              to the applier, as fast as it applies
//     6 Advance                                        the next one
//
// So nobody hears of a vote or an entry before it is on disk here, and what is applied is on disk
// here and at a majority. Without a thread or a clock of its own: a RaftThread drives it, or a test
// that has many. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replication/core/raft_core.h"
#include "replication/node/applier.h"
#include "replication/node/outbox.h"
#include "replication/node/read_rounds.h"
#include "storage/entry_log.h"
#include "storage/state_position.h"

namespace wharf {

class RaftNode {
 public:
  struct Options {
    RaftCore::Options core{};
    // Of proposals that are not applied yet: more of them buy latency, not throughput.
    std::size_t proposed_bytes_max = std::size_t{4} << 20;
    // Of entries that the applier has; a follower is not overrun by its leader.
    std::size_t applying_bytes_max = std::size_t{8} << 20;
  };

  // On the node's thread, inside of Run.
  class Observer {
   public:
    virtual ~Observer() = default;
    // This node leads, and its state has everything that was committed before it did.
    virtual void OnLeading(std::uint64_t term) = 0;
    // It does not any more. What was proposed may be committed all the same.
    virtual void OnLeadingEnded() = 0;
    // Looks that asked for this round or one before it are true.
    virtual void OnReadable(ReadRound round) = 0;
  };

  // What is pointed to outlives the node.
  struct World {
    const RaftLibrary& library;
    EntryLog& log;
    Outbox& outbox;
    Applier& applier;
    SnapshotSource& snapshots;
    Observer& observer;
    // Whether so much waits in the log for the state's disk that no batch may come; entries without
    // data and changes of members may. Empty: never.
    std::function<bool()> is_log_full{};
  };

  // Goes on from where log and state are. Refused with one sentence if the two do not fit together.
  // Ticks begin when Run has returned once.
  static Result<std::unique_ptr<RaftNode>> Open(const Options& options, const World& world,
                                                const StatePosition& state);

  // What has happened. Nothing is done about it before Run.
  // False: it was no message that this member may send us. Batches for which the log is too full
  // are lost, as on any network.
  bool Receive(RaftId from, const SharedBytes& message);
  void Tick() {
    ++ticks_;
    core_.Tick();
  }
  // By the applier: up to here.
  void OnApplied(std::uint64_t index);
  // Messages to the member are lost.
  void OnUnreachable(RaftId node) { core_.ReportUnreachable(node); }
  // In every case, else the member waits for ever.
  void OnSnapshotSent(RaftId node, bool is_installed) { core_.ReportSnapshot(node, is_installed); }

  // How many bytes may be proposed now; none if this node does not lead, or its log is full.
  std::size_t room() const;
  // For a leader; at most room(), at least one. False: it was not appended, and never will be.
  bool Propose(SharedBytes data);
  // One at a time, by a leader that hands nothing over; false: not now. Of who votes only when no
  // other voter is behind the change before (VoterBehindMembers). Committed as an empty entry if
  // the core has another one open: the proposer looks for its context.
  bool ProposeMember(const MemberChange& change);
  // For a leader: a voter, but not `spared`, that it has heard within an election timeout and whose
  // log lacks the last change of the members, or where this leader began: it may still vote as
  // before that.
  std::optional<RaftId> VoterBehindMembers(RaftId spared) const;
  // For a leader: the round which confirms what is true now (Observer::OnReadable).
  ReadRound RequestRead();
  // For a leader that cannot go on serving as it did: ends, and begins anew, in the same term, when
  // everything that it proposed is applied.
  void PauseLeading();
  // Asks to lead, at once.
  void Campaign() { core_.Campaign(); }
  // Hands leadership over to a voter, if it can within an election timeout; nothing is proposed
  // meanwhile. False: not while members change, or by who does not lead.
  bool TransferLeader(RaftId to);
  // The state has, on disk, what the entries up to here did.
  Status CutLogUpTo(std::uint64_t index);

  // Does what is to be done. An error is the log's, and this node's end.
  Status Run();

  // Between OnLeading and OnLeadingEnded.
  bool is_leading() const { return leading_.has_value(); }
  std::uint64_t term() const { return hard_state_.term; }
  RaftId leader() const { return leader_; }
  std::uint64_t committed() const { return committed_; }
  std::uint64_t applied() const { return applied_; }
  RaftStatus status() const { return core_.status(); }
  std::optional<MemberProgress> ProgressOf(RaftId node) const { return core_.ProgressOf(node); }

 private:
  // Something on its way, by the index of its entry; 0: not known yet.
  struct OnItsWay {
    std::uint64_t index = 0;
    std::size_t bytes = 0;
  };

  RaftNode(const Options& options, const World& world, const RaftCore::Start& start);

  Status Handle(RaftReady ready);
  // Those that need not wait for our disk.
  void SendEarly(RaftReady& ready);
  Status Store(RaftReady& ready);
  Status ApplyMembers(std::vector<LogEntry> changes);
  Status NoteVoters(const std::string& members);
  void Send(std::vector<RaftMessage> messages);
  void NoteRole(const RaftReady& ready);
  // Finds our own proposals among what is new in the log.
  void NoteAppended(const std::vector<LogEntry>& entries);
  Status HandOver();
  void UpdateLeading();
  void EndLeading();
  void TellReadable();
  bool may_lead() const;
  bool is_log_full() const { return world_.is_log_full && world_.is_log_full(); }

  const Options options_;
  const World world_;
  RaftCore core_;

  HardState hard_state_;
  RaftRole role_ = RaftRole::kFollower;
  RaftId leader_ = 0;
  // The empty entry with which this node's leadership of its term begins.
  std::optional<LogPlace> first_of_term_;
  // The term of OnLeading.
  std::optional<std::uint64_t> leading_;
  bool is_pausing_ = false;

  std::uint64_t committed_;
  std::uint64_t handed_over_;
  std::uint64_t applied_;
  // Behind the changes that are not handed over yet.
  std::map<std::uint64_t, std::string> members_;
  std::deque<OnItsWay> applying_;
  std::size_t applying_bytes_ = 0;

  std::deque<OnItsWay> proposed_;
  std::size_t proposed_bytes_ = 0;
  // Of the last change of members that this leader proposed or found in its log.
  bool is_member_proposed_ = false;
  std::uint64_t member_change_ = 0;
  // As the core knows them; and in which tick one was heard last. The core itself forgets that each
  // election timeout.
  std::vector<RaftId> voters_;
  std::map<RaftId, std::uint64_t> heard_;
  std::uint64_t ticks_ = 0;

  ReadRounds rounds_;
};

}  // namespace wharf
