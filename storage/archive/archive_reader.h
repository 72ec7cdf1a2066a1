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
#include "storage/sealed/block_cipher.h"
#include "storage/sealed/recipient.h"

namespace rocksdb {
class FSRandomAccessFile;
}

namespace wharf {

struct ArchiveBlock {
  ArchiveBlockHead head{};
  std::string data{};
  // As it was written, for want of keys; else the data are in the clear.
  bool is_sealed = false;
};

// One file, up to the first block that cannot be read.
class ArchiveFileReader {
 public:
  // Null: blocks that are encrypted stay so. Keys outlive it.
  ArchiveFileReader(rocksdb::FileSystem& file_system, std::string path, const ArchiveFileName& name,
                    const RecipientKeys* keys = nullptr);
  ~ArchiveFileReader();

  // Reads what stands before the blocks, once, unless Next has done it. False: that is not there.
  Result<bool> Open();
  // None: it ends here. An error is one of the disk, or of a key.
  Result<std::optional<ArchiveBlock>> Next();
  // When it was opened, whose key it is encrypted to; empty: none's.
  const std::string& encrypted_to() const { return key_.encrypted_to; }

 private:
  // Fewer bytes, where the file ends.
  Result<std::string> Read(std::size_t bytes);
  Result<bool> ReadKey();
  Status TakeKey();

  rocksdb::FileSystem& file_system_;
  const std::string path_;
  const ArchiveFileName name_;
  const RecipientKeys* const keys_;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
  ArchiveKey key_{};
  std::optional<BlockCipher> cipher_{};
  std::uint64_t place_ = 0;
  // Of the file, when it was opened.
  std::uint64_t bytes_ = 0;
  CommitIndex next_{};
};

class ArchiveReader {
 public:
  // The folder outlives it, and so do keys. Null: what is encrypted stays so.
  ArchiveReader(const ArchiveFolder& folder, std::uint64_t run, const RecipientKeys* keys = nullptr)
      : folder_(folder), run_(run), keys_(keys) {}

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
  const RecipientKeys* const keys_;
  std::vector<ArchiveFile> files_{};
  // Of the file that is read next.
  std::size_t at_ = 0;
  std::unique_ptr<ArchiveFileReader> file_{};
  CommitIndex next_{};
};

}  // namespace wharf
