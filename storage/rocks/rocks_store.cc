#include "storage/rocks/rocks_store.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include "storage/log/manifest_tail.h"
#include "storage/log/wal_gate.h"
#include "storage/rocks/background_errors.h"
#include "storage/rocks/damaged_files.h"
#include "storage/rocks/hand_compaction.h"
#include "storage/rocks/low_compactions.h"
#include "storage/rocks/rocks_env.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_options.h"
#include "storage/rocks/rocks_space.h"
#include "storage/rocks/rocks_status.h"
#include "storage/rocks/rocks_view.h"
#include "storage/rocks/running_compactions.h"
#include "storage/rocks/space_returner.h"
#include "storage/rocks/unknown_tables.h"

namespace wharf {
namespace {

constexpr char kGivingBack[] = "cannot give back space in ";

BackgroundErrors::Tell TellerOf(const RocksStoreOptions& options) {
  if (!options.on_background_failure) return nullptr;
  return [path = options.path, tell = options.on_background_failure](const rocksdb::Status& error) {
    tell(FromRocks(error, "cannot write to " + path + " in the background"));
  };
}

FolderKind KindFor(const RocksStoreOptions& options) {
  if (!options.position) return FolderKind::kOwnLog;
  return options.is_single ? FolderKind::kSingle : FolderKind::kNode;
}

std::shared_ptr<rocksdb::FileSystem> FileSystemOf(const RocksStoreOptions& options) {
  return options.file_system ? options.file_system : rocksdb::FileSystem::Default();
}

// Copies our writes into RocksDB's batch; the name of the group goes in front, for a write-ahead
// log if there is one.
class Merger final : public WriteBatch::Visitor {
 public:
  Merger(std::span<rocksdb::ColumnFamilyHandle* const> tables, const TableSet& options,
         const std::string& group_name, std::size_t bytes)
      : tables_(tables), options_(options), merged_(bytes) {
    if (!group_name.empty()) Note(merged_.PutLogData(group_name));
  }

  void Put(TableId table, std::string_view key, std::string_view value) override {
    Note(merged_.Put(tables_[table], ToSlice(key), ToSlice(value)));
  }
  void Delete(TableId table, std::string_view key) override {
    Note(merged_.Delete(tables_[table], ToSlice(key)));
  }
  void SingleDelete(TableId table, std::string_view key) override {
    Note(merged_.SingleDelete(tables_[table], ToSlice(key)));
  }
  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override {
    const TableOptions& options = options_[table];
    cuts_neighbours_ |= options.is_deleted_singly && options.neighbours_prefix > 0;
    Note(merged_.DeleteRange(tables_[table], ToSlice(begin), ToSlice(end)));
  }
  void NoteTime(Timestamp /*time*/) override {}
  void NoteFreed(TableId /*table*/, std::string_view, std::string_view) override {}

  rocksdb::WriteBatch& merged() { return merged_; }
  bool cuts_neighbours() const { return cuts_neighbours_; }
  // What could not be copied, if anything.
  const rocksdb::Status& status() const { return status_; }

 private:
  void Note(const rocksdb::Status& status) {
    if (status_.ok()) status_ = status;
  }

