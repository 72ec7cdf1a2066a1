// IncomingSnapshot: the files of a snapshot that this node is being sent, in a folder where nothing
// looks for a state.
//
//   FOLDER/SNAPSHOT   the manifest; written first
//   FOLDER/...        its files: whole, then the one that is being written, in their order
//
// What a crash or a lost connection left is gone on with: a whole file counts if its checksum does,
// of the one behind it what is there. When all of them are there they are synced, and only then it
// is whole. Owned by a SnapshotReceiver; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <rocksdb/file_system.h>

#include "replication/snapshots/snapshot_manifest.h"
#include "storage/base/status.h"

namespace wharf {

class IncomingSnapshot {
 public:
  // What comes next: of this file, from there on, so much.
  struct Missing {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  // Goes on with what the folder has of this snapshot; another one's is thrown away.
  static Result<std::unique_ptr<IncomingSnapshot>> Open(
      std::shared_ptr<rocksdb::FileSystem> file_system, std::string folder,
      SnapshotManifest manifest);

  const SnapshotManifest& manifest() const { return manifest_; }
  // Nothing: it is whole, and on the disk.
  std::optional<Missing> missing() const;
  // Bytes that are there.
  std::uint64_t bytes() const { return whole_bytes_ + written_; }

  // The next bytes of what is missing, no more than that. A file that comes out other than the
  // manifest has it is damage, and is missing again from its beginning.
  Status Write(std::string_view bytes);

 private:
  IncomingSnapshot(std::shared_ptr<rocksdb::FileSystem> file_system, std::string folder,
                   SnapshotManifest manifest);

  Status Begin();
  // Whether the folder is of this snapshot.
  bool IsResumable() const;
  Status Resume();
  // What is there of the file that is missing.
  Status Look();
  Status OpenFile();
  Status FinishFile();
  Status Drop();
  // Files without a byte are there when they are made.
  Status TakeEmpty();

  const StateFile& file() const { return manifest_.files[at_]; }
  std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }

  const std::shared_ptr<rocksdb::FileSystem> file_system_;
  const std::string folder_;
  const SnapshotManifest manifest_;

  // The file that is missing, in the order of the manifest, and what is there of it.
  std::size_t at_ = 0;
  std::uint64_t written_ = 0;
  std::uint32_t crc_ = 0;
  std::unique_ptr<rocksdb::FSWritableFile> writer_;
  std::uint64_t whole_bytes_ = 0;
};

}  // namespace wharf
