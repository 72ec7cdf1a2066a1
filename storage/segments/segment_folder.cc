#include "storage/segments/segment_folder.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::string_view kSuffix = ".segment";
constexpr std::string_view kUnfinished = ".segment.new";
constexpr std::size_t kPieceBytes = 1 << 20;

std::optional<std::uint64_t> NumberOf(std::string_view name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

SegmentFolder::SegmentFolder(std::shared_ptr<rocksdb::FileSystem> file_system, std::string path)
    : file_system_(std::move(file_system)), path_(std::move(path)) {}

SegmentFolder::~SegmentFolder() {
  if (lock_ == nullptr) return;
  file_system_->UnlockFile(lock_, kNoOptions, nullptr).PermitUncheckedError();
}

std::string SegmentFolder::PathOf(std::uint64_t number) const {
  return fmt::format("{}/{:08}{}", path_, number, kSuffix);
}

Status SegmentFolder::Make() {
  return FromRocks(MakeFolder(*file_system_, path_), "cannot make " + path_);
}

Status SegmentFolder::Lock() {
  const rocksdb::IOStatus status =
      file_system_->LockFile(path_ + "/LOCK", kNoOptions, &lock_, nullptr);
  if (IsLockHeld(status)) {
    return {ErrorCode::kGeneralError, path_ + " is in use by another wharfd"};
  }
  return FromRocks(status, "cannot lock " + path_);
}

Status SegmentFolder::Sync() {
  return FromRocks(SyncFolder(*file_system_, path_), "cannot sync " + path_);
}

Result<std::vector<std::string>> SegmentFolder::ListNames() const {
  std::vector<std::string> names;
  if (!file_system_->FileExists(path_, kNoOptions, nullptr).ok()) return names;
  const rocksdb::IOStatus status = file_system_->GetChildren(path_, kNoOptions, &names, nullptr);
  // So RocksDB says that it may not look into a folder that is there.
  if (status.IsNotFound()) {
    return Status(ErrorCode::kGeneralError, "cannot list " + path_ + ": permission denied");
  }
  if (!status.ok()) return FromRocks(status, "cannot list " + path_);
  return names;
}

Result<std::vector<std::uint64_t>> SegmentFolder::List() const {
  const auto names = ListNames();
  if (!names.ok()) return names.status();
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : *names) {
    if (const auto number = NumberOf(name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Of what counts no more: somebody may have removed it before.
Status SegmentFolder::Remove(std::uint64_t number) {
  const std::string file = PathOf(number);
  const rocksdb::IOStatus status = file_system_->DeleteFile(file, kNoOptions, nullptr);
  const bool is_gone = status.IsNotFound() || status.IsPathNotFound();
  return is_gone ? Status() : FromRocks(status, "cannot remove " + file);
}

Status SegmentFolder::RemoveUnfinished() {
  const auto names = ListNames();
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (!name.ends_with(kUnfinished)) continue;
    const std::string file = path_ + "/" + name;
    WHARF_RETURN_IF_ERROR(
        FromRocks(file_system_->DeleteFile(file, kNoOptions, nullptr), "cannot remove " + file));
  }
  return {};
}

Result<std::unique_ptr<rocksdb::FSWritableFile>> SegmentFolder::Create(const SegmentHead& head) {
  const std::string name = PathOf(head.number);
  const std::string unfinished = fmt::format("{}/{:08}{}", path_, head.number, kUnfinished);
  const std::string bytes = head.Encode();
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status =
      file_system_->NewWritableFile(unfinished, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(ToSlice(bytes), kNoOptions, nullptr);
  if (status.ok()) status = file->Fsync(kNoOptions, nullptr);
  if (status.ok()) status = file_system_->RenameFile(unfinished, name, kNoOptions, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot make " + name);
  WHARF_RETURN_IF_ERROR(Sync());
  return file;
}

Status SegmentFolder::WriteAgain(std::uint64_t number, std::uint64_t begin, std::uint64_t end) {
  const std::string name = PathOf(number);
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  rocksdb::IOStatus status =
      file_system_->NewRandomRWFile(name, rocksdb::FileOptions(), &file, nullptr);
  std::string space(std::min<std::uint64_t>(kPieceBytes, end - begin), '\0');
  for (std::uint64_t at = begin; status.ok() && at < end; at += space.size()) {
    const std::size_t count = std::min<std::uint64_t>(space.size(), end - at);
    rocksdb::Slice piece;
    status = file->Read(at, count, kNoOptions, &piece, space.data(), nullptr);
    if (status.ok()) status = file->Write(at, piece, kNoOptions, nullptr);
  }
  if (status.ok()) status = file->Fsync(kNoOptions, nullptr);
  if (status.ok()) status = file->Close(kNoOptions, nullptr);
  return FromRocks(status, "cannot write the end of " + name + " again");
}

Result<std::unique_ptr<rocksdb::FSRandomAccessFile>> SegmentFolder::OpenToRead(
    std::uint64_t number) const {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  const std::string name = PathOf(number);
  const rocksdb::IOStatus status =
      file_system_->NewRandomAccessFile(name, rocksdb::FileOptions(), &file, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot read " + name);
  return file;
}

Result<std::uint64_t> SegmentFolder::BytesOf(std::uint64_t number) const {
  std::uint64_t bytes = 0;
  const std::string name = PathOf(number);
  const rocksdb::IOStatus status = file_system_->GetFileSize(name, kNoOptions, &bytes, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot read " + name);
  return bytes;
}

}  // namespace wharf
