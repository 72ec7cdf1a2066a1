#include "tests/power/power_loss_file_system.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <rocksdb/env.h>

// For the leak sanitizer: RocksDB loses a memtable when it cannot create the next log.
// NOLINTNEXTLINE(readability-identifier-naming): the sanitizer chose the name.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:rocksdb::DBImpl::SwitchMemtable\n";
}

namespace wharf {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

std::string_view ToView(const Slice& slice) { return {slice.data(), slice.size()}; }

// RocksDB writes a slash too many here and there.
std::string Clean(const std::string& path) {
  std::string clean = std::filesystem::path(path).lexically_normal().string();
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean;
}

class SequentialFile final : public rocksdb::FSSequentialFile {
 public:
  SequentialFile(PowerLossDisk& disk, DiskHandle handle)
      : disk_(disk), handle_(std::move(handle)) {}

  IOStatus Read(std::size_t size, const IOOptions&, Slice* result, char* space,
                IODebugContext*) override {
    std::size_t read = 0;
    IOStatus status = disk_.Read(handle_, offset_, size, space, read);
    offset_ += read;
    *result = Slice(space, read);
    return status;
  }
  IOStatus Skip(std::uint64_t size) override {
    offset_ += size;
    return IOStatus::OK();
  }

 private:
  PowerLossDisk& disk_;
  const DiskHandle handle_;
  std::uint64_t offset_ = 0;
};

class RandomAccessFile final : public rocksdb::FSRandomAccessFile {
 public:
  RandomAccessFile(PowerLossDisk& disk, DiskHandle handle)
      : disk_(disk), handle_(std::move(handle)) {}

  IOStatus Read(std::uint64_t offset, std::size_t size, const IOOptions&, Slice* result,
                char* space, IODebugContext*) const override {
    std::size_t read = 0;
    IOStatus status = disk_.Read(handle_, offset, size, space, read);
    *result = Slice(space, read);
    return status;
  }

 private:
  PowerLossDisk& disk_;
  const DiskHandle handle_;
};

class WritableFile : public rocksdb::FSWritableFile {
 public:
  WritableFile(PowerLossDisk& disk, DiskHandle handle) : disk_(disk), handle_(std::move(handle)) {}

  using rocksdb::FSWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    return disk_.Append(handle_, ToView(data));
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions&, IODebugContext*) override {
    return disk_.Truncate(handle_, size);
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return disk_.Sync(handle_); }
  bool IsSyncThreadSafe() const override { return true; }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override {
    std::uint64_t size = 0;
    return disk_.Size(handle_, size).ok() ? size : 0;
  }

 private:
  PowerLossDisk& disk_;
  const DiskHandle handle_;
};

// Takes what it will need of the disk ahead, as zeros that are part of its length, and gives back
// at its end what it did not need; a power cut leaves it.
class AheadFile final : public WritableFile {
 public:
  AheadFile(PowerLossDisk& disk, DiskHandle handle)
      : WritableFile(disk, handle), disk_(disk), handle_(std::move(handle)) {}
  ~AheadFile() override { Close(rocksdb::IOOptions(), nullptr).PermitUncheckedError(); }

  using WritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    IOStatus status = disk_.Write(handle_, end_, ToView(data));
    if (status.ok()) end_ += data.size();
    return status;
  }
  IOStatus Allocate(std::uint64_t offset, std::uint64_t size, const IOOptions&,
                    IODebugContext*) override {
    std::uint64_t before = 0;
    IOStatus status = disk_.Size(handle_, before);
    if (!status.ok() || before >= offset + size) return status;
    if (disk_.free_bytes() < offset + size - before) return IOStatus::NoSpace("the disk is full");
    is_ahead_ = true;
    return disk_.Truncate(handle_, offset + size);
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override {
    return std::exchange(is_ahead_, false) ? disk_.Truncate(handle_, end_) : IOStatus::OK();
  }

 private:
  PowerLossDisk& disk_;
  const DiskHandle handle_;
  std::uint64_t end_ = 0;
  bool is_ahead_ = false;
};

