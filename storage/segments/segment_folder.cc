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
constexpr std::string_view kSpare = ".segment.spare";
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

bool IsGone(const rocksdb::IOStatus& status) {
  return status.IsNotFound() || status.IsPathNotFound();
}

// With its length: what is taken ahead without it, each sync has to make longer. A reader finds
// zeros there if the process was killed.
rocksdb::IOStatus BeginGrowing(rocksdb::FileSystem& file_system, const std::string& path,
                               std::size_t bytes_ahead, std::unique_ptr<SegmentFile>& file) {
  rocksdb::FileOptions options;
  options.fallocate_with_keep_size = false;
  std::unique_ptr<rocksdb::FSWritableFile> made;
  const rocksdb::IOStatus status = file_system.NewWritableFile(path, options, &made, nullptr);
  if (!status.ok()) return status;
  made->SetPreallocationBlockSize(bytes_ahead);
  file = Growing(std::move(made));
  return status;
}

rocksdb::IOStatus BeginOver(rocksdb::FileSystem& file_system, const std::string& path,
                            std::unique_ptr<SegmentFile>& file) {
  std::unique_ptr<rocksdb::FSRandomRWFile> opened;
  const rocksdb::IOStatus status =
      file_system.NewRandomRWFile(path, rocksdb::FileOptions(), &opened, nullptr);
  if (status.ok()) file = WrittenOver(std::move(opened));
  return status;
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
  return IsGone(status) ? Status() : FromRocks(status, "cannot remove " + file);
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

Result<std::vector<std::string>> SegmentFolder::ListSpares() const {
  auto names = ListNames();
  if (!names.ok()) return names.status();
  std::erase_if(*names, [](const std::string& name) { return !name.ends_with(kSpare); });
  for (std::string& name : *names) name.insert(0, path_ + "/");
  return names;
}

// Somebody may have removed it before.
Result<std::optional<std::string>> SegmentFolder::MakeSpare(std::uint64_t number) {
  const std::string file = PathOf(number);
  std::string spare = fmt::format("{}/{:08}{}", path_, number, kSpare);
  const rocksdb::IOStatus status = file_system_->RenameFile(file, spare, kNoOptions, nullptr);
  if (IsGone(status)) return std::optional<std::string>();
  if (!status.ok()) return FromRocks(status, "cannot rename " + file);
  return std::optional(std::move(spare));
}

Status SegmentFolder::RemoveSpare(const std::string& path) {
  const rocksdb::IOStatus status = file_system_->DeleteFile(path, kNoOptions, nullptr);
  return IsGone(status) ? Status() : FromRocks(status, "cannot remove " + path);
}

Result<std::unique_ptr<SegmentFile>> SegmentFolder::Create(const SegmentHead& head,
                                                           const std::optional<std::string>& spare,
                                                           std::size_t bytes_ahead) {
  const std::string name = PathOf(head.number);
  const bool has_spare = spare && file_system_->FileExists(*spare, kNoOptions, nullptr).ok();
  const std::string made =
      has_spare ? *spare : fmt::format("{}/{:08}{}", path_, head.number, kUnfinished);
  std::unique_ptr<SegmentFile> file;
  rocksdb::IOStatus status = has_spare ? BeginOver(*file_system_, made, file)
                                       : BeginGrowing(*file_system_, made, bytes_ahead, file);
  if (status.ok()) status = file->Write(0, head.Encode());
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file_system_->RenameFile(made, name, kNoOptions, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot make " + name);
  WHARF_RETURN_IF_ERROR(Sync());
  return file;
}

Result<std::unique_ptr<SegmentFile>> SegmentFolder::Reopen(std::uint64_t number) {
  const std::string name = PathOf(number);
  std::unique_ptr<SegmentFile> file;
  const rocksdb::IOStatus status = BeginOver(*file_system_, name, file);
  if (!status.ok()) return FromRocks(status, "cannot write to " + name);
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

Result<std::uint64_t> SegmentFolder::BytesOf(const std::string& path) const {
  std::uint64_t bytes = 0;
  const rocksdb::IOStatus status = file_system_->GetFileSize(path, kNoOptions, &bytes, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot read " + path);
  return bytes;
}

}  // namespace wharf
