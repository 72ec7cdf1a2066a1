#include "storage/backup/backup_folder.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/core.h>
#include <rocksdb/file_system.h>

#include "storage/backup/backup_label.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr char kUnfinished[] = ".unfinished";
constexpr char kRemoved[] = ".removed";

// There may be hundreds of them, each with thousands of files.
BackupFolder::Found FoundOf(const std::string& label, Result<BackupManifest> manifest) {
  BackupFolder::Found found{.label = label, .manifest = std::move(manifest)};
  if (!found.manifest.ok()) return found;
  found.files = found.manifest->files.size();
  found.bytes = found.manifest->bytes();
  found.manifest->files = {};
  return found;
}

bool IsOlder(const BackupFolder::Found& left, const BackupFolder::Found& right) {
  if (left.manifest.ok() != right.manifest.ok()) return right.manifest.ok();
  if (!left.manifest.ok()) return left.label < right.label;
  return std::pair(left.manifest->created_at, left.label) <
         std::pair(right.manifest->created_at, right.label);
}

}  // namespace

Status RemoveFlatFolder(rocksdb::FileSystem* file_system, const std::string& path) {
  const auto real = rocksdb::FileSystem::Default();
  if (file_system == nullptr) file_system = real.get();
  if (!file_system->FileExists(path, kNoOptions, nullptr).ok()) return {};
  std::vector<std::string> names;
  rocksdb::IOStatus status = file_system->GetChildren(path, kNoOptions, &names, nullptr);
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    if (status.ok()) status = file_system->DeleteFile(path + "/" + name, kNoOptions, nullptr);
  }
  if (status.ok()) status = file_system->DeleteDir(path, kNoOptions, nullptr);
  return FromRocks(status, "cannot remove " + path);
}

Result<std::string> StoreNameIn(const std::string& folder) {
  return ReadIdentity(*rocksdb::FileSystem::Default(), folder);
}

BackupFolder::BackupFolder(std::shared_ptr<rocksdb::FileSystem> file_system, std::string path)
    : file_system_(file_system ? std::move(file_system) : rocksdb::FileSystem::Default()),
      path_(std::move(path)) {}

BackupFolder::Hold::~Hold() {
  static_cast<void>(file_system_.UnlockFile(lock_, kNoOptions, nullptr));
}

bool BackupFolder::Exists(const std::string& path) const {
  return file_system_->FileExists(path, kNoOptions, nullptr).ok();
}

Result<std::vector<std::string>> BackupFolder::Names(const std::string& folder) const {
  std::vector<std::string> names;
  const rocksdb::IOStatus status = file_system_->GetChildren(folder, kNoOptions, &names, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot list " + folder);
  return names;
}

Result<std::vector<BackupFolder::Found>> BackupFolder::List() const {
  std::vector<Found> found;
  if (!Exists(path_)) return found;
  const Result<std::vector<std::string>> names = Names(path_);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (!CheckBackupLabel(name).ok()) continue;
    Result<BackupManifest> manifest = Read(name);
    const bool is_none = manifest.status().code() == ErrorCode::kMessagingEntityNotFound;
    if (!is_none) found.push_back(FoundOf(name, std::move(manifest)));
  }
  std::sort(found.begin(), found.end(), IsOlder);
  return found;
}

Result<BackupManifest> BackupFolder::Read(const std::string& label) const {
  WHARF_RETURN_IF_ERROR(CheckBackupLabel(label));
  const std::string file = PathOf(label) + "/" + kBackupManifestFile;
  if (!Exists(file)) {
    return Status(ErrorCode::kMessagingEntityNotFound,
                  fmt::format("there is no backup '{}' in {}", label, path_));
  }
  std::uint64_t bytes = 0;
  const rocksdb::IOStatus sized = file_system_->GetFileSize(file, kNoOptions, &bytes, nullptr);
  if (!sized.ok()) return FromRocks(sized, "cannot read " + file);
  if (bytes > kBackupManifestBytesMax) return Status::Damage(file + " is damaged: it is too long");
  std::string text;
  const rocksdb::IOStatus read = rocksdb::ReadFileToString(file_system_.get(), file, &text);
  if (!read.ok()) return FromRocks(read, "cannot read " + file);
  Result<BackupManifest> manifest = BackupManifest::Decode(text, file);
  if (manifest.ok()) manifest->label = label;
  return manifest;
}