  const std::span<rocksdb::ColumnFamilyHandle* const> tables_;
  const TableSet& options_;
  rocksdb::WriteBatch merged_;
  bool cuts_neighbours_ = false;
  rocksdb::Status status_;
};

// A log that is empty is in no checkpoint, and a start would take its store for one that has lost
// it. So it gets one that is older than all others, which RocksDB passes over and removes.
Status BeLikeSingle(rocksdb::FileSystem& file_system, const std::string& path,
                    const std::string& checkpoint) {
  const Result<bool> lacks_log = IsWithoutLog(file_system, checkpoint);
  if (!lacks_log.ok()) return lacks_log.status();
  if (*lacks_log) {
    const std::string log = checkpoint + "/000001.log";
    WHARF_RETURN_IF_ERROR(
        FromRocks(rocksdb::WriteStringToFile(&file_system, "", log, /*should_sync=*/true),
                  "cannot make " + log));
  }
  return CopyIdentity(file_system, path, checkpoint);
}

// For a write RocksDB has a kind, a table and two lengths beside its texts.
std::size_t EstimateMerged(const OrderedWrites& writes) {
  constexpr std::size_t kHeadBytes = 64;
  constexpr std::size_t kBytesBeside = 12;
  return kHeadBytes + writes.bytes() + kBytesBeside * writes.count();
}

}  // namespace

struct RocksStore::Impl {
  // Constant after construction.
  std::string path;
  TableSet table_options;
  ViewLedger* views = nullptr;
  std::function<void(const Status&)> on_damage;
  std::optional<StatePositionRow> position;
  FolderKind kind = FolderKind::kOwnLog;
  std::shared_ptr<rocksdb::FileSystem> file_system;
  std::unique_ptr<rocksdb::Env> env;  // Of the file system; threads and clock are the real ones.
  std::shared_ptr<BackgroundErrors> background_errors;
  std::shared_ptr<DamagedFiles> damaged_files;
  std::shared_ptr<RunningCompactions> running_compactions;
  std::shared_ptr<rocksdb::SstFileManager> file_manager;
  std::unique_ptr<RocksSpace> space;
  NeighbourHints hints;
  // Counted by compactions, which may outlive what is here.
  const std::shared_ptr<DroppedRows> dropped_rows = std::make_shared<DroppedRows>(0);
  // Asked only while opening, but RocksDB writes its name down whenever an option changes.
  std::unique_ptr<WalGate> wal_gate;
  // What each group begins with. Known when the store is open.
  std::string group_name;

  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;  // RocksDB's own, then our tables.
  std::unique_ptr<SpaceReturner> returner;
  bool has_ended_work = false;

  Status failed;  // Of the first write that failed. Owned by the commit log's thread.

  ~Impl() { Close(); }

  std::span<rocksdb::ColumnFamilyHandle* const> tables() const {
    return std::span(families).subspan(1);
  }

  HandCompaction compaction() const {
    return position ? HandCompaction::kFilesOnly : HandCompaction::kFlushes;
  }

