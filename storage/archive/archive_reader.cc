#include "storage/archive/archive_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {

ArchiveFileReader::ArchiveFileReader(rocksdb::FileSystem& file_system, std::string path,
                                     const ArchiveFileName& name, const RecipientKeys* keys)
    : file_system_(file_system), path_(std::move(path)), name_(name), keys_(keys) {}

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
  if (!head || head->run != name_.run || head->first != name_.first) return false;
  return head->is_encrypted ? ReadKey() : Result<bool>(true);
}

// One that a crash has torn is as a file that ends at once.
Result<bool> ArchiveFileReader::ReadKey() {
  Result<std::string> fixed = Read(ArchiveKey::kFixedBytes);
  if (!fixed.ok()) return fixed.status();
  const std::optional<std::size_t> length = ArchiveKey::LengthBehind(*fixed);
  if (!length) return false;
  const Result<std::string> rest = Read(*length);
  if (!rest.ok()) return rest.status();
  const std::optional<ArchiveKey> key = ArchiveKey::Decode(*fixed + *rest);
  if (!key) return false;
  key_ = *key;
  WHARF_RETURN_IF_ERROR(TakeKey());
  return true;
}

Status ArchiveFileReader::TakeKey() {
  if (keys_ == nullptr) return {};
  const RecipientKey* const key = FindKey(*keys_, key_.encrypted_to);
  if (key == nullptr) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("the archive of this backup is encrypted, and --decrypt-with names no "
                        "private key of the public key {}: {}",
                        key_.encrypted_to, path_)};
  }
  Result<BlockCipher> cipher = BlockCipher::Open(key_.wrapped, *key, path_);
  if (!cipher.ok()) return cipher.status();
  cipher_ = *std::move(cipher);
  return {};
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
  if (cipher_) {
    data = cipher_->OpenBlock(*data, head->first.value(), head->Checked(head->length), path_);
    if (!data.ok()) return data.status();
  }
  const bool is_sealed = !encrypted_to().empty() && !cipher_;
  return std::optional(ArchiveBlock{*head, *std::move(data), is_sealed});
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
      file_ = std::make_unique<ArchiveFileReader>(folder_.file_system(), folder_.PathOf(name), name,
                                                  keys_);
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
