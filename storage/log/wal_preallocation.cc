#include "storage/log/wal_preallocation.h"

#include <algorithm>
#include <string>
#include <utility>

namespace wharf {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOStatus;

constexpr std::size_t kBytesAhead = 4 << 20;

class WalFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  void SetPreallocationBlockSize(std::size_t size) override {
    FSWritableFileOwnerWrapper::SetPreallocationBlockSize(std::min(size, kBytesAhead));
  }
};

class WalFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "wharf.wal-preallocation"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, debug);
    if (status.ok() && path.ends_with(".log")) *file = std::make_unique<WalFile>(std::move(*file));
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> WithSmallWalPreallocation(
    const std::shared_ptr<rocksdb::FileSystem>& file_system) {
  return std::make_shared<WalFileSystem>(file_system);
}

}  // namespace wharf
