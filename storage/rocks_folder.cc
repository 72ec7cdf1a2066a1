#include "storage/rocks_folder.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include <rocksdb/file_system.h>
#include <spdlog/spdlog.h>

#include "storage/rocks_status.h"
#include "storage/wal_check.h"

namespace wharf {
namespace {

const rocksdb::IOOptions kNoOptions;

rocksdb::IOStatus SyncFolder(rocksdb::FileSystem& file_system, const std::string& folder) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const rocksdb::IOStatus status =
      file_system.NewDirectory(folder, kNoOptions, &directory, nullptr);
  return status.ok() ? directory->Fsync(kNoOptions, nullptr) : status;
}

// RocksDB makes the folder too, but does not sync its parent: a power cut could take the whole
// store.
rocksdb::IOStatus MakeFolder(rocksdb::FileSystem& file_system, const std::string& folder) {
  if (file_system.FileExists(folder, kNoOptions, nullptr).ok()) return rocksdb::IOStatus::OK();
  const std::string parent = std::filesystem::path(folder).parent_path().string();
  rocksdb::IOStatus status;
  if (!parent.empty() && parent != folder) status = MakeFolder(file_system, parent);
  if (status.ok()) status = file_system.CreateDirIfMissing(folder, kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(file_system, parent.empty() ? "." : parent);
  return status;
}

// RocksDB's own lock, so that a running broker's log is not taken for a torn one.
class FolderLock {
 public:
  FolderLock(rocksdb::FileSystem& file_system, const std::string& folder)
      : file_system_(file_system),
        status_(file_system.LockFile(folder + "/LOCK", kNoOptions, &lock_, nullptr)) {}
  ~FolderLock() {
    if (lock_ != nullptr) file_system_.UnlockFile(lock_, kNoOptions, nullptr);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  const rocksdb::IOStatus& status() const { return status_; }

 private:
  rocksdb::FileSystem& file_system_;
  rocksdb::FileLock* lock_ = nullptr;
  const rocksdb::IOStatus status_;
};

bool IsDataFile(std::string_view name) {
  return name.ends_with(".sst") || name.ends_with(".blob") || name.ends_with(".log");
}

// Without CURRENT, RocksDB would begin a new store beside the files of the old one.
Status RefuseLostCurrent(rocksdb::FileSystem& file_system, const std::string& folder) {
  if (HasStore(file_system, folder)) return Status::Ok();
  std::vector<std::string> names;
  const rocksdb::IOStatus status = file_system.GetChildren(folder, kNoOptions, &names, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot list " + folder);
  if (std::none_of(names.begin(), names.end(), IsDataFile)) return Status::Ok();
  return {ErrorCode::kGeneralError, folder + " has data files but its file CURRENT is missing; " +
                                        "restore the folder from a backup"};
}

Status RepairWal(rocksdb::FileSystem& file_system, const std::string& folder) {
  const auto report = CheckWal(file_system, folder);
  if (!report.ok()) return report.status();
  switch (report->verdict) {
    case WalReport::Verdict::kClean:
      return Status::Ok();
    case WalReport::Verdict::kCorrupt:
      return {ErrorCode::kGeneralError,
              "the write-ahead log " + report->file + " is damaged at byte " +
                  std::to_string(report->offset) +
                  ", in a part that had been synced; restore the folder from a backup"};
    case WalReport::Verdict::kTornTail:
      break;
  }
  WHARF_RETURN_IF_ERROR(CutTornTail(file_system, folder, *report));
  spdlog::warn("the last write before the stop was torn: dropped {} bytes of {} from byte {} on",
               report->bytes_behind, report->file, report->offset);
  return Status::Ok();
}

}  // namespace

Status PrepareFolder(rocksdb::FileSystem& file_system, const std::string& folder) {
  WHARF_RETURN_IF_ERROR(FromRocks(MakeFolder(file_system, folder), "cannot make " + folder));
  const FolderLock lock(file_system, folder);
  if (IsLockHeld(lock.status())) return FolderInUse(folder);
  WHARF_RETURN_IF_ERROR(FromRocks(lock.status(), "cannot lock " + folder));
  WHARF_RETURN_IF_ERROR(RefuseLostCurrent(file_system, folder));
  return RepairWal(file_system, folder);
}

Status FolderInUse(const std::string& folder) {
  return {ErrorCode::kGeneralError, folder + " is in use by another wharfd"};
}

bool HasStore(rocksdb::FileSystem& file_system, const std::string& folder) {
  return file_system.FileExists(folder + "/CURRENT", kNoOptions, nullptr).ok();
}

}  // namespace wharf
