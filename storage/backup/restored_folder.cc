#include "storage/backup/restored_folder.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

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

bool Exists(rocksdb::FileSystem& file_system, const std::string& path) {
  return file_system.FileExists(path, kNoOptions, nullptr).ok();
}

Status CheckMark(rocksdb::FileSystem& file_system, const std::string& folder) {
  if (!Exists(file_system, folder + kRestoring)) return {};
  return Refuse(folder + " is what a restore that did not end has left: remove it, and restore " +
                "the backup into a new folder");
}

// What is in it, but for the mark; an error, if it is no folder.
Result<std::vector<std::string>> NamesIn(rocksdb::FileSystem& file_system,
                                         const std::string& folder) {
  std::vector<std::string> names;
  const rocksdb::IOStatus listed = file_system.GetChildren(folder, kNoOptions, &names, nullptr);
  if (!listed.ok()) return FromRocks(listed, "cannot list " + folder);
  std::erase_if(names, [](const std::string& name) {
    return name == "." || name == ".." || "/" + name == kRestoring;
  });
  return names;
}

// What is in it may be somebody's only copy.
Status CheckTarget(rocksdb::FileSystem& file_system, const fs::path& target) {
  WHARF_RETURN_IF_ERROR(CheckOutsideBackups(target));
  const fs::path parent = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  if (!Exists(file_system, parent.string())) {
    return Refuse("cannot make " + target.string() + ": there is no folder " + parent.string());
  }
  if (!Exists(file_system, target.string())) return {};
  WHARF_RETURN_IF_ERROR(CheckMark(file_system, target.string()));
  const Result<std::vector<std::string>> names = NamesIn(file_system, target.string());
  if (names.ok() && names->empty()) return {};
  return Refuse(target.string() + " is not empty: a backup is restored into a new folder");
}

// Durably, with the mark in it. Nobody else reads it.
Status BeginTarget(rocksdb::FileSystem& file_system, const std::string& target) {
  const std::string doing = "cannot make " + target;
  rocksdb::IOStatus status = file_system.CreateDirIfMissing(target, kNoOptions, nullptr);
  WHARF_RETURN_IF_ERROR(FromRocks(status, doing));
  std::error_code error;
  // One that was there may be for others, too; what is on no real disk is for nobody.
  if (fs::exists(target, error)) fs::permissions(target, fs::perms::owner_all, error);
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
  return {.path = target, .tables = options.tables, .file_system = options.file_system};
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

// As a broker by itself, and another store.
Status MakeAnother(const RestoreOptions& options, rocksdb::FileSystem& file_system,
                   const std::string& target, const BackupManifest& manifest,
                   const ArchiveFolder& archive,
                   const std::function<Status(RocksStore&)>& rewrite) {
  WHARF_RETURN_IF_ERROR(OpenAsItWas(options, target, KindOf(file_system, target)));
  WHARF_RETURN_IF_ERROR(MarkKind(file_system, target, FolderKind::kOwnLog));
  WHARF_RETURN_IF_ERROR(RenewIdentity(file_system, target));
  const Result<std::unique_ptr<RocksStore>> store = RocksStore::Open(OptionsOf(options, target));
  if (!store.ok()) return store.status();
  if (options.until) {
    WHARF_RETURN_IF_ERROR(options.roll_forward(manifest, archive, **store));
  }
  WHARF_RETURN_IF_ERROR(rewrite(**store));
  return (*store)->CloseCleanly();
}

// The mark goes last: what a kill leaves of this is refused, too.
void RemoveTarget(rocksdb::FileSystem& file_system, const std::string& target) {
  const Result<std::vector<std::string>> names = NamesIn(file_system, target);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!file_system.DeleteFile(target + "/" + name, kNoOptions, nullptr).ok()) return;
  }
  static_cast<void>(EndTarget(file_system, target));
  static_cast<void>(file_system.DeleteDir(target, kNoOptions, nullptr));
}

}  // namespace

Result<BackupManifest> RestoreBackup(const RestoreOptions& options,
                                     const std::function<Status(RocksStore&)>& rewrite) {
  const auto file_system =
      options.file_system ? options.file_system : rocksdb::FileSystem::Default();
  const fs::path backup = Whole(options.backup);
  const std::string target = Whole(options.target).string();
  const BackupFolder folder(file_system, backup.parent_path().string());
  Result<BackupManifest> manifest = folder.Read(backup.filename().string());
  if (!manifest.ok()) return manifest;
  const Result<const RecipientKey*> key = KeyOfBackup(backup.string(), *manifest, options.keys);
  if (!key.ok()) return key.status();
  const ArchiveFolder archive(file_system, backup.parent_path().string(),
                              manifest->archive_owner());
  WHARF_RETURN_IF_ERROR(CheckTarget(*file_system, target));
  if (options.until) {
    WHARF_RETURN_IF_ERROR(CheckArchive(archive, manifest->archive_run,
                                       CommitIndex(manifest->commits), *options.until,
                                       &options.keys));
  }
  CopyPace pace(0);
  Status restored = BeginTarget(*file_system, target);
  if (restored.ok()) {
    restored = CopyBackup(backup.string(), *manifest, target, {*file_system, pace}, *key);
  }
  if (restored.ok()) {
    restored = MakeAnother(options, *file_system, target, *manifest, archive, rewrite);
  }
  if (restored.ok()) restored = EndTarget(*file_system, target);
  if (restored.ok()) return manifest;
  RemoveTarget(*file_system, target);
  return restored;
}

Status CheckRestored(const std::string& folder) {
  return CheckMark(*rocksdb::FileSystem::Default(), folder);
}

}  // namespace wharf
