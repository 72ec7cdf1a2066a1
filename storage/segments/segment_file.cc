#include "storage/segments/segment_file.h"

#include <utility>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

class GrowingFile final : public SegmentFile {
 public:
  explicit GrowingFile(std::unique_ptr<rocksdb::FSWritableFile> file) : file_(std::move(file)) {}

  rocksdb::IOStatus Write(std::uint64_t offset, std::string_view bytes) override {
    file_->PrepareWrite(offset, bytes.size(), kNoOptions, nullptr);
    return file_->Append(ToSlice(bytes), kNoOptions, nullptr);
  }
  rocksdb::IOStatus Sync() override { return file_->Sync(kNoOptions, nullptr); }
  rocksdb::IOStatus Close() override { return file_->Close(kNoOptions, nullptr); }

 private:
  const std::unique_ptr<rocksdb::FSWritableFile> file_;
};

class WrittenOverFile final : public SegmentFile {
 public:
  explicit WrittenOverFile(std::unique_ptr<rocksdb::FSRandomRWFile> file)
      : file_(std::move(file)) {}

  rocksdb::IOStatus Write(std::uint64_t offset, std::string_view bytes) override {
    return file_->Write(offset, ToSlice(bytes), kNoOptions, nullptr);
  }
  rocksdb::IOStatus Sync() override { return file_->Sync(kNoOptions, nullptr); }
  rocksdb::IOStatus Close() override { return file_->Close(kNoOptions, nullptr); }

 private:
  const std::unique_ptr<rocksdb::FSRandomRWFile> file_;
};

}  // namespace

std::unique_ptr<SegmentFile> Growing(std::unique_ptr<rocksdb::FSWritableFile> file) {
  return std::make_unique<GrowingFile>(std::move(file));
}

std::unique_ptr<SegmentFile> WrittenOver(std::unique_ptr<rocksdb::FSRandomRWFile> file) {
  return std::make_unique<WrittenOverFile>(std::move(file));
}

}  // namespace wharf
