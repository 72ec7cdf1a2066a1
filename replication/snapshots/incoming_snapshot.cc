#include "replication/snapshots/incoming_snapshot.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/base/crc32c.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr char kManifestName[] = "SNAPSHOT";
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

Status RemoveFiles(rocksdb::FileSystem& file_system, const std::string& folder) {
  std::vector<std::string> names;
  const std::string doing = "cannot empty " + folder;
  WHARF_RETURN_IF_ERROR(
      FromRocks(file_system.GetChildren(folder, kNoOptions, &names, nullptr), doing));
  for (const std::string& name : names) {
    WHARF_RETURN_IF_ERROR(
        FromRocks(file_system.DeleteFile(folder + "/" + name, kNoOptions, nullptr), doing));
  }
  return {};
}

Status WriteSynced(rocksdb::FileSystem& file_system, const std::string& path,
                   const std::string& content) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status =
      file_system.NewWritableFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(content, kNoOptions, nullptr);
  if (status.ok()) status = file->Fsync(kNoOptions, nullptr);
  if (status.ok()) status = file->Close(kNoOptions, nullptr);
  return FromRocks(status, "cannot write " + path);
}

std::string ReadWhole(rocksdb::FileSystem& file_system, const std::string& path,
                      std::size_t bytes_max) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  std::string space(bytes_max + 1, '\0');
  rocksdb::Slice read;
  rocksdb::IOStatus status =
      file_system.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Read(space.size(), kNoOptions, &read, space.data(), nullptr);
  return status.ok() ? read.ToString() : std::string();
}

// Of what is there of a file.
Result<std::uint32_t> ChecksumOf(rocksdb::FileSystem& file_system, const std::string& path) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::IOStatus status =
      file_system.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  std::string space(kReadBytes, '\0');
  rocksdb::Slice piece;
  std::uint32_t crc = 0;
  do {
    if (status.ok()) status = file->Read(space.size(), kNoOptions, &piece, space.data(), nullptr);
    if (!status.ok()) return FromRocks(status, "cannot read " + path);
    crc = Crc32c({piece.data(), piece.size()}, crc);
  } while (!piece.empty());
  return crc;
}

}  // namespace

Result<std::unique_ptr<IncomingSnapshot>> IncomingSnapshot::Open(
    std::shared_ptr<rocksdb::FileSystem> file_system, std::string folder,
    SnapshotManifest manifest) {
  std::unique_ptr<IncomingSnapshot> snapshot(
      new IncomingSnapshot(std::move(file_system), std::move(folder), std::move(manifest)));
  WHARF_RETURN_IF_ERROR(snapshot->IsResumable() ? snapshot->Resume() : snapshot->Begin());
  return snapshot;
}

IncomingSnapshot::IncomingSnapshot(std::shared_ptr<rocksdb::FileSystem> file_system,
                                   std::string folder, SnapshotManifest manifest)
    : file_system_(std::move(file_system)),
      folder_(std::move(folder)),
      manifest_(std::move(manifest)) {}

bool IncomingSnapshot::IsResumable() const {
  const std::string wanted = manifest_.Encode();
  return ReadWhole(*file_system_, PathOf(kManifestName), wanted.size()) == wanted;
}

// The manifest is the last of the old files to be replaced, and the first of the new ones.
Status IncomingSnapshot::Begin() {
  WHARF_RETURN_IF_ERROR(FromRocks(MakeFolder(*file_system_, folder_), "cannot make " + folder_));
  WHARF_RETURN_IF_ERROR(RemoveFiles(*file_system_, folder_));
  WHARF_RETURN_IF_ERROR(WriteSynced(*file_system_, PathOf(kManifestName), manifest_.Encode()));
  WHARF_RETURN_IF_ERROR(FromRocks(SyncFolder(*file_system_, folder_), "cannot sync " + folder_));
  return TakeEmpty();
}

// A file that is whole may not be synced yet.
Status IncomingSnapshot::Resume() {
  while (at_ < manifest_.files.size()) {
    WHARF_RETURN_IF_ERROR(Look());
    if (written_ < file().bytes) return {};
    if (crc_ != file().crc32c) return Drop();
    WHARF_RETURN_IF_ERROR(OpenFile());
    WHARF_RETURN_IF_ERROR(FinishFile());
  }
  return {};
}

// More than it has is none of it.
Status IncomingSnapshot::Look() {
  const std::string path = PathOf(file().name);
  written_ = 0;
  crc_ = 0;
  std::uint64_t bytes = 0;
  if (!file_system_->GetFileSize(path, kNoOptions, &bytes, nullptr).ok()) return {};
  if (bytes > file().bytes) return Drop();
  const Result<std::uint32_t> crc = ChecksumOf(*file_system_, path);
  if (!crc.ok()) return crc.status();
  written_ = bytes;
  crc_ = *crc;
  return {};
}

std::optional<IncomingSnapshot::Missing> IncomingSnapshot::missing() const {
  if (at_ == manifest_.files.size()) return std::nullopt;
  return Missing{static_cast<std::uint32_t>(at_), written_, file().bytes - written_};
}

Status IncomingSnapshot::Write(std::string_view bytes) {
  WHARF_RETURN_IF_ERROR(OpenFile());
  const rocksdb::IOStatus appended =
      writer_->Append(rocksdb::Slice(bytes.data(), bytes.size()), kNoOptions, nullptr);
  WHARF_RETURN_IF_ERROR(FromRocks(appended, "cannot write " + PathOf(file().name)));
  written_ += bytes.size();
  crc_ = Crc32c(bytes, crc_);
  if (written_ < file().bytes) return {};
  WHARF_RETURN_IF_ERROR(FinishFile());
  return TakeEmpty();
}

Status IncomingSnapshot::OpenFile() {
  if (writer_ != nullptr) return {};
  const std::string path = PathOf(file().name);
  const rocksdb::IOStatus status =
      written_ == 0
          ? file_system_->NewWritableFile(path, rocksdb::FileOptions(), &writer_, nullptr)
          : file_system_->ReopenWritableFile(path, rocksdb::FileOptions(), &writer_, nullptr);
  return FromRocks(status, "cannot write " + path);
}

Status IncomingSnapshot::FinishFile() {
  rocksdb::IOStatus status = writer_->Fsync(kNoOptions, nullptr);
  if (status.ok()) status = writer_->Close(kNoOptions, nullptr);
  writer_.reset();
  const std::string path = PathOf(file().name);
  WHARF_RETURN_IF_ERROR(FromRocks(status, "cannot write " + path));
  if (crc_ != file().crc32c) {
    WHARF_RETURN_IF_ERROR(Drop());
    return Status::Damage(path + " came otherwise than it was sent");
  }
  whole_bytes_ += std::exchange(written_, 0);
  crc_ = 0;
  ++at_;
  if (at_ < manifest_.files.size()) return {};
  return FromRocks(SyncFolder(*file_system_, folder_), "cannot sync " + folder_);
}

Status IncomingSnapshot::Drop() {
  written_ = 0;
  crc_ = 0;
  const std::string path = PathOf(file().name);
  return FromRocks(file_system_->DeleteFile(path, kNoOptions, nullptr), "cannot remove " + path);
}

Status IncomingSnapshot::TakeEmpty() {
  while (at_ < manifest_.files.size() && file().bytes == 0) {
    WHARF_RETURN_IF_ERROR(OpenFile());
    WHARF_RETURN_IF_ERROR(FinishFile());
  }
  return {};
}

}  // namespace wharf
