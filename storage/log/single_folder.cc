#include "storage/log/single_folder.h"

#include <cassert>
#include <optional>
#include <utility>

#include <spdlog/spdlog.h>

#include "storage/backup/backup_folder.h"
#include "storage/rocks/rocks_folder.h"

namespace wharf {
namespace {

// Nobody else ever leads here.
constexpr std::uint64_t kSingleTerm = 1;

// Small segments: what is flushed goes by whole ones, and a disk may be small. Nothing is read
// again.
constexpr std::size_t kSegmentBytes = 16 << 20;

SegmentLogOptions LogOf(const RocksStoreOptions& store) {
  return {.path = SingleFolder::LogPath(store.path),
          .cache_bytes = 0,
          .file_system = store.file_system};
}

// One that is there is empty: its folder was not made to its end.
Status MakeLog(const RocksStoreOptions& store, Random& random) {
  const Result<bool> exists = SegmentLog::Exists(LogOf(store));
  if (!exists.ok()) return exists.status();
  return *exists ? Status() : SegmentLog::Make(LogOf(store), {random});
}

// What a conversion that was cut off left is empty. One that was written to is the log of a folder
// that has lost its mark, and holds what was acknowledged.
Result<bool> HasWrittenLog(const RocksStoreOptions& store, Random& random) {
  const Result<bool> exists = SegmentLog::Exists(LogOf(store));
  if (!exists.ok() || !*exists) return exists;
  const auto log = SegmentLog::Open(LogOf(store), {random});
  if (!log.ok()) return log.status();
  return (*log)->last_index() > (*log)->start().index;
}

Result<std::optional<FolderKind>> FindKind(rocksdb::FileSystem& file_system,
                                           const RocksStoreOptions& store, Random& random) {
  const std::optional<FolderKind> kind = KindOf(file_system, store.path);
  if (kind != FolderKind::kOwnLog) return kind;
  const Result<bool> has_log = HasWrittenLog(store, random);
  if (!has_log.ok()) return has_log.status();
  if (!*has_log) return kind;
  spdlog::warn("{} has a log, but no file SINGLE, which says so: it is made anew", store.path);
  WHARF_RETURN_IF_ERROR(MarkKind(file_system, store.path, FolderKind::kSingle));
  return std::optional(FolderKind::kSingle);
}

Status MakeLogBehind(const RocksStoreOptions& store, const LogPlace& place, Random& random) {
  WHARF_RETURN_IF_ERROR(SingleFolder::RemoveLog(store));
  WHARF_RETURN_IF_ERROR(SegmentLog::Make(LogOf(store), {random}));
  auto log = SegmentLog::Open(LogOf(store), {random});
  if (!log.ok()) return log.status();
  return (*log)->BeginAt(place, {});
}

// As it was: what is in its log is read, and stays there.
Result<CommitIndex> LookAtBefore(const RocksStoreOptions& store, const AppliedIndexRow& index,
                                 const SingleFolder::BeforeConverting& before, WriteBatch& rows) {
  RocksStoreOptions options = store;
  options.position.reset();
  options.is_single = false;
  const auto opened = RocksStore::Open(options);
  if (!opened.ok()) return opened.status();
  Result<WriteBatch> asked = before(**opened);
  if (!asked.ok()) return asked.status();
  rows = *std::move(asked);
  return index.Read(**opened);
}

Status ConvertFolder(const RocksStoreOptions& store, const AppliedIndexRow& index, Random& random,
                     const SingleFolder::BeforeConverting& before) {
  WriteBatch rows;
  const Result<CommitIndex> last = LookAtBefore(store, index, before, rows);
  if (!last.ok()) return last.status();
  const LogPlace place{last->value(), kSingleTerm};
  WHARF_RETURN_IF_ERROR(MakeLogBehind(store, place, random));
  return RocksStore::Convert(store, {place.index, place.term, ""}, rows);
}

}  // namespace

bool SingleFolder::Is(const RocksStoreOptions& store) {
  const auto file_system = store.file_system ? store.file_system : rocksdb::FileSystem::Default();
  return KindOf(*file_system, store.path) == FolderKind::kSingle;
}

Result<SingleFolder> SingleFolder::Open(RocksStoreOptions store, const AppliedIndexRow& index,
                                        Random& random, const BeforeConverting& before) {
  assert(store.position);
  store.is_single = true;
  const auto file_system = store.file_system ? store.file_system : rocksdb::FileSystem::Default();
  WHARF_RETURN_IF_ERROR(PrepareFolder(*file_system, store.path));
  const auto found = FindKind(*file_system, store, random);
  if (!found.ok()) return found.status();
  const std::optional<FolderKind> kind = *found;
  if (!kind) WHARF_RETURN_IF_ERROR(MakeLog(store, random));
  if (kind == FolderKind::kOwnLog) {
    WHARF_RETURN_IF_ERROR(ConvertFolder(store, index, random, before));
  }
  auto opened = RocksStore::Open(store);
  if (!opened.ok()) return opened.status();
  auto log = SegmentLog::Open(LogOf(store), {random});
  if (!log.ok()) return log.status();
  return SingleFolder{*std::move(opened), *std::move(log)};
}

Status SingleFolder::RemoveLog(const RocksStoreOptions& store) {
  return RemoveFlatFolder(store.file_system.get(), LogOf(store).path);
}

}  // namespace wharf
