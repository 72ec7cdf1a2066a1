// BatchApplier: makes the state out of committed entries: each whole batch once, in the order of
// the log, with the position in the same write. On a single node as on a leader or a follower.
//
// What is added is durable in the log already, so it is written late: several groups as one write,
// in which what was put and deleted again does not appear (ordered_writes.h). The listener hears
// what the batches note before and after, the commit log of the leader how far they are. An entry
// that cannot be applied is damage: no leader proposed it. Passive; one thread adds, and one may
// write meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/applied_index_row.h"
#include "storage/apply/committed_entry.h"
#include "storage/apply/entry_assembler.h"
#include "storage/apply/replicated_store.h"
#include "storage/base/time.h"
#include "storage/commit_log.h"

namespace wharf {

// What stands in the position beside the core's own words for the members.
class MemberKeeper {
 public:
  virtual ~MemberKeeper() = default;
  // Behind this change of members, which leads to this configuration. On the node's thread.
  virtual Result<std::string> After(const std::string& before, const LogEntry& change,
                                    const std::string& configuration) = 0;
  // It is in the state. On the applier's.
  virtual void OnMembers(const std::string& members) = 0;
};

// Hears of entries that ask what the state is (entry.h).
class CheckListener {
 public:
  virtual ~CheckListener() = default;
  // The state is as of this entry, of this broker time, and nothing behind it is written before
  // this returns. On the thread that writes.
  virtual void OnCheck(std::string_view check, Timestamp time, std::uint64_t index) = 0;
};

// Hears of the batches themselves, in the order of the log, when they are durable there and before
// they are in the state; also of those that it has heard of before a start. One thread adds, and
// must not wait for anything here.
class BatchListener {
 public:
  virtual ~BatchListener() = default;
  // So many, of which `last` is the last, one behind another.
  virtual void OnBatches(CommitIndex last, std::uint32_t batches, std::string_view bytes) = 0;
};

class BatchApplier {
 public:
  // Who hears of it; null: nobody. What is pointed to outlives the applier.
  struct World {
    ReplicatedStore& store;
    CommitLog::ApplyListener* listener = nullptr;
    AppliedIndexRow row{};
    // Null: the members in the position are the configuration, and nothing else.
    MemberKeeper* members = nullptr;
    CheckListener* checks = nullptr;
    BatchListener* batches = nullptr;
  };

  // Goes on behind this position, and this batch.
  BatchApplier(const World& world, StatePosition position, CommitIndex last);

  struct Check {
    std::string payload{};
    Timestamp time{};
    std::uint64_t index = 0;
  };
  struct MovesOnly {
    MovesOnly() = default;
    MovesOnly(MovesOnly&&) = default;
    MovesOnly& operator=(MovesOnly&&) = default;
  };
  // What becomes visible as one. Moves only: the writes of a copy would look at the bytes of the
  // one that it was copied from, as a container that copies when it grows made them do.
  struct Group {
    [[no_unique_address]] MovesOnly moves_only{};
    // What is written before it, each up to a check.
    std::list<Group> before{};
    std::optional<Check> check{};
    // The writes look at their bytes, which must not move.
    std::deque<WriteBatch> batches{};
    OrderedWrites writes{};
    std::size_t bytes = 0;
    bool has_members = false;
    // Also by entries that do nothing: where a state is decides to whom it is of use.
    bool moves_position = false;
    // Behind it.
    StatePosition position{};
    CommitIndex last{};
  };

  // Reads and checks entries, and adds what they do to the group. An error ends the node: what is
  // behind it in the log must not be applied.
  Status Add(const std::vector<CommittedEntry>& entries);
  // The same of batches that whoever adds has read and checked, because it wrote the entries that
  // they are in; the last of these is at this place.
  Status AddWhole(std::vector<WriteBatch> batches, const LogPlace& place);
  // Of batches. A change of members is not to wait: others look for it.
  std::size_t unwritten_bytes() const { return group_.bytes; }
  std::size_t unwritten_ranges() const { return group_.writes.ranges(); }
  bool has_unwritten_members() const { return group_.has_members; }
  // The group as it is; the next one is begun.
  Group Take();
  // Groups in their order. May run while others are added.
  Status Write(Group group) const;

  // The end of the last whole batch that was added.
  const StatePosition& position() const { return position_; }
  // Its entry, for any thread: what is behind it no flush brings to the disk.
  std::uint64_t whole() const { return whole_; }
  // The last entry that was, of which the end may be outstanding.
  const LogPlace& added() const { return added_; }
  CommitIndex last() const { return last_; }
  // Broker time of the last entry that had one: the next leader goes on from there.
  std::optional<Timestamp> time() const { return time_; }

 private:
  Status AddOne(const CommittedEntry& entry);
  Status AddBatches(WholeBatches whole);
  // The batch, or several that an entry has as one, of which this is the last.
  Status AddBatch(WriteBatch batch, CommitIndex last, std::uint32_t batches);
  void MoveTo(const LogPlace& place);
  Status AddMembers(const CommittedEntry& entry);
  // The group ends here, and the next one is written behind the check.
  void AddCheck(Check check);
  Group EndGroup();
  Status WriteOne(Group& group) const;
  Status WriteRows(Group& group) const;

  const World world_;
  EntryAssembler assembler_;
  Group group_;
  StatePosition position_;
  std::atomic<std::uint64_t> whole_;
  LogPlace added_;
  // Behind the last entry, which may be a part of what is not whole yet.
  std::string members_;
  CommitIndex last_;
  std::optional<Timestamp> time_;
};

}  // namespace wharf
