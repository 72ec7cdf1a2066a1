#include "storage/archive/archive_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

// Of the disk, beside a file: a backup must be able to say that it is full.
constexpr std::uint64_t kRoomBesideArchive = std::uint64_t{16} << 20;
constexpr std::uint64_t kArchiveMegabyte = 1'000'000;

// A full disk is an error then, and no signal.
rocksdb::FileOptions PlainWrites() {
  rocksdb::FileOptions options;
  options.use_mmap_writes = false;
  return options;
}

}  // namespace

ArchiveWriter::ArchiveWriter(const ArchiveFolder& folder, const Options& options)
    : folder_(folder), options_(options) {}

ArchiveWriter::~ArchiveWriter() { static_cast<void>(End()); }

Status ArchiveWriter::Begin(std::uint64_t run, CommitIndex first) {
  WHARF_RETURN_IF_ERROR(End());
  run_ = run;
  next_ = first;
  return BeginFile();
}

Status ArchiveWriter::Append(const std::vector<ArchivedBatches>& records) {
  if (file_ && file_bytes_ >= options_.file_bytes) WHARF_RETURN_IF_ERROR(End());
  if (!file_) WHARF_RETURN_IF_ERROR(BeginFile());
  std::string data;
  for (const ArchivedBatches& record : records) record.AppendTo(data);
  ArchiveBlockHead head;
  head.run = run_;
  head.first = records.front().first();
  head.last = records.back().last;
  head.first_time = records.front().time;
  head.last_time = records.back().time;
  if (cipher_) {
    const std::string beside = head.Checked(data.size() + BlockCipher::kTagBytes);
    Result<std::string> sealed = cipher_->Seal(data, head.first.value(), beside);
    if (!sealed.ok()) return Say(sealed.status());
    data = *std::move(sealed);
  }
  WHARF_RETURN_IF_ERROR(Write(head.Encode(data)));
  WHARF_RETURN_IF_ERROR(Write(data));
  next_ = head.last.Next();
  return {};
}

Status ArchiveWriter::BeginFile() {
  const std::uint64_t others =
      options_.bytes_max - std::min(options_.bytes_max, options_.file_bytes);
  WHARF_RETURN_IF_ERROR(folder_.Shrink(others, kFilesMax - 1));
  WHARF_RETURN_IF_ERROR(CheckRoom());
  const std::string path = folder_.PathOf({run_, next_});
  const rocksdb::IOStatus made =
      folder_.file_system().NewWritableFile(path, PlainWrites(), &file_, nullptr);
  if (!made.ok()) return FromRocks(made, "cannot write " + path);
  file_bytes_ = 0;
  WHARF_RETURN_IF_ERROR(WriteHead());
  return FromRocks(SyncFolder(folder_.file_system(), folder_.path()),
                   "cannot sync " + folder_.path());
}

// A key encrypts the blocks of one file: their numbers come again in another.
Status ArchiveWriter::WriteHead() {
  WHARF_RETURN_IF_ERROR(Write(ArchiveHead{run_, next_, options_.encrypt_to.has_value()}.Encode()));
  if (!options_.encrypt_to) return {};
  Result<BlockCipher> cipher = BlockCipher::Make(*options_.encrypt_to);
  if (!cipher.ok()) return Say(cipher.status());
  cipher_ = *std::move(cipher);
  return Write(ArchiveKey{options_.encrypt_to->key_id(), cipher_->wrapped()}.Encode());
}

Status ArchiveWriter::CheckRoom() const {
  std::uint64_t free = 0;
  const rocksdb::IOStatus asked =
      folder_.file_system().GetFreeSpace(folder_.path(), kNoOptions, &free, nullptr);
  if (!asked.ok()) return FromRocks(asked, "cannot ask how much is free in " + folder_.path());
  const std::uint64_t needed = options_.file_bytes + kRoomBesideArchive;
  if (free >= needed) return {};
  return {ErrorCode::kQuotaExceeded,
          fmt::format("the disk of the archive is full: {} MB are needed, and {} MB are free in {}",
                      needed / kArchiveMegabyte, free / kArchiveMegabyte, folder_.path())};
}

// What was begun and not written ends the file for whoever reads it.
Status ArchiveWriter::Say(const Status& status) {
  if (!status.ok()) file_.reset();
  return status;
}

Status ArchiveWriter::Write(const std::string& bytes) {
  const rocksdb::IOStatus written = file_->Append(ToSlice(bytes), kNoOptions, nullptr);
  file_bytes_ += bytes.size();
  unsynced_ += bytes.size();
  return Say(FromRocks(written, "cannot write to " + folder_.path()));
}

Status ArchiveWriter::Sync() {
  if (!file_ || unsynced_ == 0) return {};
  unsynced_ = 0;
  return Say(FromRocks(file_->Fsync(kNoOptions, nullptr), "cannot sync " + folder_.path()));
}

Status ArchiveWriter::End() {
  if (!file_) return {};
  WHARF_RETURN_IF_ERROR(Sync());
  const rocksdb::IOStatus closed = file_->Close(kNoOptions, nullptr);
  file_.reset();
  return FromRocks(closed, "cannot write to " + folder_.path());
}

}  // namespace wharf
