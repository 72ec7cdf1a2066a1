// RocksStore: the store on disk, in RocksDB; a table is a column family.
//
// Opened by main.cc and by tests. Any thread may read; writes come from one commit log. Opening
// recovers from a crash: the write-ahead log is read strictly, so only a torn end of it is cut off
// (wal_check.h) and everything else that cannot be read is refused. RocksDB's words stay in this
// room.
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

#include "storage/log/ordered_writes.h"
#include "storage/state_position.h"
#include "storage/store.h"
#include "storage/store_space.h"
#include "storage/table.h"
#include "storage/view_ledger.h"
#include "storage/write_batch.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

struct RocksStoreOptions {
  std::string path = {};  // The folder; made if it is missing.
  TableSet tables = {};   // More than the disk has: they are made. Fewer: unknown_tables.h.
  std::size_t write_buffer_bytes = 64 << 20;
  std::size_t block_cache_bytes = 64 << 20;
  std::size_t wal_bytes_max = 128 << 20;
  std::shared_ptr<rocksdb::FileSystem> file_system = nullptr;  // Null: the real one.
  // The disk is nearly full: the start writes only what it must. What the log holds stays in memory
  // until there is room to flush it, for which there may be more of it than usual, and no
  // compaction begins before LimitCompactions says how large it may be.
  bool spares_disk = false;
  std::size_t file_bytes_max = 64 << 20;  // Of one file of a table.
  // How far RocksDB's clock is ahead, for tests of what it does by age. Null: not at all.
  const std::atomic<std::int64_t>* seconds_ahead = nullptr;
  bool may_sleep = true;  // RocksDB sleeps a second after a failed flush; a test may not want to.
  // Hears on RocksDB's thread of a flush or compaction that cannot write, once, before RocksDB goes
  // on with it. A daemon does not let it go on: README.md. Empty: nobody hears of it until the
  // log's next write fails.
  std::function<void(const Status&)> on_background_failure = nullptr;
  // Hears of bytes that are not those that were written, whoever met them, a reader or a
  // compaction, before that one does anything; on its thread, and more than once. Empty: nobody
  // does, and each reader deals with it by itself.
  std::function<void(const Status&)> on_damage = nullptr;
  // Where views stand while they are open; outlives the store. Null: nowhere.
  ViewLedger* views = nullptr;
  // A state whose commits are in a log of entries: it has no write-ahead log, a crash leaves what
  // was flushed last, of all tables together, and here it says what that is. None: the store of a
  // broker of a single node as it was before it had such a log. A folder is of one kind, and
  // refused as another.
  std::optional<StatePositionRow> position = std::nullopt;
  // The state is that of a single node, and not of one of a cluster.
  bool is_single = false;
};

class RocksStore final : public Store, public StoreSpace {
 public:
  enum class Sync : bool { kNo, kYes };

  // An error is damage (Status::is_damage) if what is there is not what was written.
  static Result<std::unique_ptr<RocksStore>> Open(const RocksStoreOptions& options);

  // Whether the folder is that of a single node of either kind, and has a store. Changes nothing.
  static bool IsOfSingleNode(const RocksStoreOptions& options);
  // Makes the folder of a single node, in which nothing is open, and whose log the state has to its
  // end, one of the kind of these options: of the first node of a cluster, or of a single node that
  // has its log beside its state. Nothing is copied, and these rows are put beside the position.
  // Until it has returned the folder is of the kind that it was; one that is of the other already
  // stays as it is.
  static Status Convert(const RocksStoreOptions& options, const StatePosition& position,
                        const WriteBatch& rows = {});

  // Closes without flushing; what was committed is in the log. Views and cursors are gone by then.
  ~RocksStore() override;

  std::unique_ptr<StoreView> View() const override;

  Use use() const override;
  std::uint64_t LimitCompactions(std::uint64_t bytes) override;
  Status Flush() override;
  Status CompactDead() override;
  Result<Step> ReturnSpace(bool is_quiet) override;
  // So many rows of these ranges were deleted that their space is worth giving back. Cheap; any
  // thread.
  void NoteFreed(const std::vector<TableRange>& ranges);

  // What the rows of these ranges take of the files of sorted tables, about, by blocks: without
  // what is in memory and without large values. Reads indexes, perhaps from the disk; any thread.
  std::uint64_t TableBytes(const std::vector<TableRange>& ranges) const;

  // What a compaction could not read since the start: tables of these files are not compacted until
  // the next one (damaged_files.h).
  std::vector<std::string> damaged_files() const;

  // What a batch may name; WriteBatch::Visit asks.
  const TableSet& tables() const;
  // Its folder.
  const std::string& path() const;

  // Writes them as one, all or nothing, and returns when they are durable, if that is asked for; of
  // a state without a log that is a flush. For the commit log only, one call at a time, with what
  // WriteBatch::Visit let pass. After an error nothing more can be written.
  Status Write(OrderedWrites& writes, Sync sync);
  // The same with batches. One that cannot be applied is refused, and nothing is written.
  Status Write(std::span<const WriteBatch> batches, Sync sync);

  // Of a state without a write-ahead log: up to where a crash now would find it, so that the log of
  // entries may go up to there. Any thread.
  Result<StatePosition> FlushedPosition() const;
  // On any thread: flushes, and makes a folder with all that is there then, for another node or for
  // a backup: files are links, so that it takes space only for what is compacted later. The folder
  // must not be there. What is written meanwhile is in it as a whole or not at all: of a state
  // FlushedPosition of a store that is opened there tells. That of a single node has copies of the
  // end of its log, and its name, which that log is read by.
  Status Checkpoint(const std::string& folder);

  // Reads the files of all tables, and compares them with their checksums: damage if one is not
  // what was written. Takes as long as that does; any thread.
  Status CheckFiles() const;

  // Flushes and compacts every table completely; an error if that or anything in the background
  // failed.
  Status CompactAll();
  // The same of some rows, and what lies in the same files.
  Status Compact(const TableRange& rows);

  // Breaks off CompactDead, and begins nothing that gives back space from now on: the broker stops.
  void StopGivingBack();
  // Flushes every table, so that the next start has no log to read, and breaks off all else that
  // works in the background, here or on the thread that gives back space. Nothing may be written
  // afterwards, and nothing but CloseCleanly comes next.
  Status EndWork();

  // Ends all work, if that was not done, and closes. Nobody uses the store any more.
  Status CloseCleanly();

 private:
  struct Impl;

  explicit RocksStore(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace wharf
