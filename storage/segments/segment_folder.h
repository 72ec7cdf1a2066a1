// SegmentFolder: the files of a log: their names, and what is done to them durably.
//
//   00000001.segment        the first one
//   00000002.segment.new    a segment that is being made; of no use until it has its name
//   00000001.segment.spare  one that the log can do without; to be written over
//   LOCK                    held while the log is open
//
// Used by SegmentLog and SegmentReplay, on the log's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "storage/base/status.h"
#include "storage/segments/segment_file.h"
#include "storage/segments/segment_format.h"

namespace wharf {

class SegmentFolder {
 public:
  SegmentFolder(std::shared_ptr<rocksdb::FileSystem> file_system, std::string path);
  // Gives up the lock.
  ~SegmentFolder();

  SegmentFolder(const SegmentFolder&) = delete;
  SegmentFolder& operator=(const SegmentFolder&) = delete;

  const std::string& path() const { return path_; }
  rocksdb::FileSystem& file_system() const { return *file_system_; }
  std::string PathOf(std::uint64_t number) const;

  // Makes the folder if it is missing, durably and with its parents.
  Status Make();
  Status Lock();
  Status Sync();

  // In their order. A folder that is not there has none.
  Result<std::vector<std::uint64_t>> List() const;
  Status Remove(std::uint64_t number);
  // What was left of segments that were being made.
  Status RemoveUnfinished();

  // Paths of spare ones. A segment becomes one, if it is there, when the folder is synced, and not
  // before may it be written over.
  Result<std::vector<std::string>> ListSpares() const;
  Result<std::optional<std::string>> MakeSpare(std::uint64_t number);
  Status RemoveSpare(const std::string& path);

  // Makes a segment of which nothing counts but its head, in the file of a spare one if there is
  // any, and nobody has removed it; else its file takes so much of the disk ahead. It has its name
  // when its bytes are on the disk, and this returns when its name is, too.
  Result<std::unique_ptr<SegmentFile>> Create(const SegmentHead& head,
                                              const std::optional<std::string>& spare,
                                              std::size_t bytes_ahead);
  // To be written to, from any place on.
  Result<std::unique_ptr<SegmentFile>> Reopen(std::uint64_t number);
  // The same bytes, and syncs the file: they may be in memory only, also those that a sync which
  // failed has called clean.
  Status WriteAgain(std::uint64_t number, std::uint64_t begin, std::uint64_t end);
  Result<std::unique_ptr<rocksdb::FSRandomAccessFile>> OpenToRead(std::uint64_t number) const;
  Result<std::uint64_t> BytesOf(std::uint64_t number) const { return BytesOf(PathOf(number)); }
  Result<std::uint64_t> BytesOf(const std::string& path) const;

 private:
  Result<std::vector<std::string>> ListNames() const;

  const std::shared_ptr<rocksdb::FileSystem> file_system_;
  const std::string path_;
  rocksdb::FileLock* lock_ = nullptr;
};

}  // namespace wharf