  Status Open(const RocksStoreOptions& options);
  Status OpenRocks(const RocksStoreOptions& options, bool may_repair);
  Status GuardLog(rocksdb::DBOptions& db_options);
  Status RefuseLostLog(const rocksdb::DBOptions& db_options) const;
  Status OpenWithUnknown(const rocksdb::DBOptions& db_options,
                         std::vector<rocksdb::ColumnFamilyDescriptor> tables,
                         const rocksdb::Status& refused);
  Status WriteMerged(OrderedWrites& writes, Sync sync);
  rocksdb::Status FlushAll();
  // Null: from the first row on, or to the last.
  rocksdb::Status Compact(TableId table, const rocksdb::Slice* begin, const rocksdb::Slice* end);
  rocksdb::Status EndWork();
  rocksdb::Status Close();
};

Status RocksStore::Impl::Open(const RocksStoreOptions& options) {
  path = options.path;
  table_options = options.tables;
  views = options.views;
  on_damage = options.on_damage;
  position = options.position;
  kind = KindFor(options);
  file_system = FileSystemOf(options);
  env = MakeEnv(file_system, options.may_sleep, options.seconds_ahead);
  background_errors = std::make_shared<BackgroundErrors>(TellerOf(options), !position);
  damaged_files = std::make_shared<DamagedFiles>(on_damage);
  file_manager.reset(rocksdb::NewSstFileManager(env.get()));
  running_compactions = std::make_shared<RunningCompactions>();
  space =
      std::make_unique<RocksSpace>(file_manager, damaged_files, running_compactions, compaction());
  if (options.spares_disk) space->LimitCompactions(0);
  WHARF_RETURN_IF_ERROR(PrepareFolder(*file_system, path));
  WHARF_RETURN_IF_ERROR(BeOfKind(*file_system, path, kind));
  WHARF_RETURN_IF_ERROR(OpenRocks(options, /*may_repair=*/true));
  WHARF_RETURN_IF_ERROR(FromRocks(db->GetDbIdentity(group_name), "cannot name " + path));
  space->Attach(*db, table_options, tables());
  damaged_files->Attach(*db, tables());
  returner = std::make_unique<SpaceReturner>(
      StoreTables{*db, table_options, tables(), *damaged_files}, *space);
  return {};
}

Status RocksStore::Impl::OpenRocks(const RocksStoreOptions& options, bool may_repair) {
  rocksdb::DBOptions db_options = MakeDbOptions(options);
  db_options.env = env.get();
  // In this order: what the first takes care of is no error for the second.
  db_options.listeners = {damaged_files, background_errors, running_compactions,
                          std::make_shared<LowCompactions>()};
  db_options.sst_file_manager = file_manager;
  if (!position) WHARF_RETURN_IF_ERROR(GuardLog(db_options));
  const auto known = MakeColumnFamilies(options, dropped_rows, hints);

  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(db_options, path, known, &families, &opened);
  db.reset(opened);
  if (wal_gate != nullptr) WHARF_RETURN_IF_ERROR(wal_gate->status());
  if (IsLockHeld(status)) {
    return {ErrorCode::kGeneralError, path + " is in use by another wharfd"};
  }
  if (status.IsCorruption() && may_repair) {
    const Result<bool> is_cut = CutTornManifest(*file_system, path);
    if (!is_cut.ok()) return is_cut.status();
    if (*is_cut) return OpenRocks(options, /*may_repair=*/false);
  }
  if (status.IsInvalidArgument()) return OpenWithUnknown(db_options, known, status);
  return FromRocksOpen(status, "cannot open " + path);
}

Status RocksStore::Impl::GuardLog(rocksdb::DBOptions& db_options) {
  Result<GroupMark> mark = ReadGroupMark(*file_system, path);
  if (!mark.ok()) return mark.status();
  wal_gate = std::make_unique<WalGate>(file_system, path, *std::move(mark));
  db_options.wal_filter = wal_gate.get();
  return RefuseLostLog(db_options);
}

// RocksDB makes the first log before the first of our tables and from then on always has one. If it
// finds none it starts all the same, without what was only there.
Status RocksStore::Impl::RefuseLostLog(const rocksdb::DBOptions& db_options) const {
  const Result<bool> is_without = IsWithoutLog(*file_system, path);
  if (!is_without.ok()) return is_without.status();
  if (!*is_without) return Status::Ok();
  std::vector<std::string> tables;
  const rocksdb::Status status = rocksdb::DB::ListColumnFamilies(db_options, path, &tables);
  WHARF_RETURN_IF_ERROR(FromRocks(status, "cannot open " + path));
  if (tables.size() == 1) return Status::Ok();  // Its very first start was cut off.
  return {ErrorCode::kGeneralError,
          path +
              " has no write-ahead log, a file *.log, and what was last written is only there; " +
              "restore the folder from a backup"};
}

// With those that it has and we do not know; afterwards it has them no more.
Status RocksStore::Impl::OpenWithUnknown(const rocksdb::DBOptions& db_options,
                                         std::vector<rocksdb::ColumnFamilyDescriptor> tables,
                                         const rocksdb::Status& refused) {
  const Result<std::vector<std::string>> unknown = FindUnknownTables(db_options, path, tables);
  if (!unknown.ok()) return unknown.status();
  if (unknown->empty()) return FromRocksOpen(refused, "cannot open " + path);
  if (!position) return RefuseUnknownTable(path, unknown->front());
  for (const std::string& name : *unknown)
    tables.emplace_back(name, rocksdb::ColumnFamilyOptions());
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(db_options, path, tables, &families, &opened);
  db.reset(opened);
  WHARF_RETURN_IF_ERROR(FromRocksOpen(status, "cannot open " + path));
  for (std::size_t left = unknown->size(); left > 0; --left) {
    WHARF_RETURN_IF_ERROR(DropUnknownTable(*db, families.back(), path));
    families.pop_back();
  }
  return Status::Ok();
}

Status RocksStore::Impl::WriteMerged(OrderedWrites& writes, Sync sync) {
  Merger merger(tables(), table_options, position ? std::string() : group_name,
                EstimateMerged(writes));
  writes.Visit(merger);
  WHARF_RETURN_IF_ERROR(FromRocks(merger.status(), "cannot write to " + path));
  rocksdb::WriteOptions options;
  options.disableWAL = position.has_value();
  options.sync = sync == Sync::kYes && !options.disableWAL;
  hints.Expect(merger.cuts_neighbours());
  const Status written =
      FromRocksRead(db->Write(options, &merger.merged()), "cannot write to " + path);
  if (written.is_damage() && on_damage) on_damage(written);
  if (!written.ok() || sync == Sync::kNo || !position) return written;
  return FromRocks(FlushAll(), "cannot write to " + path);
}

// Now, and not when it would slow no writer down: a full disk waits for it.
rocksdb::Status RocksStore::Impl::FlushAll() {
  rocksdb::FlushOptions options;
  options.allow_write_stall = true;
  return db->Flush(options, families);
}

rocksdb::Status RocksStore::Impl::Compact(TableId table, const rocksdb::Slice* begin,
                                          const rocksdb::Slice* end) {
  return space->Run(table, [&] {
    return CompactByHand(compaction(), *db, *tables()[table], begin, end, /*is_exclusive=*/true);
  });
}

rocksdb::Status RocksStore::Impl::EndWork() {
  if (std::exchange(has_ended_work, true)) return rocksdb::Status::OK();
  rocksdb::Status flushed = FlushAll();
  rocksdb::CancelAllBackgroundWork(db.get(), /*wait=*/false);
  return flushed;
}

rocksdb::Status RocksStore::Impl::Close() {
  if (db == nullptr) return rocksdb::Status::OK();
  damaged_files->Detach();
  for (rocksdb::ColumnFamilyHandle* family : families) db->DestroyColumnFamilyHandle(family);
  families.clear();
  rocksdb::Status status = db->Close();
  db.reset();
  return status;
}

Result<std::unique_ptr<RocksStore>> RocksStore::Open(const RocksStoreOptions& options) {
  auto impl = std::make_unique<Impl>();
  WHARF_RETURN_IF_ERROR(impl->Open(options));
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(impl)));
}

