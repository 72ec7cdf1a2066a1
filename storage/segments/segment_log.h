// SegmentLog: the entry log on disk, in segments of our own (segment_format.h).
//
// An append goes to the end of the last segment, one sync of one file makes it durable, and a new
// segment is begun when that one is full, or when a start finds its end torn.
// What the state has is cut off by whole segments, whose files the next ones are written to. In
// memory are where each entry stands and its term, and the last
// entries, bounded in bytes; others are read from disk, and checked. Owned by the raft thread and
// used only there, but for stats, which any thread may ask.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/base/latency.h"
#include "storage/base/log_limit.h"
#include "storage/base/random.h"
#include "storage/base/under_way.h"
#include "storage/entry_log.h"
#include "storage/segments/entry_cache.h"
#include "storage/segments/entry_index.h"
#include "storage/segments/segment_folder.h"
#include "storage/segments/segment_list.h"
#include "storage/segments/segment_writer.h"
#include "storage/segments/spare_segments.h"

namespace wharf {

struct SegmentLogOptions {
  std::string path = {};  // A folder of its own.
  LogOwner owner = {};
  std::size_t segment_bytes =
      64 << 20;  // At most 1 GiB; one record more than that, if it is large.
  std::size_t cache_bytes = 16 << 20;
  std::shared_ptr<rocksdb::FileSystem> file_system = nullptr;  // Null: the real one.
};

class SegmentLog final : public EntryLog {
 public:
  struct World {
    Random& random;  // Nobody may guess what it says.
    std::function<Duration()> now = SteadyNow;
  };

  struct Stats {
    std::uint64_t bytes = 0;  // On disk, without those that are spare.
    std::uint64_t segments = 0;
    std::uint64_t spares = 0;       // Kept to be written over.
    std::uint64_t first_index = 0;  // Behind the last one, if there is no entry.
    std::uint64_t last_index = 0;
    // Of syncs; and for how long one is under way already, zero if none is.
    Latency::Snapshot sync_latency{};
    Duration sync_age{};
  };

  // Whether there is a log in the folder, whosoever.
  static Result<bool> Exists(const SegmentLogOptions& options);
  // Makes an empty one, durably, where none is: once in the life of a node. One that is lost is not
  // made anew by a start, or it would vote again.
  static Status Make(const SegmentLogOptions& options, const World& world);
  // One that is there. Refuses it, and changes nothing, if it is not what this node wrote.
  static Result<std::unique_ptr<SegmentLog>> Open(const SegmentLogOptions& options,
                                                  const World& world);

  Status Append(std::span<const LogEntry> entries, const std::optional<HardState>& state) override;
  Status Sync() override;

  const HardState& hard_state() const override { return state_; }
  LogPlace start() const override { return index_.start(); }
  std::uint64_t last_index() const override { return index_.last(); }
  std::uint64_t TermOf(std::uint64_t index) const override { return index_.TermOf(index); }
  Result<std::vector<LogEntry>> Read(std::uint64_t first, std::uint64_t end,
                                     std::size_t bytes_max) const override;

  Status CutUpTo(std::uint64_t index) override;
  Status BeginAt(const LogPlace& place, const HardState& state) override;

  // On disk, of the entries behind this one, and of what stands between them.
  std::uint64_t BytesBehind(std::uint64_t index) const;
  // The least behind which there are no more bytes than these.
  std::uint64_t IndexWithin(std::uint64_t bytes) const;

  Stats stats() const;

 private:
  class DiskEntries;

  struct Counted {
    std::atomic<std::uint64_t> bytes = 0;
    std::atomic<std::uint64_t> segments = 0;
    std::atomic<std::uint64_t> spares = 0;
    std::atomic<std::uint64_t> first_index = 0;
    std::atomic<std::uint64_t> last_index = 0;
  };

  SegmentLog(const SegmentLogOptions& options, const World& world);

  Status Load();
  // Keeps the error: the log is of no use any more.
  Status Keep(Status status);
  Status AppendAll(std::span<const LogEntry> entries, const std::optional<HardState>& state);
  Status AppendEntry(const LogEntry& entry);
  Status AppendState(const HardState& state);
  Result<std::uint32_t> AddRecord(const SegmentRecord& record);
  Status BeginNext();
  // Behind all that was written so far, or as the beginning of all.
  Status BeginSegment(bool begins);
  Status SyncTimed();
  Status CutSegments(const SegmentList::Cut& cut);
  Status BeginAnew();
  Status RemoveAll(const std::vector<std::uint64_t>& numbers);
  void Count();

  const SegmentLogOptions options_;
  const World world_;
  SegmentFolder folder_;
  SpareSegments spares_;

  SegmentList segments_;
  EntryIndex index_;
  EntryCache cache_;
  HardState state_;
  std::unique_ptr<SegmentWriter> writer_;
  // The last entry that was synced, and still stands.
  std::uint64_t synced_ = 0;
  Status failed_;

  Counted counted_;
  UnderWay sync_;
  Latency sync_latency_;
};

}  // namespace wharf
