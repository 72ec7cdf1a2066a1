#include "storage/log/manifest_tail.h"

#include <cstdint>
#include <optional>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <spdlog/spdlog.h>

#include "storage/log/manifest_note.h"
#include "storage/log/wal_check.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

// Holds the folder's lock, so that nobody writes the MANIFEST meanwhile.
class FolderLock {
 public:
  FolderLock(rocksdb::FileSystem& file_system, const std::string& folder)
      : file_system_(file_system),
        status_(file_system.LockFile(folder + "/LOCK", rocksdb::IOOptions(), &lock_, nullptr)) {}
  ~FolderLock() {
    if (lock_ == nullptr) return;
    file_system_.UnlockFile(lock_, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  const rocksdb::IOStatus& status() const { return status_; }

 private:
  rocksdb::FileSystem& file_system_;
  rocksdb::FileLock* lock_ = nullptr;
  const rocksdb::IOStatus status_;
};

Result<std::string> Read(rocksdb::FileSystem& file_system, const std::string& path) {
  std::string bytes;
  const rocksdb::Status status = rocksdb::ReadFileToString(&file_system, path, &bytes);
  if (!status.ok()) return FromRocksOpen(status, "cannot read " + path);
  return bytes;
}

Status Damaged(const LogDamage& damage) {
  return Status::Damage(damage.file + " is damaged at byte " + std::to_string(damage.offset) +
                        ", in a part that had been synced; restore the folder from a backup");
}

}  // namespace

Result<bool> CutTornManifest(rocksdb::FileSystem& file_system, const std::string& folder) {
  const FolderLock lock(file_system, folder);
  if (!lock.status().ok()) return FromRocks(lock.status(), "cannot lock " + folder);
  Result<std::string> current = Read(file_system, folder + "/CURRENT");
  if (!current.ok()) return current.status();
  const std::string path = folder + "/" + current->substr(0, current->find('\n'));
  const Result<std::optional<LogDamage>> damage = CheckLogFile(file_system, path);
  if (!damage.ok()) return damage.status();
  if (!damage->has_value()) return false;
  const Result<std::optional<std::uint64_t>> synced = ReadManifestNote(file_system, path);
  if (!synced.ok()) return synced.status();
  const LogDamage& torn = **damage;
  if (!synced->has_value() || torn.offset < **synced) return Damaged(torn);
  WHARF_RETURN_IF_ERROR(CutTornTail(file_system, folder, torn));
  spdlog::warn("the last write of {} before the stop was torn: dropped {} bytes from byte {} on",
               path, torn.bytes_behind, torn.offset);
  return true;
}

}  // namespace wharf
