// SegmentFile: the file that a segment is written to: one that grows, or one that was a segment
// before and is written over.
//
// A file system has to remember where the blocks of a file that grows are, and a sync waits for
// that, too; in one that is written over only bytes change. Made by the SegmentFolder, used by the
// SegmentWriter.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <rocksdb/file_system.h>

namespace wharf {

class SegmentFile {
 public:
  virtual ~SegmentFile() = default;
  // At the end of what was written.
  virtual rocksdb::IOStatus Write(std::uint64_t offset, std::string_view bytes) = 0;
  virtual rocksdb::IOStatus Sync() = 0;
  virtual rocksdb::IOStatus Close() = 0;
};

std::unique_ptr<SegmentFile> Growing(std::unique_ptr<rocksdb::FSWritableFile> file);
std::unique_ptr<SegmentFile> WrittenOver(std::unique_ptr<rocksdb::FSRandomRWFile> file);

}  // namespace wharf
