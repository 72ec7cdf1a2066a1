#include "storage/backup/backup_writer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

// Of the disk, beside the files: the manifest, folders.
constexpr std::uint64_t kRoomBeside = std::uint64_t{16} << 20;
// A table ends with what it is: its store, in which session of it, under which number and when it
// was made.
constexpr std::uint64_t kEndBytes = std::uint64_t{64} << 10;

bool IsTable(std::string_view name) { return name.ends_with(".sst"); }
bool NeverChanges(std::string_view name) { return IsTable(name) || name.ends_with(".blob"); }

// The last bytes of a file; fewer, if they cannot be read.
std::string EndOf(rocksdb::FileSystem& file_system, const std::string& path, std::uint64_t bytes) {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  const std::uint64_t count = std::min(bytes, kEndBytes);
  std::string space(count, '\0');
  rocksdb::Slice end;
  rocksdb::IOStatus status = file_system.NewRandomAccessFile(path, {}, &file, nullptr);
  if (status.ok()) {
    status = file->Read(bytes - count, count, kNoOptions, &end, space.data(), nullptr);
  }
  return status.ok() ? end.ToString() : std::string();
}

Status CheckTable(rocksdb::FileSystem& file_system, const std::string& path) {
  rocksdb::Options options;
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(
      std::shared_ptr<rocksdb::FileSystem>(std::shared_ptr<void>(), &file_system));
  options.env = env.get();
  rocksdb::SstFileReader reader(options);
  rocksdb::Status status = reader.Open(path);
  if (status.ok()) status = reader.VerifyChecksum();
  if (status.ok()) return {};
  if (!status.IsCorruption()) return FromRocks(status, "cannot read " + path);
  return Status::Damage(fmt::format(
      "a file of the data is damaged, and no backup is made of it: {}", status.ToString()));
}

// One that was made while the clock was ahead stays the newest for as long as it was ahead, and
// what is removed first is the oldest.
Timestamp TimeBehind(const std::vector<BackupFolder::Found>& found, Timestamp now) {
  if (found.empty() || !found.back().manifest.ok()) return now;
  const Timestamp newest = found.back().manifest->created_at;
  return newest < now ? now : After(newest, Duration(1));
}

}  // namespace

// Older ones have no file that this one has not: what went never comes back.
std::optional<BackupManifest> BackupWriter::Earlier(const std::vector<BackupFolder::Found>& found,
                                                    const BackupManifest& head) const {
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    if (!each->manifest.ok() || each->manifest->store != head.store) continue;
    Result<BackupManifest> earlier = folder_.Read(each->label);
    if (earlier.ok()) return *std::move(earlier);
  }
  return std::nullopt;
}

Result<BackupWriter::Plan> BackupWriter::Look(const std::string& checkpoint,
                                              const BackupManifest& head) const {
  const Result<std::vector<BackupFolder::Found>> found = folder_.List();
  if (!found.ok()) return found.status();
  Plan plan{.earlier = Earlier(*found, head), .created_at = TimeBehind(*found, head.created_at)};
  std::vector<std::string> names;
  rocksdb::FileSystem& file_system = files_.file_system;
  const std::string doing = "cannot list " + checkpoint;
  WHARF_RETURN_IF_ERROR(
      FromRocks(file_system.GetChildren(checkpoint, kNoOptions, &names, nullptr), doing));
  std::sort(names.begin(), names.end());
  for (std::string& name : names) {
    if (name == "." || name == "..") continue;
    BackupFile file{.name = std::move(name)};
    WHARF_RETURN_IF_ERROR(FromRocks(
        file_system.GetFileSize(checkpoint + "/" + file.name, kNoOptions, &file.bytes, nullptr),
        doing));
    const BackupFile* const same = plan.earlier ? plan.earlier->Find(file.name) : nullptr;
    const bool is_shared = same != nullptr && NeverChanges(file.name) && same->bytes == file.bytes;
    if (is_shared) file.sha256 = same->sha256;
    if (is_shared) plan.shared_bytes += file.bytes;
    plan.bytes += file.bytes;
    plan.files.push_back(std::move(file));
  }
  if (plan.files.size() <= kBackupFilesMax) return plan;
  return Status(ErrorCode::kQuotaExceeded,
                fmt::format("the data has {} files, and a backup at most {}", plan.files.size(),
                            kBackupFilesMax));
}

Status BackupWriter::CheckRoom(const Plan& plan) const {
  std::uint64_t free = 0;
  const std::string path = folder_.PathOf(".");
  const rocksdb::IOStatus asked = files_.file_system.GetFreeSpace(path, kNoOptions, &free, nullptr);
  if (!asked.ok()) return FromRocks(asked, "cannot ask how much is free in " + path);
  const std::uint64_t needed = plan.bytes - plan.shared_bytes + kRoomBeside;
  if (free >= needed) return {};
  constexpr std::uint64_t kMegabyte = 1'000'000;
  return {ErrorCode::kQuotaExceeded,
          fmt::format("the disk of the backups is full: this one takes {} MB, and {} MB are free; "
                      "remove old ones with wharf backup prune",
                      needed / kMegabyte, free / kMegabyte)};
}