// A parent that is missing is a typing error, or a disk that is not mounted.
Result<std::unique_ptr<BackupFolder::Hold>> BackupFolder::BeginWork() const {
  const std::string doing = "cannot use the folder for backups " + path_;
  if (!Exists(path_)) {
    rocksdb::IOStatus made = file_system_->CreateDirIfMissing(path_, kNoOptions, nullptr);
    const std::string parent = std::filesystem::path(path_).parent_path().string();
    if (made.ok()) made = SyncFolder(*file_system_, parent.empty() ? "." : parent);
    if (!made.ok()) return FromRocks(made, doing);
  }
  rocksdb::FileLock* lock = nullptr;
  const rocksdb::IOStatus locked =
      file_system_->LockFile(path_ + "/BACKUPS.LOCK", kNoOptions, &lock, nullptr);
  if (IsLockHeld(locked)) {
    return Status(ErrorCode::kServiceBusy,
                  "another wharfd makes or removes a backup in " + path_ + " just now");
  }
  if (!locked.ok()) return FromRocks(locked, doing);
  auto hold = std::make_unique<Hold>(*file_system_, lock);
  WHARF_RETURN_IF_ERROR(RemoveUnfinished());
  WHARF_RETURN_IF_ERROR(RemoveFolder(kRemoved));
  return hold;
}

Status BackupFolder::RemoveFolder(const std::string& name) const {
  if (!Exists(PathOf(name))) return {};
  WHARF_RETURN_IF_ERROR(RemoveFlatFolder(file_system_.get(), PathOf(name)));
  return FromRocks(SyncFolder(*file_system_, path_), "cannot sync " + path_);
}

Status BackupFolder::RemoveUnfinished() const { return RemoveFolder(kUnfinished); }

Result<std::string> BackupFolder::MakeUnfinished() const {
  std::string path = PathOf(kUnfinished);
  const rocksdb::IOStatus made = file_system_->CreateDir(path, kNoOptions, nullptr);
  if (!made.ok()) return FromRocks(made, "cannot make " + path);
  return path;
}

Status BackupFolder::CheckFree(const std::string& label) const {
  if (!Exists(PathOf(label))) return {};
  return {ErrorCode::kMessagingEntityAlreadyExists,
          fmt::format("there is '{}' in {} already", label, path_)};
}

// The manifest is the last file, and the name of the folder the last change.
Status BackupFolder::Keep(const BackupManifest& manifest) const {
  const std::string folder = PathOf(kUnfinished);
  const std::string file = folder + "/" + kBackupManifestFile;
  rocksdb::IOStatus status = rocksdb::WriteStringToFile(file_system_.get(), manifest.Encode(), file,
                                                        /*should_sync=*/true);
  if (status.ok()) status = SyncFolder(*file_system_, folder);
  WHARF_RETURN_IF_ERROR(FromRocks(status, "cannot write " + file));
  return Rename(kUnfinished, manifest.label);
}

Status BackupFolder::Remove(const std::string& label) const {
  WHARF_RETURN_IF_ERROR(Rename(label, kRemoved));
  return RemoveFolder(kRemoved);
}

Status BackupFolder::Rename(const std::string& from, const std::string& to) const {
  WHARF_RETURN_IF_ERROR(CheckFree(to));
  rocksdb::IOStatus status =
      file_system_->RenameFile(PathOf(from), PathOf(to), kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(*file_system_, path_);
  return FromRocks(status, fmt::format("cannot call {} {}", PathOf(from), PathOf(to)));
}

}  // namespace wharf
