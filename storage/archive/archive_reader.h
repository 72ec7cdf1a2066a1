// ArchiveReader: reads the batches of a run, in their order, from one file to the next.
//
// What does not follow what was read before is never given: a gap, a block that is not what was
// written with nothing behind it that takes its place, or a file that is gone is where it ends, and
// it says so. Used on one thread; holds one block in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/archive/archive_folder.h"
#include "storage/archive/archive_format.h"
#include "storage/base/status.h"

namespace rocksdb {
class FSRandomAccessFile;
}

namespace wharf {

struct ArchiveBlock {
  ArchiveBlockHead head{};
  std::string data{};
};

// One file, up to the first block that cannot be read.
class ArchiveFileReader {
 public:
  ArchiveFileReader(rocksdb::FileSystem& file_system, std::string path,
                    const ArchiveFileName& name);
  ~ArchiveFileReader();

  // None: it ends here. An error is one of the disk.
  Result<std::optional<ArchiveBlock>> Next();

 private:
  // Fewer bytes, where the file ends.
  Result<std::string> Read(std::size_t bytes);
  Result<bool> Open();

  rocksdb::FileSystem& file_system_;
  const std::string path_;
  const ArchiveFileName name_;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
  std::uint64_t place_ = 0;
  // Of the file, when it was opened.
  std::uint64_t bytes_ = 0;
  CommitIndex next_{};
};

class ArchiveReader {
 public:
  // The folder outlives it.
  ArchiveReader(const ArchiveFolder& folder, std::uint64_t run) : folder_(folder), run_(run) {}

  // From this commit on. Damage: it is not there.
  Status Seek(CommitIndex first);
  // None: the run ends here. Damage: more of it is there, but not what comes next.
  Result<std::optional<ArchiveBlock>> Next();
  // What Next gives next.
  CommitIndex next() const { return next_; }

 private:
  Status Missing() const;

  const ArchiveFolder& folder_;
  const std::uint64_t run_;
  std::vector<ArchiveFile> files_{};
  // Of the file that is read next.
  std::size_t at_ = 0;
  std::unique_ptr<ArchiveFileReader> file_{};
  CommitIndex next_{};
};

}  // namespace wharf
