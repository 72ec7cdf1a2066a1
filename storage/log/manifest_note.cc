#include "storage/log/manifest_note.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include <rocksdb/env.h>

#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

using rocksdb::FSWritableFile;
using rocksdb::FSWritableFileOwnerWrapper;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr std::string_view kSuffix = ".synced";
constexpr std::size_t kRecordBytes = 16;

std::string NoteOf(const std::string& manifest) { return manifest + std::string(kSuffix); }

bool IsManifest(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.starts_with("MANIFEST-") && !name.ends_with(kSuffix);
}

void AppendFixed(std::uint64_t number, std::string& bytes) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
}

std::uint64_t Fixed(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 8; i > 0; --i)
    number = number << 8 | static_cast<std::uint8_t>(bytes[i - 1]);
  return number;
}

class NotedManifest final : public FSWritableFileOwnerWrapper {
 public:
  NotedManifest(std::unique_ptr<FSWritableFile> manifest, std::unique_ptr<FSWritableFile> note)
      : FSWritableFileOwnerWrapper(std::move(manifest)), note_(std::move(note)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    size_ += data.size();
    return FSWritableFileOwnerWrapper::Append(data, options, debug);
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    size_ += data.size();
    return FSWritableFileOwnerWrapper::Append(data, options, verification, debug);
  }

  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = FSWritableFileOwnerWrapper::Sync(options, debug);
    return status.ok() ? Note(options, debug) : status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = FSWritableFileOwnerWrapper::Fsync(options, debug);
    return status.ok() ? Note(options, debug) : status;
  }

  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = FSWritableFileOwnerWrapper::Close(options, debug);
    IOStatus closed = note_->Close(options, debug);
    return status.ok() ? closed : status;
  }

 private:
  IOStatus Note(const IOOptions& options, IODebugContext* debug) {
    std::string record;
    AppendFixed(size_, record);
    AppendFixed(~size_, record);
    IOStatus status = note_->Append(record, options, debug);
    if (status.ok()) status = note_->Flush(options, debug);
    if (status.ok()) status = note_->Fsync(options, debug);
    return status;
  }

  const std::unique_ptr<FSWritableFile> note_;
  std::uint64_t size_ = 0;
};

class NotingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "wharf.manifest-notes"; }

  // RocksDB syncs the folder before a new MANIFEST counts, and with it the note's name.
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    if (!IsManifest(path)) return FileSystemWrapper::NewWritableFile(path, options, file, debug);
    std::unique_ptr<FSWritableFile> manifest, note;
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, &manifest, debug);
    if (status.ok()) {
      status =
          FileSystemWrapper::NewWritableFile(NoteOf(path), rocksdb::FileOptions(), &note, debug);
    }
    if (status.ok()) {
      *file = std::make_unique<NotedManifest>(std::move(manifest), std::move(note));
    }
    return status;
  }

  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::DeleteFile(path, options, debug);
    if (status.ok() && IsManifest(path)) {
      FileSystemWrapper::DeleteFile(NoteOf(path), options, debug).PermitUncheckedError();
    }
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> WithManifestNotes(
    const std::shared_ptr<rocksdb::FileSystem>& file_system) {
  return std::make_shared<NotingFileSystem>(file_system);
}

Result<std::optional<std::uint64_t>> ReadManifestNote(rocksdb::FileSystem& file_system,
                                                      const std::string& manifest) {
  const std::string path = NoteOf(manifest);
  if (!file_system.FileExists(path, IOOptions(), nullptr).ok())
    return std::optional<std::uint64_t>();
  std::string bytes;
  const rocksdb::Status status = rocksdb::ReadFileToString(&file_system, path, &bytes);
  if (!status.ok()) return FromRocks(status, "cannot read " + path);
  std::optional<std::uint64_t> synced;
  for (std::string_view left = bytes; left.size() >= kRecordBytes;
       left.remove_prefix(kRecordBytes)) {
    const std::uint64_t size = Fixed(left);
    if (Fixed(left.substr(8)) == ~size) synced = std::max(synced.value_or(0), size);
  }
  return synced;
}

}  // namespace wharf
