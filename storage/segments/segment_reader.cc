#include "storage/segments/segment_reader.h"

#include <algorithm>
#include <utility>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

// Records begin at such places.
constexpr std::uint64_t kStep = 8;

}  // namespace

SegmentReader::SegmentReader(const rocksdb::FSRandomAccessFile& file, std::string path,
                             std::uint64_t bytes, std::size_t window_bytes)
    : file_(file), path_(std::move(path)), bytes_(bytes), window_bytes_(window_bytes) {}

Result<SegmentHead> SegmentReader::ReadHead() {
  const auto bytes = Look(0, SegmentHead::kBytes);
  if (!bytes.ok()) return bytes.status();
  Result<SegmentHead> head = SegmentHead::Decode(*bytes);
  if (head.ok()) return head;
  return Status(head.status().code(), path_ + " " + head.status().message());
}

Result<std::optional<SegmentRecord>> SegmentReader::Read(std::uint64_t salt, std::uint64_t offset) {
  const auto head = Look(offset, SegmentRecord::kHeadBytes);
  if (!head.ok()) return head.status();
  const auto count = SegmentRecord::BytesOf(*head, salt + offset);
  if (!count || *count > bytes_ - offset) return std::optional<SegmentRecord>();
  const auto bytes = Look(offset, *count);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() < *count) return std::optional<SegmentRecord>();
  return SegmentRecord::Decode(*bytes);
}

Result<SegmentReader::Traces> SegmentReader::FindTraces(std::uint64_t salt, std::uint64_t offset) {
  Traces traces;
  for (std::uint64_t at = offset; at < bytes_; at += kStep) {
    const auto mark = Look(at, kStep);
    if (!mark.ok()) return mark.status();
    if (!HasMark(*mark, salt + at)) continue;
    traces.has_any = true;
    const auto record = Read(salt, at);
    if (!record.ok()) return record.status();
    if (!*record || (*record)->synced <= offset) continue;
    traces.proof = at;
    break;
  }
  return traces;
}

Result<std::string_view> SegmentReader::Look(std::uint64_t offset, std::size_t count) {
  count =
      static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes_ - std::min(bytes_, offset)));
  if (offset < window_at_ || offset + count > window_at_ + window_.size()) {
    const std::uint64_t left = bytes_ - std::min(bytes_, offset);
    window_.resize(std::min<std::uint64_t>(std::max(count, window_bytes_), left));
    rocksdb::Slice read;
    const rocksdb::IOStatus status =
        file_.Read(offset, window_.size(), kNoOptions, &read, window_.data(), nullptr);
    if (!status.ok()) return FromRocks(status, "cannot read " + path_);
    if (read.data() != window_.data()) std::copy_n(read.data(), read.size(), window_.data());
    window_.resize(read.size());
    window_at_ = offset;
  }
  return std::string_view(window_).substr(offset - window_at_, count);
}

}  // namespace wharf
