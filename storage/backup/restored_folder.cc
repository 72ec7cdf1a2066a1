#include "storage/backup/restored_folder.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include <rocksdb/file_system.h>

#include "storage/backup/backup_folder.h"
#include "storage/backup/backup_writer.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

constexpr char kRestoring[] = "/RESTORING";

// Of a relative path neither what it is called nor where it lies may be said: "." or "monday".
fs::path Whole(const std::string& path) {
  std::error_code error;
  const fs::path normal = fs::absolute(path, error).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

Status Refuse(std::string sentence) { return {ErrorCode::kInvalidOperation, std::move(sentence)}; }

// A backup with a folder in it cannot be removed any more.
Status CheckOutsideBackups(const fs::path& target) {
  std::error_code error;
  fs::path folder = fs::weakly_canonical(target, error).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    const BackupFolder backups(nullptr, folder.parent_path().string());
    if (!backups.Read(folder.filename().string()).ok()) continue;
    return Refuse(folder.string() + " is a backup: a restored broker does not lie in one");
  }
  return {};
}

// What is in it may be somebody's only copy.
Status CheckTarget(const fs::path& target) {
  WHARF_RETURN_IF_ERROR(CheckOutsideBackups(target));
  std::error_code error;
  const fs::path parent = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  if (!fs::is_directory(parent, error)) {
    return Refuse("cannot make " + target.string() + ": there is no folder " + parent.string());
  }
  if (!fs::exists(target, error)) return {};
  WHARF_RETURN_IF_ERROR(CheckRestored(target.string()));
  const bool is_empty = fs::is_directory(target, error) && fs::is_empty(target, error) && !error;
  if (is_empty) return {};
  return Refuse(target.string() + " is not empty: a backup is restored into a new folder");
}

// Durably, with the mark in it. Nobody else reads it.
Status BeginTarget(rocksdb::FileSystem& file_system, const std::string& target) {
  const std::string doing = "cannot make " + target;
  rocksdb::IOStatus status = file_system.CreateDirIfMissing(target, kNoOptions, nullptr);
  WHARF_RETURN_IF_ERROR(FromRocks(status, doing));
  std::error_code error;
  fs::permissions(target, fs::perms::owner_all, error);
  if (error) return Refuse(doing + ": " + error.message());
  status = rocksdb::WriteStringToFile(&file_system, "", target + kRestoring, /*should_sync=*/true);
  if (status.ok()) status = SyncFolder(file_system, target);
  const std::string parent = fs::path(target).parent_path().string();
  if (status.ok()) status = SyncFolder(file_system, parent.empty() ? "." : parent);
  return FromRocks(status, doing);
}

Status EndTarget(rocksdb::FileSystem& file_system, const std::string& target) {
  rocksdb::IOStatus status = file_system.DeleteFile(target + kRestoring, kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(file_system, target);
  return FromRocks(status, "cannot finish " + target);
}

RocksStoreOptions OptionsOf(const RestoreOptions& options, const std::string& target) {
  return {.path = target, .tables = options.tables};
}

// Its log is read, and empty from then on; a state has none, and says no more how far it is.
Status OpenAsItWas(const RestoreOptions& options, const std::string& target,
                   std::optional<FolderKind> kind) {
  RocksStoreOptions store_options = OptionsOf(options, target);
  const bool is_state = kind && *kind != FolderKind::kOwnLog;
  if (is_state) store_options.position = options.position;
  store_options.is_single = kind == FolderKind::kSingle;
  const Result<std::unique_ptr<RocksStore>> store = RocksStore::Open(store_options);
  if (!store.ok()) return store.status();
  if (is_state) {
    WriteBatch batch;
    batch.Delete(options.position.table, options.position.key);
    WHARF_RETURN_IF_ERROR((*store)->Write({&batch, 1}, RocksStore::Sync::kNo));
  }
  return (*store)->CloseCleanly();
}

Status Rewrite(const RestoreOptions& options, const std::string& target,
               const std::function<Status(RocksStore&)>& rewrite) {
  const Result<std::unique_ptr<RocksStore>> store = RocksStore::Open(OptionsOf(options, target));
  if (!store.ok()) return store.status();
  WHARF_RETURN_IF_ERROR(rewrite(**store));
  return (*store)->CloseCleanly();
}

}  // namespace

Result<BackupManifest> RestoreBackup(const RestoreOptions& options,
                                     const std::function<Status(RocksStore&)>& rewrite) {
  const auto file_system = rocksdb::FileSystem::Default();
  const fs::path backup = Whole(options.backup);
  const std::string target = Whole(options.target).string();
  const BackupFolder folder(file_system, backup.parent_path().string());
  Result<BackupManifest> manifest = folder.Read(backup.filename().string());
  if (!manifest.ok()) return manifest;
  WHARF_RETURN_IF_ERROR(CheckTarget(target));
  WHARF_RETURN_IF_ERROR(BeginTarget(*file_system, target));
  CopyPace pace(0);
  WHARF_RETURN_IF_ERROR(CopyBackup(backup.string(), *manifest, target, {*file_system, pace}));
  WHARF_RETURN_IF_ERROR(OpenAsItWas(options, target, KindOf(*file_system, target)));
  WHARF_RETURN_IF_ERROR(MarkKind(*file_system, target, FolderKind::kOwnLog));
  WHARF_RETURN_IF_ERROR(RenewIdentity(*file_system, target));
  WHARF_RETURN_IF_ERROR(Rewrite(options, target, rewrite));
  WHARF_RETURN_IF_ERROR(EndTarget(*file_system, target));
  return manifest;
}

Status CheckRestored(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder + kRestoring, error)) return {};
  return Refuse(folder + " is what a restore that did not end has left: remove it, and restore " +
                "the backup into a new folder");
}

}  // namespace wharf