bool RocksStore::IsOfSingleNode(const RocksStoreOptions& options) {
  const std::optional<FolderKind> kind = KindOf(*FileSystemOf(options), options.path);
  return kind && *kind != FolderKind::kNode;
}

// The mark comes last: before it, the folder is what it was, and its store is whole.
Status RocksStore::Convert(const RocksStoreOptions& options, const StatePosition& position,
                           const WriteBatch& rows) {
  assert(options.position);
  const auto file_system = FileSystemOf(options);
  const std::optional<FolderKind> kind = KindOf(*file_system, options.path);
  if (!kind || *kind == FolderKind::kNode || *kind == KindFor(options)) return {};
  RocksStoreOptions before = options;
  before.is_single = *kind == FolderKind::kSingle;
  if (!before.is_single) before.position.reset();
  auto opened = Open(before);
  if (!opened.ok()) return opened.status();
  WriteBatch batch(rows.bytes());
  options.position->Put(position, batch);
  WHARF_RETURN_IF_ERROR((*opened)->Write({&batch, 1}, Sync::kYes));
  WHARF_RETURN_IF_ERROR((*opened)->CloseCleanly());
  return MarkKind(*file_system, options.path, KindFor(options));
}

RocksStore::RocksStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RocksStore::~RocksStore() = default;

std::unique_ptr<StoreView> RocksStore::View() const {
  assert(impl_->db != nullptr);
  return std::make_unique<RocksView>(*impl_->db, impl_->tables(), impl_->views, impl_->on_damage);
}

StoreSpace::Use RocksStore::use() const {
  Use use = impl_->space->use();
  use.dead_bytes = impl_->returner->dead_bytes();
  use.returned_bytes = impl_->returner->returned_bytes();
  use.rewritten_bytes = impl_->returner->rewritten_bytes();
  use.dropped_rows = *impl_->dropped_rows;
  return use;
}

std::uint64_t RocksStore::LimitCompactions(std::uint64_t bytes) {
  return impl_->space->LimitCompactions(bytes);
}

// After EndWork there is nothing left to flush.
Status RocksStore::Flush() {
  const rocksdb::Status status = impl_->FlushAll();
  if (status.IsShutdownInProgress()) return {};
  return FromRocks(status, "cannot write what is in memory to " + impl_->path);
}

Status RocksStore::CompactDead() {
  return FromRocks(impl_->space->CompactDead(), kGivingBack + impl_->path);
}

Result<StoreSpace::Step> RocksStore::ReturnSpace(bool is_quiet) {
  Step step;
  const Status status = FromRocks(impl_->returner->Step(is_quiet, step), kGivingBack + impl_->path);
  if (!status.ok()) return status;
  return step;
}

std::uint64_t RocksStore::TableBytes(const std::vector<TableRange>& ranges) const {
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = false;
  options.include_files = true;
  std::uint64_t bytes = 0;
  for (const TableRange& each : ranges) {
    const rocksdb::Range range(each.range.begin, each.range.end);
    std::uint64_t size = 0;
    const rocksdb::Status status =
        impl_->db->GetApproximateSizes(options, impl_->tables()[each.table], &range, 1, &size);
    if (status.ok()) bytes += size;
  }
  return bytes;
}

