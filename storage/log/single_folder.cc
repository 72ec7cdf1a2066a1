#include "storage/log/single_folder.h"

#include <cassert>
#include <optional>
#include <utility>

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
  const std::optional<FolderKind> kind = KindOf(*file_system, store.path);
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