// What is written when the power is off is lost anyway, and nobody is there to hear of it. But the
// process of a test lives on, and RocksDB 7.8 aborts when a compaction cannot write a table that
// has no keys, or a flush of several tables at once fails anywhere, or the edit of another thread
// fails while a compaction by hand is in the MANIFEST (storage/rocks/README.md). So for RocksDB's
// tables, blob files and MANIFESTs all seems to be well; all but the last can even be read. The log
// fails, and so does whatever makes, names or removes a file, and the sync of a folder, except
// where there is no log (ForgiveFolderSyncs). Who is told that a flush has succeeded asks the disk
// afterwards.
class TableFile final : public WritableFile {
 public:
  TableFile(PowerLossDisk& disk, DiskHandle handle, std::string path, LostFiles& lost)
      : WritableFile(disk, std::move(handle)), disk_(disk), path_(std::move(path)), lost_(lost) {}

  using WritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    written_.append(data.data(), data.size());
    return Forgive(WritableFile::Append(data, options, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    // The power may also go before RocksDB looks at what it has written.
    lost_.Keep(path_, written_);
    return Forgive(WritableFile::Sync(options, debug));
  }

 private:
  IOStatus Forgive(IOStatus status) const {
    if (disk_.has_power()) return status;
    lost_.Keep(path_, written_);
    return IOStatus::OK();
  }

  PowerLossDisk& disk_;
  const std::string path_;
  LostFiles& lost_;
  std::string written_;
};

class ManifestFile final : public WritableFile {
 public:
  ManifestFile(PowerLossDisk& disk, DiskHandle handle)
      : WritableFile(disk, std::move(handle)), disk_(disk) {}

  using WritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return Forgive(WritableFile::Append(data, options, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return Forgive(WritableFile::Sync(options, debug));
  }

 private:
  IOStatus Forgive(IOStatus status) const {
    return disk_.has_power() ? std::move(status) : IOStatus::OK();
  }

  PowerLossDisk& disk_;
};

class LostTable final : public rocksdb::FSRandomAccessFile {
 public:
  explicit LostTable(std::string bytes) : bytes_(std::move(bytes)) {}

  IOStatus Read(std::uint64_t offset, std::size_t size, const IOOptions&, Slice* result,
                char* space, IODebugContext*) const override {
    const std::size_t begin = std::min<std::uint64_t>(offset, bytes_.size());
    const std::size_t count = std::min(size, bytes_.size() - begin);
    std::copy_n(bytes_.data() + begin, count, space);
    *result = Slice(space, count);
    return IOStatus::OK();
  }

 private:
  const std::string bytes_;
};

class RandomRwFile final : public rocksdb::FSRandomRWFile {
 public:
  RandomRwFile(PowerLossDisk& disk, DiskHandle handle) : disk_(disk), handle_(std::move(handle)) {}

  IOStatus Write(std::uint64_t offset, const Slice& data, const IOOptions&,
                 IODebugContext*) override {
    return disk_.Write(handle_, offset, ToView(data));
  }
  IOStatus Read(std::uint64_t offset, std::size_t size, const IOOptions&, Slice* result,
                char* space, IODebugContext*) const override {
    std::size_t read = 0;
    IOStatus status = disk_.Read(handle_, offset, size, space, read);
    *result = Slice(space, read);
    return status;
  }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return disk_.Sync(handle_); }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  PowerLossDisk& disk_;
  const DiskHandle handle_;
};

class Directory final : public rocksdb::FSDirectory {
 public:
  Directory(PowerLossDisk& disk, DiskHandle handle, std::string path, bool forgives)
      : disk_(disk), handle_(std::move(handle)), path_(std::move(path)), forgives_(forgives) {}

  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    IOStatus status = disk_.SyncFolder(handle_, path_);
    return forgives_ && !disk_.has_power() ? IOStatus::OK() : status;
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  PowerLossDisk& disk_;
  const DiskHandle handle_;
  const std::string path_;
  const bool forgives_;
};

class Lock final : public rocksdb::FileLock {
 public:
  explicit Lock(std::string path) : path(std::move(path)) {}
  const std::string path;
};

// RocksDB's own diary is thrown away: it must not be what fills the disk or cuts the power.
class InfoLogFile final : public rocksdb::FSWritableFile {
 public:
  using rocksdb::FSWritableFile::Append;
  IOStatus Append(const Slice&, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return 0; }
};

}  // namespace

