// EntityNumbers: how many messages each entity has, as of the last commit, for those who watch.
//
// The shard stores a few numbers for each lane that a committed turn has touched; whoever looks
// reads them without the shard knowing. The mutex is for what comes and goes: a look takes a few
// entities at a time under it. Changed on the shard's thread, read on any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/changes/change.h"
#include "storage/base/mutex.h"

namespace wharf {

class EntityNumbers {
 public:
  // What is known of an entity. Messages by state are of its main lane, but for the dead letters.
  enum Field : std::uint8_t {
    kAvailable,
    kLocked,
    kDelayed,
    kDeferred,
    kScheduled,
    kQuarantined,
    kDeadLettered,
    kBytes,
    kNumbers,     // Sequence numbers that were given to messages since it was made.
    kAccessedAt,  // Microseconds since the epoch.
    kOldestAt,    // When the lowest available message came, likewise; 0: see NoteOldest.
    kFieldCount,
  };
  struct Row {
    EntityId id;
    std::string path;
    std::array<std::int64_t, kFieldCount> values{};
  };

  void Add(EntityId id, const std::string& path);
  void Remove(EntityId id);
  void Note(const LaneId& lane, const LaneCounters& counters);
  // When the lowest message that is available came, as it is planned: a commit ahead of the others.
  // Absent: none is, or the shard does not know, because it is not in memory or in a session.
  void NoteOldest(EntityId id, std::optional<Timestamp> came);

  // In the order of their paths; those that fit into so many bytes, and how many there are in all.
  struct Look {
    std::vector<Row> rows;
    std::size_t count = 0;
  };
  // The first of them behind that path, and whether there are more.
  struct Page {
    std::vector<Row> rows;
    bool has_more = false;
  };
  Page ReadPage(const std::string& after, std::size_t rows_max) const;
  // A row takes its path and `row_bytes`.
  Look Read(std::size_t bytes_max, std::size_t row_bytes) const;

 private:
  struct Cell {
    EntityId id;
    std::string path;
    std::array<std::atomic<std::int64_t>, kFieldCount> values{};
    // Of the lanes, which count together.
    std::array<std::atomic<std::int64_t>, 2> bytes{};
  };
  using CellPtr = std::shared_ptr<const Cell>;
  using Slice = std::vector<CellPtr>;
  struct IsBefore {
    using is_transparent = void;
    bool operator()(const CellPtr& one, const CellPtr& other) const {
      return one->path < other->path;
    }
    bool operator()(const CellPtr& one, std::string_view path) const { return one->path < path; }
    bool operator()(std::string_view path, const CellPtr& one) const { return path < one->path; }
  };
  // No path is that of two.
  using Cells = std::set<CellPtr, IsBefore>;

  static Row RowOf(const Cell& cell);
  // The next ones behind that path, or all from the first on; false: these were the last.
  bool TakeSome(const std::string& after, std::size_t count_max, Slice& cells) const;

  // Owned by the shard's thread.
  absl::flat_hash_map<EntityId, std::shared_ptr<Cell>> by_id_;
  mutable Mutex mutex_;
  Cells by_path_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