Status BackupWriter::Write(const std::string& checkpoint, Plan plan, BackupManifest head) const {
  WHARF_RETURN_IF_ERROR(CheckRoom(plan));
  const Result<std::string> unfinished = folder_.MakeUnfinished();
  if (!unfinished.ok()) return unfinished.status();
  head.created_at = plan.created_at;
  Status written = WriteFiles(checkpoint, folder_.PathOf(*unfinished), std::move(plan), head);
  if (written.ok()) written = folder_.Keep(*unfinished, head);
  // The next one cleans up what cannot be removed now.
  if (!written.ok()) static_cast<void>(folder_.RemoveFolder(*unfinished));
  return written;
}

Status BackupWriter::WriteFiles(const std::string& checkpoint, const std::string& unfinished,
                                Plan plan, BackupManifest& manifest) const {
  for (BackupFile& file : plan.files) {
    const Result<bool> is_shared = Share(plan, file, checkpoint, unfinished);
    if (!is_shared.ok()) return is_shared.status();
    if (*is_shared) {
      manifest.shared_bytes += file.bytes;
      if (files_.on_bytes) files_.on_bytes(file.bytes);
      manifest.files.push_back(std::move(file));
      continue;
    }
    Result<BackupFile> copied = Copy(checkpoint, unfinished, file.name);
    if (!copied.ok()) return copied.status();
    manifest.files.push_back(*std::move(copied));
  }
  return FromRocks(SyncFolder(files_.file_system, unfinished), "cannot sync " + unfinished);
}

// Where the file system gives no second names, or the earlier one has lost the file, it is copied.
Result<bool> BackupWriter::Share(const Plan& plan, const BackupFile& file,
                                 const std::string& checkpoint,
                                 const std::string& unfinished) const {
  if (file.sha256.empty()) return false;
  const std::string there = folder_.PathOf(plan.earlier->label) + "/" + file.name;
  std::uint64_t bytes = 0;
  const rocksdb::IOStatus sized =
      files_.file_system.GetFileSize(there, kNoOptions, &bytes, nullptr);
  if (!sized.ok() || bytes != file.bytes || !CheckRegularFile(there).ok()) return false;
  const Result<bool> is_same = IsSame(file, checkpoint, there);
  if (!is_same.ok() || !*is_same) return is_same;
  return files_.file_system.LinkFile(there, unfinished + "/" + file.name, kNoOptions, nullptr).ok();
}

// A data folder that was copied, and went on twice, has the name of its store twice, and so files
// that are only called alike. The end of a table tells them apart; nothing but all of it tells
// those of files with bodies. That is no progress yet: one that is not the same is copied.
Result<bool> BackupWriter::IsSame(const BackupFile& file, const std::string& checkpoint,
                                  const std::string& there) const {
  if (IsTable(file.name)) {
    const std::string end = EndOf(files_.file_system, checkpoint + "/" + file.name, file.bytes);
    return !end.empty() && end == EndOf(files_.file_system, there, file.bytes);
  }
  BackupFiles quiet{files_.file_system, files_.pace};
  if (files_.on_bytes) quiet.on_bytes = [this](std::uint64_t /*bytes*/) { files_.on_bytes(0); };
  const Result<BackupFile> found = ReadBackupFile(quiet, checkpoint, file.name);
  if (!found.ok()) return found.status();
  return *found == file;
}

Result<BackupFile> BackupWriter::Copy(const std::string& checkpoint, const std::string& unfinished,
                                      const std::string& name) const {
  Result<BackupFile> copied = CopyBackupFile(files_, checkpoint, unfinished, name);
  if (!copied.ok() || !IsTable(name)) return copied;
  WHARF_RETURN_IF_ERROR(CheckTable(files_.file_system, unfinished + "/" + name));
  return copied;
}

Status VerifyBackup(const BackupFolder& folder, const BackupManifest& manifest,
                    const BackupFiles& files) {
  const std::string path = folder.PathOf(manifest.label);
  for (const BackupFile& file : manifest.files) {
    const Result<BackupFile> found = ReadBackupFile(files, path, file.name);
    if (!found.ok()) return found.status();
    WHARF_RETURN_IF_ERROR(CheckBackupFile(*found, file, path));
  }
  return {};
}

Status CopyBackup(const std::string& backup, const BackupManifest& manifest,
                  const std::string& target, const BackupFiles& files) {
  for (const BackupFile& file : manifest.files) {
    const Result<BackupFile> copied = CopyBackupFile(files, backup, target, file.name);
    if (!copied.ok()) return copied.status();
    WHARF_RETURN_IF_ERROR(CheckBackupFile(*copied, file, backup));
  }
  return FromRocks(SyncFolder(files.file_system, target), "cannot sync " + target);
}

}  // namespace wharf