IOStatus PowerLossFileSystem::NewSequentialFile(const std::string& path, const FileOptions&,
                                                std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                                IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  if (status.ok()) *file = std::make_unique<SequentialFile>(disk_, std::move(handle));
  return status;
}

IOStatus PowerLossFileSystem::NewRandomAccessFile(
    const std::string& path, const FileOptions&, std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
    IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  const auto lost = disk_.has_power() ? std::nullopt : lost_.Find(Clean(path));
  if (lost) {
    *file = std::make_unique<LostTable>(*lost);
    return IOStatus::OK();
  }
  if (status.ok()) *file = std::make_unique<RandomAccessFile>(disk_, std::move(handle));
  return status;
}

IOStatus PowerLossFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                                              IODebugContext*) {
  if (path.ends_with("/LOG")) {
    *file = std::make_unique<InfoLogFile>();
    return IOStatus::OK();
  }
  DiskHandle handle;
  const bool is_table = path.ends_with(".sst") || path.ends_with(".blob");
  const bool is_manifest = path.find("/MANIFEST-") != std::string::npos;
  IOStatus status = disk_.Create(Clean(path), handle);
  if (is_table && !disk_.has_power()) status = IOStatus::OK();
  if (!status.ok()) return status;
  if (is_table) {
    *file = std::make_unique<TableFile>(disk_, std::move(handle), Clean(path), lost_);
  } else if (is_manifest) {
    *file = std::make_unique<ManifestFile>(disk_, std::move(handle));
  } else if (!options.fallocate_with_keep_size) {
    *file = std::make_unique<AheadFile>(disk_, std::move(handle));
  } else {
    *file = std::make_unique<WritableFile>(disk_, std::move(handle));
  }
  return status;
}

IOStatus PowerLossFileSystem::ReopenWritableFile(const std::string& path, const FileOptions&,
                                                 std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                 IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  if (status.IsPathNotFound()) status = disk_.Create(Clean(path), handle);
  if (status.ok()) *file = std::make_unique<WritableFile>(disk_, std::move(handle));
  return status;
}

IOStatus PowerLossFileSystem::NewRandomRWFile(const std::string& path, const FileOptions&,
                                              std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                              IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  if (status.ok()) *file = std::make_unique<RandomRwFile>(disk_, std::move(handle));
  return status;
}

IOStatus PowerLossFileSystem::NewDirectory(const std::string& path, const IOOptions&,
                                           std::unique_ptr<rocksdb::FSDirectory>* directory,
                                           IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  if (status.ok()) {
    *directory =
        std::make_unique<Directory>(disk_, std::move(handle), Clean(path), forgives_folder_syncs_);
  }
  return status;
}

IOStatus PowerLossFileSystem::FileExists(const std::string& path, const IOOptions&,
                                         IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  // For a checkpoint RocksDB 7.8 looks for archived logs, and aborts if it cannot.
  const bool is_archive = path.ends_with("/archive");
  if (status.IsPathNotFound() || (is_archive && !status.ok())) return IOStatus::NotFound(path);
  return status;
}

IOStatus PowerLossFileSystem::GetChildren(const std::string& path, const IOOptions&,
                                          std::vector<std::string>* names, IODebugContext*) {
  return disk_.List(Clean(path), *names);
}

