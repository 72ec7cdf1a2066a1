#include "storage/backup/file_copy.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <rocksdb/file_system.h>

#include "storage/backup/sha256.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;
// What a sync of a backup may hold up the syncs of commits, where both are on one disk.
constexpr std::uint64_t kSyncedBytes = std::uint64_t{4} << 20;

// Where a copy goes. What is not needed any more does not stay in the memory of the system, which
// the broker's own files need.
class Target {
 public:
  Target(rocksdb::FileSystem& file_system, std::string path)
      : file_system_(file_system), path_(std::move(path)) {}

  Status Make() {
    return Say(file_system_.NewWritableFile(path_, rocksdb::FileOptions(), &file_, nullptr));
  }

  Status Append(std::string_view piece) {
    WHARF_RETURN_IF_ERROR(Say(file_->Append(ToSlice(piece), kNoOptions, nullptr)));
    unsynced_ += piece.size();
    if (unsynced_ < kSyncedBytes) return {};
    unsynced_ = 0;
    return Say(file_->Sync(kNoOptions, nullptr));
  }

  Status Finish() {
    WHARF_RETURN_IF_ERROR(Say(file_->Fsync(kNoOptions, nullptr)));
    static_cast<void>(file_->InvalidateCache(0, 0));
    return Say(file_->Close(kNoOptions, nullptr));
  }

 private:
  Status Say(const rocksdb::IOStatus& status) const {
    return FromRocks(status, "cannot write " + path_);
  }

  rocksdb::FileSystem& file_system_;
  const std::string path_;
  std::unique_ptr<rocksdb::FSWritableFile> file_;
  std::uint64_t unsynced_ = 0;
};

// `take` gets each piece.
template <typename Take>
Result<BackupFile> ReadThrough(const BackupFiles& files, const std::string& folder,
                               const std::string& name, Take take) {
  const std::string path = folder + "/" + name;
  WHARF_RETURN_IF_ERROR(CheckRegularFile(path));
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::IOStatus status =
      files.file_system.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  BackupFile found{.name = name};
  Sha256 sum;
  std::string space(kPieceBytes, '\0');
  rocksdb::Slice piece;
  do {
    if (status.ok()) status = file->Read(space.size(), kNoOptions, &piece, space.data(), nullptr);
    if (!status.ok()) return FromRocks(status, "cannot read " + path);
    const std::string_view bytes(piece.data(), piece.size());
    found.bytes += bytes.size();
    sum.Add(bytes);
    WHARF_RETURN_IF_ERROR(take(bytes));
    if (files.on_bytes) files.on_bytes(bytes.size());
    WHARF_RETURN_IF_ERROR(files.pace.Spend(bytes.size()));
  } while (!piece.empty());
  found.sha256 = sum.Take();
  return found;
}

}  // namespace

// What is on no real disk is as it should be.
Status CheckRegularFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return {};
  return Status::Damage(path + " is damaged: it is no regular file");
}

Result<BackupFile> CopyBackupFile(const BackupFiles& files, const std::string& from_folder,
                                  const std::string& to_folder, const std::string& name) {
  Target target(files.file_system, to_folder + "/" + name);
  WHARF_RETURN_IF_ERROR(target.Make());
  Result<BackupFile> copied = ReadThrough(
      files, from_folder, name, [&target](std::string_view piece) { return target.Append(piece); });
  if (!copied.ok()) return copied;
  WHARF_RETURN_IF_ERROR(target.Finish());
  return copied;
}

Result<FilteredCopy> CopyFiltered(const BackupFiles& files, const std::string& from,
                                  const std::string& to, ByteFilter& filter,
                                  const std::function<Status(const BackupFile&)>& check) {
  const std::filesystem::path source(from);
  FilteredCopy copy{.written = {.name = std::filesystem::path(to).filename().string()}};
  Target target(files.file_system, to);
  WHARF_RETURN_IF_ERROR(target.Make());
  Sha256 sum;
  std::string filtered;
  const auto append = [&](const Status& made) -> Status {
    WHARF_RETURN_IF_ERROR(made);
    copy.written.bytes += filtered.size();
    sum.Add(filtered);
    return target.Append(std::exchange(filtered, {}));
  };
  Result<BackupFile> read =
      ReadThrough(files, source.parent_path().string(), source.filename().string(),
                  [&](std::string_view piece) { return append(filter.Add(piece, filtered)); });
  if (!read.ok()) return read.status();
  WHARF_RETURN_IF_ERROR(check(*read));
  WHARF_RETURN_IF_ERROR(append(filter.End(filtered)));
  WHARF_RETURN_IF_ERROR(target.Finish());
  copy.read = *std::move(read);
  copy.written.sha256 = sum.Take();
  return copy;
}

Result<BackupFile> WriteBackupFile(const BackupFiles& files, const std::string& folder,
                                   const std::string& name, std::string_view bytes) {
  Target target(files.file_system, folder + "/" + name);
  WHARF_RETURN_IF_ERROR(target.Make());
  WHARF_RETURN_IF_ERROR(target.Append(bytes));
  WHARF_RETURN_IF_ERROR(target.Finish());
  return BackupFile{.name = name, .bytes = bytes.size(), .sha256 = Sha256Of(bytes)};
}

Result<BackupFile> ReadBackupFile(const BackupFiles& files, const std::string& folder,
                                  const std::string& name) {
  return ReadThrough(files, folder, name, [](std::string_view /*piece*/) { return Status(); });
}

Status CheckBackupFile(const BackupFile& found, const BackupFile& expected,
                       const std::string& folder) {
  if (found.bytes == expected.bytes && found.sha256 == expected.sha256) return {};
  const std::string path = folder + "/" + expected.name;
  if (found.bytes == expected.bytes) {
    return Status::Damage(path + " is damaged: it is not what was written, by its checksum");
  }
  return Status::Damage(fmt::format("{} is damaged: it has {} bytes instead of {}", path,
                                    found.bytes, expected.bytes));
}

}  // namespace wharf
