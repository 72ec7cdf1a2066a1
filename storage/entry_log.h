// EntryLog: what a node of a replicated broker has promised: the entries of the log in their order,
// and its term and vote. The seam between the consensus and the disk.
//
// The state of the node (its RocksStore) is what the committed entries made of it, up to some
// index; the log goes on from there. An entry has its index; the first follows `start()`, which is
// {0, 0} or where a snapshot ends. Nothing is promised to anybody before Sync returned.
//
// Owned by the raft thread and used only there. After an error it is of no use any more, and
// nothing is tried again: a failed fsync may have lost pages that a second one would call clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "storage/base/shared_bytes.h"
#include "storage/base/status.h"

namespace wharf {

// What an entry is to the consensus; numbers are on disk and on the wire.
enum class EntryKind : std::uint8_t {
  kBatch = 0,   // Its data is for the state; empty: the first entry of a leader.
  kMember = 1,  // Its data is a change of membership in the words of the raft core.
};

struct LogEntry {
  std::uint64_t index = 0;  // From 1, without gaps.
  std::uint64_t term = 0;
  EntryKind kind = EntryKind::kBatch;
  SharedBytes data{};
};

// In the words of the Raft dissertation; what must not be forgotten between two messages.
struct HardState {
  std::uint64_t term = 0;
  std::uint64_t vote = 0;  // For whom in this term; 0: nobody yet.
  // Behind the truth after a crash: it need not be synced.
  std::uint64_t commit = 0;

  friend bool operator==(const HardState&, const HardState&) = default;
};

// The place of the last entry that is not in the log because a snapshot holds what it did.
struct LogPlace {
  std::uint64_t index = 0;
  std::uint64_t term = 0;

  friend bool operator==(const LogPlace&, const LogPlace&) = default;
};

class EntryLog {
 public:
  virtual ~EntryLog() = default;

  // Writes entries, the first of which has an index of at most one behind the last: what stands
  // from there on is cut off first. And the hard state, if there is one. Both may be lost until
  // Sync.
  virtual Status Append(std::span<const LogEntry> entries,
                        const std::optional<HardState>& state) = 0;
  virtual Status Sync() = 0;

  virtual const HardState& hard_state() const = 0;
  virtual LogPlace start() const = 0;
  // That of start() if there is no entry.
  virtual std::uint64_t last_index() const = 0;
  // From start().index to last_index().
  virtual std::uint64_t TermOf(std::uint64_t index) const = 0;
  // From `first` up to but not `end`, both in the log; at least one, and as many as have together
  // at most so many bytes of data.
  virtual Result<std::vector<LogEntry>> Read(std::uint64_t first, std::uint64_t end,
                                             std::size_t bytes_max) const = 0;

  // The state has what entries up to this one did, on disk, and they are synced: they may go, in as
  // large pieces as the log goes in.
  virtual Status CutUpTo(std::uint64_t index) = 0;
  // A snapshot took the place of everything: the log is empty and begins behind it. Durable when it
  // returns, together with the hard state.
  virtual Status BeginAt(const LogPlace& place, const HardState& state) = 0;
};

}  // namespace wharf