void RocksStore::NoteFreed(const std::vector<TableRange>& ranges) {
  impl_->returner->NoteFreed(ranges);
}

void RocksStore::StopGivingBack() { impl_->db->DisableManualCompaction(); }

std::vector<std::string> RocksStore::damaged_files() const { return impl_->damaged_files->names(); }

const TableSet& RocksStore::tables() const { return impl_->table_options; }
const std::string& RocksStore::path() const { return impl_->path; }

Status RocksStore::Write(OrderedWrites& writes, Sync sync) {
  assert(impl_->db != nullptr);
  if (impl_->failed.ok()) impl_->failed = impl_->WriteMerged(writes, sync);
  return impl_->failed;
}

Status RocksStore::Write(std::span<const WriteBatch> batches, Sync sync) {
  OrderedWrites writes;
  for (const WriteBatch& batch : batches) WHARF_RETURN_IF_ERROR(batch.Visit(tables(), writes));
  return Write(writes, sync);
}

Result<StatePosition> RocksStore::FlushedPosition() const {
  assert(impl_->position);
  rocksdb::ReadOptions options;
  options.read_tier = rocksdb::kPersistedTier;
  std::string record;
  const StatePositionRow& row = *impl_->position;
  const rocksdb::Status status =
      impl_->db->Get(options, impl_->tables()[row.table], ToSlice(row.key), &record);
  if (status.IsNotFound()) return StatePosition();
  if (!status.ok()) return FromRocksRead(status, "cannot read " + impl_->path);
  return row.Decode(record);
}

// Told never to flush by itself, RocksDB takes what is flushed already; of a state its own flush
// would be the one that loses rows. Of a single node's the log has the rest.
Status RocksStore::Checkpoint(const std::string& folder) {
  const std::string doing = "cannot make a checkpoint of " + impl_->path + " in " + folder;
  WHARF_RETURN_IF_ERROR(FromRocks(impl_->FlushAll(), doing));
  rocksdb::Checkpoint* made = nullptr;
  WHARF_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(impl_->db.get(), &made), doing));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  WHARF_RETURN_IF_ERROR(FromRocks(
      checkpoint->CreateCheckpoint(folder, std::numeric_limits<std::uint64_t>::max()), doing));
  if (impl_->position) WHARF_RETURN_IF_ERROR(MarkKind(*impl_->file_system, folder, impl_->kind));
  if (impl_->kind == FolderKind::kSingle) {
    WHARF_RETURN_IF_ERROR(CopyIdentity(*impl_->file_system, impl_->path, folder));
  }
  if (!impl_->position) {
    WHARF_RETURN_IF_ERROR(BeLikeSingle(*impl_->file_system, impl_->path, folder));
  }
  const std::string parent = std::filesystem::path(folder).parent_path().string();
  return FromRocks(SyncFolder(*impl_->file_system, parent), doing);
}

Status RocksStore::CheckFiles() const {
  const Status checked =
      FromRocksRead(impl_->db->VerifyChecksum(), "cannot read all of " + impl_->path);
  if (checked.is_damage() && impl_->on_damage) impl_->on_damage(checked);
  return checked;
}

Status RocksStore::CompactAll() {
  const std::string doing = "cannot compact " + impl_->path;
  WHARF_RETURN_IF_ERROR(FromRocks(impl_->FlushAll(), doing));
  for (std::size_t table = 0; table < impl_->tables().size(); ++table) {
    WHARF_RETURN_IF_ERROR(
        FromRocks(impl_->Compact(static_cast<TableId>(table), nullptr, nullptr), doing));
  }
  return FromRocks(impl_->background_errors->first(), doing);
}

Status RocksStore::Compact(const TableRange& rows) {
  const rocksdb::Slice begin = ToSlice(rows.range.begin);
  const rocksdb::Slice end = ToSlice(rows.range.end);
  return FromRocks(impl_->Compact(rows.table, &begin, &end), "cannot compact " + impl_->path);
}

Status RocksStore::EndWork() { return FromRocks(impl_->EndWork(), "cannot close " + impl_->path); }

Status RocksStore::CloseCleanly() {
  const std::string doing = "cannot close " + impl_->path;
  const Status flushed = EndWork();
  const Status closed = FromRocks(impl_->Close(), doing);
  return flushed.ok() ? closed : flushed;
}

}  // namespace wharf
