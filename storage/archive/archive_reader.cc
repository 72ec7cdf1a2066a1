#include "storage/archive/archive_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {

ArchiveFileReader::ArchiveFileReader(rocksdb::FileSystem& file_system, std::string path,
                                     const ArchiveFileName& name)
    : file_system_(file_system), path_(std::move(path)), name_(name) {}

ArchiveFileReader::~ArchiveFileReader() = default;

// One that is gone is as one that ends at once.
Result<bool> ArchiveFileReader::Open() {
  rocksdb::IOStatus opened =
      file_system_.NewRandomAccessFile(path_, rocksdb::FileOptions(), &file_, nullptr);
  if (opened.ok()) opened = file_system_.GetFileSize(path_, kNoOptions, &bytes_, nullptr);
  if (opened.IsNotFound() || opened.IsPathNotFound()) return false;
  if (!opened.ok()) return FromRocks(opened, "cannot read " + path_);
  const Result<std::string> bytes = Read(ArchiveHead::kBytes);
  if (!bytes.ok()) return bytes.status();
  const std::optional<ArchiveHead> head = ArchiveHead::Decode(*bytes);
  next_ = name_.first;
  return head && head->run == name_.run && head->first == name_.first;
}

Result<std::string> ArchiveFileReader::Read(std::size_t bytes) {
  std::string space(bytes, '\0');
  rocksdb::Slice read;
  const rocksdb::IOStatus status =
      file_->Read(place_, bytes, kNoOptions, &read, space.data(), nullptr);
  if (!status.ok()) return FromRocks(status, "cannot read " + path_);
  place_ += read.size();
  if (read.data() != space.data()) return read.ToString();
  space.resize(read.size());
  return space;
}

Result<std::optional<ArchiveBlock>> ArchiveFileReader::Next() {
  const auto end = std::optional<ArchiveBlock>();
  if (!file_) {
    const Result<bool> opened = Open();
    if (!opened.ok()) return opened.status();
    if (!*opened) return end;
  }
  const Result<std::string> bytes = Read(ArchiveBlockHead::kBytes);
  if (!bytes.ok()) return bytes.status();
  const std::optional<ArchiveBlockHead> head = ArchiveBlockHead::Decode(*bytes);
  if (!head || head->run != name_.run || head->first != next_) return end;
  // Whatever a damaged length says, no more is asked for than there is.
  if (head->length > bytes_ - std::min(bytes_, place_)) return end;
  Result<std::string> data = Read(head->length);
  if (!data.ok()) return data.status();
  if (!head->Fits(*data)) return end;
  next_ = head->last.Next();
  return std::optional(ArchiveBlock{*head, *std::move(data)});
}

Status ArchiveReader::Missing() const {
  return Status::Damage(fmt::format("the archive {} has a hole: commit {} is missing or damaged",
                                    folder_.path(), next_.value()));
}

Status ArchiveReader::Seek(CommitIndex first) {
  const Result<std::vector<ArchiveFile>> files = folder_.Files();
  if (!files.ok()) return files.status();
  for (const ArchiveFile& file : *files) {
    if (file.name.run == run_) files_.push_back(file);
  }
  next_ = first;
  if (files_.empty() || files_.front().name.first > first) return Missing();
  while (at_ + 1 < files_.size() && files_[at_ + 1].name.first <= first) ++at_;
  next_ = files_[at_].name.first;
  return {};
}

Result<std::optional<ArchiveBlock>> ArchiveReader::Next() {
  while (true) {
    if (!file_) {
      if (at_ == files_.size()) return std::optional<ArchiveBlock>();
      const ArchiveFileName& name = files_[at_++].name;
      if (name.first != next_) return Missing();
      file_ =
          std::make_unique<ArchiveFileReader>(folder_.file_system(), folder_.PathOf(name), name);
    }
    Result<std::optional<ArchiveBlock>> block = file_->Next();
    if (!block.ok()) return block;
    if (*block) {
      next_ = (*block)->head.last.Next();
      return block;
    }
    file_.reset();
  }
}

}  // namespace wharf
