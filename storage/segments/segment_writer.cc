#include "storage/segments/segment_writer.h"

#include <cassert>
#include <utility>

#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

}  // namespace

SegmentWriter::SegmentWriter(std::string path, std::unique_ptr<SegmentFile> file,
                             std::uint64_t number, std::uint64_t salt, std::uint64_t end)
    : path_(std::move(path)),
      file_(std::move(file)),
      number_(number),
      salt_(salt),
      written_(end),
      synced_(end) {}

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::Create(
    SegmentFolder& folder, const SegmentHead& head, const std::optional<std::string>& spare,
    std::size_t bytes_ahead) {
  auto file = folder.Create(head, spare, bytes_ahead);
  if (!file.ok()) return file.status();
  return std::unique_ptr<SegmentWriter>(new SegmentWriter(
      folder.PathOf(head.number), *std::move(file), head.number, head.salt, SegmentHead::kBytes));
}

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::Reopen(SegmentFolder& folder,
                                                             std::uint64_t number,
                                                             std::uint64_t salt,
                                                             std::uint64_t end) {
  auto file = folder.Reopen(number);
  if (!file.ok()) return file.status();
  return std::unique_ptr<SegmentWriter>(
      new SegmentWriter(folder.PathOf(number), *std::move(file), number, salt, end));
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
  const rocksdb::IOStatus status = file_->Write(written_, buffer_);
  if (!status.ok()) return FromRocks(status, "cannot write to " + path_);
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Status SegmentWriter::Sync() {
  WHARF_RETURN_IF_ERROR(Write());
  if (synced_ == written_) return {};
  const rocksdb::IOStatus status = file_->Sync();
  if (!status.ok()) return FromRocks(status, "cannot sync " + path_);
  synced_ = written_;
  return {};
}

Status SegmentWriter::Close() {
  assert(synced_ == end());
  return FromRocks(file_->Close(), "cannot close " + path_);
}

}  // namespace wharf
