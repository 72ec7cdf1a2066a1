// BackupManifest: what a backup consists of, when it was made, and of what.
//
//   file MANIFEST = JSON, in one object, and a newline; then
//                   "sha256 " and the SHA-256 of what stands before, in hexadecimal, and a newline
//
// It is written last: a folder without one is no backup. Of an encrypted one, of format 2, the file
// X of the data is X.enc, which was encrypted, and X.cms, its head (sealed/sealed_stream.h); what
// stands in the manifest is in the clear, and says nothing of messages. A value; what is read is
// believed as far as its checksum agrees and it leads to no other folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

inline constexpr std::uint64_t kBackupFormat = 1;
inline constexpr std::uint64_t kEncryptedBackupFormat = 2;
inline constexpr std::string_view kEncryptedEnding = ".enc";
inline constexpr std::string_view kEncryptedHeadEnding = ".cms";
inline constexpr char kBackupManifestFile[] = "MANIFEST";
inline constexpr std::size_t kBackupManifestBytesMax = std::size_t{16} << 20;
inline constexpr std::size_t kBackupFilesMax = 64 << 10;

struct BackupFile {
  std::string name{};
  std::uint64_t bytes = 0;
  // In hexadecimal.
  std::string sha256{};
  // Of one that is encrypted: what its maker knows the file again by (backup_writer.h), in
  // hexadecimal; else empty.
  std::string mark{};

  friend bool operator==(const BackupFile&, const BackupFile&) = default;
};

struct BackupManifest {
  std::string label{};
  // By the wall clock, but behind all others that were in the folder.
  Timestamp created_at{};
  // Of the program that made it.
  std::string version{};
  // The state of a node of a cluster, without a log; else the store of a broker by itself.
  bool is_of_node = false;
  // Of the node; else empty.
  std::string cluster_id{};
  std::string node_name{};
  // RocksDB's name of the store: files of one store that are called alike are the same, as long as
  // nobody copied its data folder.
  std::string store{};
  // So many commits are in it at least.
  std::uint64_t commits = 0;
  // The run of the archive that was written when it was made (archive/archive_format.h); 0: none.
  std::uint64_t archive_run = 0;
  // The public key that it is encrypted to, and whose that is; empty: it is in the clear.
  std::string encrypted_to{};
  std::string encrypted_to_name{};
  // Of all files, bytes of those that an earlier backup had.
  std::uint64_t shared_bytes = 0;
  // In the order of their names.
  std::vector<BackupFile> files{};

  bool is_encrypted() const { return !encrypted_to.empty(); }
  std::uint64_t bytes() const;
  // Whether both are of one store by itself, or of one node, which gets other stores by snapshots.
  bool IsOfSameBroker(const BackupManifest& other) const;
  // What the archive of its broker is called.
  std::string archive_owner() const;
  // Null: there is none.
  const BackupFile* Find(std::string_view name) const;

  // As the file has it.
  std::string Encode() const;
  // `where` is what the sentence calls it.
  static Result<BackupManifest> Decode(std::string_view text, const std::string& where);

  friend bool operator==(const BackupManifest&, const BackupManifest&) = default;
};

}  // namespace wharf
