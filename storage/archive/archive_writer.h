// ArchiveWriter: writes runs of committed batches into files, and removes the oldest of these when
// there are too many bytes.
//
// A block is written as one and is there for a process that dies behind it; for a power cut when it
// is synced. After an error the file is left as it is, and its run cannot go on. On the archive's
// thread.
#pragma once

#include <cstdint>
#include <functional>
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
class FSWritableFile;
}

namespace wharf {

class ArchiveWriter {
 public:
  static constexpr std::size_t kFilesMax = 1024;

  struct Options {
    std::uint64_t bytes_max = 0;
    // Before another one is begun.
    std::uint64_t file_bytes = 0;
    // Whom blocks are encrypted to; none: they are in the clear.
    std::optional<Recipient> encrypt_to{};
  };

  // The folder outlives it.
  ArchiveWriter(const ArchiveFolder& folder, const Options& options);
  ~ArchiveWriter();

  // What is appended next is of this run, and goes on there with this commit. Its file is there
  // when this returns.
  Status Begin(std::uint64_t run, CommitIndex first);
  // In their order, without a gap, and behind all before; as one block.
  Status Append(const std::vector<ArchivedBatches>& records);
  Status Sync();
  // Durably.
  Status End();

  std::uint64_t unsynced_bytes() const { return unsynced_; }
  CommitIndex next() const { return next_; }

 private:
  Status BeginFile();
  Status WriteHead();
  Status CheckRoom() const;
  Status Write(const std::string& bytes);
  Status Say(const Status& status);

  const ArchiveFolder& folder_;
  const Options options_;
  std::uint64_t run_ = 0;
  CommitIndex next_{};
  std::unique_ptr<rocksdb::FSWritableFile> file_;
  // Of the file, if it is encrypted.
  std::optional<BlockCipher> cipher_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t unsynced_ = 0;
};

}  // namespace wharf