IOStatus PowerLossFileSystem::DeleteFile(const std::string& path, const IOOptions&,
                                         IODebugContext*) {
  lost_.Drop(Clean(path));
  return disk_.Remove(Clean(path));
}

IOStatus PowerLossFileSystem::Truncate(const std::string& path, std::size_t size, const IOOptions&,
                                       IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  return status.ok() ? disk_.Truncate(handle, size) : status;
}

IOStatus PowerLossFileSystem::CreateDir(const std::string& path, const IOOptions&,
                                        IODebugContext*) {
  return disk_.MakeFolder(Clean(path));
}

IOStatus PowerLossFileSystem::CreateDirIfMissing(const std::string& path, const IOOptions& options,
                                                 IODebugContext* debug) {
  return FileExists(path, options, debug).ok() ? IOStatus::OK() : disk_.MakeFolder(Clean(path));
}

IOStatus PowerLossFileSystem::DeleteDir(const std::string& path, const IOOptions&,
                                        IODebugContext*) {
  return disk_.Remove(Clean(path));
}

IOStatus PowerLossFileSystem::GetFileSize(const std::string& path, const IOOptions&,
                                          std::uint64_t* size, IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  return status.ok() ? disk_.Size(handle, *size) : status;
}

IOStatus PowerLossFileSystem::GetFileModificationTime(const std::string& path, const IOOptions&,
                                                      std::uint64_t* time, IODebugContext*) {
  DiskHandle handle;
  *time = 0;
  return disk_.Open(Clean(path), handle);
}

IOStatus PowerLossFileSystem::RenameFile(const std::string& from, const std::string& to,
                                         const IOOptions&, IODebugContext*) {
  return disk_.Rename(Clean(from), Clean(to));
}

IOStatus PowerLossFileSystem::LinkFile(const std::string& from, const std::string& to,
                                       const IOOptions&, IODebugContext*) {
  return disk_.Link(Clean(from), Clean(to));
}

IOStatus PowerLossFileSystem::AreFilesSame(const std::string& first, const std::string& second,
                                           const IOOptions&, bool* same, IODebugContext*) {
  DiskHandle one;
  DiskHandle other;
  IOStatus status = disk_.Open(Clean(first), one);
  if (status.ok()) status = disk_.Open(Clean(second), other);
  *same = status.ok() && one.node == other.node;
  return status;
}

IOStatus PowerLossFileSystem::LockFile(const std::string& path, const IOOptions&,
                                       rocksdb::FileLock** lock, IODebugContext*) {
  IOStatus status = disk_.Lock(Clean(path));
  *lock = status.ok() ? new Lock(Clean(path)) : nullptr;
  return status;
}

IOStatus PowerLossFileSystem::UnlockFile(rocksdb::FileLock* lock, const IOOptions&,
                                         IODebugContext*) {
  const std::unique_ptr<Lock> held(static_cast<Lock*>(lock));
  return disk_.Unlock(held->path);
}

IOStatus PowerLossFileSystem::GetTestDirectory(const IOOptions&, std::string* path,
                                               IODebugContext*) {
  path->assign(1, '/');
  return IOStatus::OK();
}

IOStatus PowerLossFileSystem::GetAbsolutePath(const std::string& path, const IOOptions&,
                                              std::string* absolute, IODebugContext*) {
  *absolute = Clean(path);
  return IOStatus::OK();
}

IOStatus PowerLossFileSystem::GetFreeSpace(const std::string&, const IOOptions&,
                                           std::uint64_t* bytes, IODebugContext*) {
  *bytes = disk_.free_bytes();
  return IOStatus::OK();
}

IOStatus PowerLossFileSystem::IsDirectory(const std::string& path, const IOOptions&,
                                          bool* is_directory, IODebugContext*) {
  DiskHandle handle;
  IOStatus status = disk_.Open(Clean(path), handle);
  *is_directory = status.ok() && handle.node->is_folder();
  return status;
}

}  // namespace wharf
