#include "storage/backup/backup_folder.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/core.h>
#include <rocksdb/file_system.h>
#include <spdlog/spdlog.h>

#include "storage/backup/backup_label.h"
#include "storage/backup/file_copy.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

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

// RocksDB's file systems follow links. What is on no real disk is none.
fs::file_type TypeOf(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type();
}

bool IsLink(const std::string& path) { return TypeOf(path) == fs::file_type::symlink; }

// Of a work that was broken off.
bool IsLeftover(const std::string& name) {
  return name.starts_with(kUnfinished) || name.starts_with(kRemoved);
}

}  // namespace

Status RemoveFlatFolder(rocksdb::FileSystem* file_system, const std::string& path) {
  const auto real = rocksdb::FileSystem::Default();
  if (file_system == nullptr) file_system = real.get();
  if (IsLink(path)) {
    return FromRocks(file_system->DeleteFile(path, kNoOptions, nullptr), "cannot remove " + path);
  }
  if (!file_system->FileExists(path, kNoOptions, nullptr).ok()) return {};
  std::vector<std::string> names;
  rocksdb::IOStatus status = file_system->GetChildren(path, kNoOptions, &names, nullptr);
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    // What holds up the folder need not hold the space of the others.
    const auto removed = file_system->DeleteFile(path + "/" + name, kNoOptions, nullptr);
    if (status.ok()) status = removed;
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

// A link that leads nowhere is there, too.
bool BackupFolder::Exists(const std::string& path) const {
  return file_system_->FileExists(path, kNoOptions, nullptr).ok() || IsLink(path);
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
    if (manifest.status().code() == ErrorCode::kMessagingEntityNotFound) continue;
    if (Status bad = CheckRemovable(name); !bad.ok()) manifest = std::move(bad);
    found.push_back(FoundOf(name, std::move(manifest)));
  }
  std::sort(found.begin(), found.end(), IsOlder);
  return found;
}

Result<std::vector<std::string>> BackupFolder::LabelsBefore(const BackupManifest& head,
                                                            std::uint64_t keep) const {
  const Result<std::vector<Found>> found = List();
  if (!found.ok()) return found.status();
  std::vector<std::string> labels;
  for (const Found& each : *found) {
    if (each.manifest.ok() && each.manifest->IsOfSameBroker(head)) labels.push_back(each.label);
  }
  labels.resize(labels.size() - std::min<std::uint64_t>(labels.size(), keep));
  return labels;
}

Result<BackupManifest> BackupFolder::Read(const std::string& label) const {
  WHARF_RETURN_IF_ERROR(CheckBackupLabel(label));
  const std::string file = PathOf(label) + "/" + kBackupManifestFile;
  if (!Exists(file)) {
    return Status(ErrorCode::kMessagingEntityNotFound,
                  fmt::format("there is no backup '{}' in {}", label, path_));
  }
  WHARF_RETURN_IF_ERROR(CheckRegularFile(file));
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
  CleanUp();
  return hold;
}

// What cannot be removed takes space, but keeps nobody from making backups.
void BackupFolder::CleanUp() const {
  const Result<std::vector<std::string>> names = Names(path_);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!IsLeftover(name)) continue;
    const Status removed = RemoveFolder(name);
    if (!removed.ok()) spdlog::warn("what is left of a backup stays: {}", removed.message());
  }
}

Status BackupFolder::RemoveFolder(const std::string& name) const {
  if (!Exists(PathOf(name))) return {};
  WHARF_RETURN_IF_ERROR(RemoveFlatFolder(file_system_.get(), PathOf(name)));
  return FromRocks(SyncFolder(*file_system_, path_), "cannot sync " + path_);
}

// The name itself, unless a leftover that cannot be removed has it.
std::string BackupFolder::FreeNameLike(const std::string& name) const {
  std::string free = name;
  for (int number = 2; Exists(PathOf(free)); ++number) free = fmt::format("{}-{}", name, number);
  return free;
}

Result<std::string> BackupFolder::MakeUnfinished() const {
  std::string name = FreeNameLike(kUnfinished);
  const rocksdb::IOStatus made = file_system_->CreateDir(PathOf(name), kNoOptions, nullptr);
  if (!made.ok()) return FromRocks(made, "cannot make " + PathOf(name));
  return name;
}

Status BackupFolder::CheckFree(const std::string& label) const {
  if (!Exists(PathOf(label))) return {};
  return {ErrorCode::kMessagingEntityAlreadyExists,
          fmt::format("there is '{}' in {} already", label, path_)};
}

// The manifest is the last file, and the name of the folder the last change.
Status BackupFolder::Keep(const std::string& unfinished, const BackupManifest& manifest) const {
  const std::string folder = PathOf(unfinished);
  const std::string file = folder + "/" + kBackupManifestFile;
  rocksdb::IOStatus status = rocksdb::WriteStringToFile(file_system_.get(), manifest.Encode(), file,
                                                        /*should_sync=*/true);
  if (status.ok()) status = SyncFolder(*file_system_, folder);
  WHARF_RETURN_IF_ERROR(FromRocks(status, "cannot write " + file));
  return Rename(unfinished, manifest.label);
}

// Whoever put a link or a folder there wants what is behind it.
Status BackupFolder::CheckRemovable(const std::string& label) const {
  const std::string path = PathOf(label);
  if (IsLink(path)) {
    return {ErrorCode::kInvalidOperation,
            path + " is a link: it and what it leads to are left to whoever made it"};
  }
  const Result<std::vector<std::string>> names = Names(path);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (name == "." || name == ".." || TypeOf(path + "/" + name) != fs::file_type::directory) {
      continue;
    }
    return {ErrorCode::kInvalidOperation,
            fmt::format("{} has a folder '{}' in it, which is of no backup: move that away before "
                        "the backup can be removed",
                        path, name)};
  }
  return {};
}

Status BackupFolder::Remove(const std::string& label) const {
  WHARF_RETURN_IF_ERROR(CheckRemovable(label));
  const std::string removed = FreeNameLike(kRemoved);
  WHARF_RETURN_IF_ERROR(Rename(label, removed));
  return RemoveFolder(removed);
}

Status BackupFolder::Rename(const std::string& from, const std::string& to) const {
  WHARF_RETURN_IF_ERROR(CheckFree(to));
  rocksdb::IOStatus status =
      file_system_->RenameFile(PathOf(from), PathOf(to), kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(*file_system_, path_);
  return FromRocks(status, fmt::format("cannot call {} {}", PathOf(from), PathOf(to)));
}

}  // namespace wharf
