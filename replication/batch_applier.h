// BatchApplier: makes the state out of committed entries: each whole batch once, in the order of
// the log, with the position in the same write. On a leader as on a follower.
//
// What is handed over at once is one write. The listener hears what the batches note before and
// after, the commit log of the leader how far they are. An entry that cannot be applied is damage:
// no leader proposed it. Passive, on one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replication/entry_assembler.h"
#include "replication/node/applier.h"
#include "replication/replicated_store.h"
#include "storage/applied_index_row.h"
#include "storage/commit_log.h"

namespace wharf {

// What stands in the position beside the core's own words for the members. On the applier's thread.
class MemberKeeper {
 public:
  virtual ~MemberKeeper() = default;
  // Behind this change of members, which leads to this configuration.
  virtual Result<std::string> After(const std::string& before, const LogEntry& change,
                                    const std::string& configuration) = 0;
  // It is in the state.
  virtual void OnMembers(const std::string& members) = 0;
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
  };

  // Goes on behind this position, and this batch.
  BatchApplier(const World& world, StatePosition position, CommitIndex last);

  // An error ends the node: what is behind it in the log must not be applied.
  Status Apply(const std::vector<CommittedEntry>& entries);
  // The end of the last whole batch.
  const StatePosition& position() const { return position_; }
  CommitIndex last() const { return last_; }
  // Broker time of the last entry that had one: the next leader goes on from there.
  std::optional<Timestamp> time() const { return time_; }

 private:
  // Of one call.
  struct Group {
    std::vector<WriteBatch> batches{};
    OrderedWrites writes{};
    std::uint64_t count = 0;  // In the sense of CommitIndex.
    StatePosition position;
    bool has_members = false;
  };

  Status Collect(const CommittedEntry& entry, Group& group);
  Status CollectMembers(const CommittedEntry& entry);
  Status Write(Group& group);

  const World world_;
  EntryAssembler assembler_;
  StatePosition position_;
  // Behind the last entry, which may be a part of what is not whole yet.
  std::string members_;
  CommitIndex last_;
  std::optional<Timestamp> time_;
};

}  // namespace wharf
