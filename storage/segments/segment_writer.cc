#include "storage/segments/segment_writer.h"

#include <cassert>
#include <utility>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
// As RocksDB's log takes of the disk.
constexpr std::size_t kBytesAhead = 4 << 20;

}  // namespace

SegmentWriter::SegmentWriter(std::string path, std::unique_ptr<rocksdb::FSWritableFile> file,
                             std::uint64_t number, std::uint64_t salt, std::uint64_t end)
    : path_(std::move(path)),
      file_(std::move(file)),
      number_(number),
      salt_(salt),
      written_(end),
      synced_(end) {}

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::Create(SegmentFolder& folder,
                                                             const SegmentHead& head) {
  auto file = folder.Create(head);
  if (!file.ok()) return file.status();
  (*file)->SetPreallocationBlockSize(kBytesAhead);
  return std::unique_ptr<SegmentWriter>(new SegmentWriter(
      folder.PathOf(head.number), *std::move(file), head.number, head.salt, SegmentHead::kBytes));
}

// Takes nothing ahead: RocksDB 7.8 takes a reopened file for empty, and would cut it off behind
// what was written since to give back what it had taken.
Result<std::unique_ptr<SegmentWriter>> SegmentWriter::Reopen(SegmentFolder& folder,
                                                             std::uint64_t number,
                                                             std::uint64_t salt,
                                                             std::uint64_t end) {
  const std::string path = folder.PathOf(number);
  std::unique_ptr<rocksdb::FSWritableFile> file;
  const rocksdb::IOStatus status =
      folder.file_system().ReopenWritableFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot write to " + path);
  return std::unique_ptr<SegmentWriter>(
      new SegmentWriter(path, std::move(file), number, salt, end));
}

Result<std::uint32_t> SegmentWriter::Add(SegmentRecord record) {
  const auto offset = static_cast<std::uint32_t>(end());
  record.synced = static_cast<std::uint32_t>(synced_);
  record.AppendTo(buffer_, salt_ + offset);
  if (buffer_.size() >= kBufferBytes) WHARF_RETURN_IF_ERROR(Write());
  return offset;
}

Status SegmentWriter::Write() {
  if (buffer_.empty()) return {};
  file_->PrepareWrite(written_, buffer_.size(), kNoOptions, nullptr);
  const rocksdb::IOStatus status = file_->Append(ToSlice(buffer_), kNoOptions, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot write to " + path_);
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Status SegmentWriter::Sync() {
  WHARF_RETURN_IF_ERROR(Write());
  if (synced_ == written_) return {};
  const rocksdb::IOStatus status = file_->Sync(kNoOptions, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot sync " + path_);
  synced_ = written_;
  return {};
}

Status SegmentWriter::Close() {
  assert(synced_ == end());
  return FromRocks(file_->Close(kNoOptions, nullptr), "cannot close " + path_);
}

}  // namespace wharf
