// Archive format: what the files of an archive look like.
//
//   FOLDER/.archive/OWNER/RUN-FIRST.batches        both in 20 digits
//
//   file   = head block*                                            numbers big-endian
//   head   = magic (8) · version (4) · run (8) · first (8) · crc (4), and of version 2 a key
//   key    = public key (32) · length (4) · wrapped (length) · crc (4)
//   block  = crc (4) · length (4) · run (8) · first (8) · last (8) · first time (8) ·
//            last time (8) · data (length)
//   data   = record*                                                of a file of version 1
//   data   = record*, encrypted                                     of version 2
//   record = batches (4) · time (8) · length (4) · bytes of the batches (length)
//
// `first` and `last` are commit indexes; times are broker time in microseconds since 1970. Each crc
// is the CRC-32C of all that comes behind it, that of a head of all before it. A record is one
// batch, or several whose borders nobody knows any more (their entry of the log has none). A run is
// a sequence without a gap: the next file of a run begins behind the last block of the one before
// that can be read; what a crash has torn there stands in it once more. Where commits are missing
// another run begins, so a backup, which names its run, never meets what is behind a hole.
//
// A file of version 2 has a key of its own, wrapped for the one whose public key has this SHA-256
// (sealed/block_cipher.h). A block's number is its first commit, and what is beside it is its head
// behind the crc. So what a run has, and that it is whole, is known without a private key. A run is
// encrypted to one key, or to none.
//
// Plain values; written by ArchiveWriter, read by ArchiveReader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/apply/entry_assembler.h"
#include "storage/base/status.h"
#include "storage/base/time.h"
#include "storage/commit_log.h"

namespace wharf {

// Of a file that is encrypted.
struct ArchiveKey {
  static constexpr std::size_t kFixedBytes = 36;
  static constexpr std::size_t kCrcBytes = 4;

  // In hexadecimal.
  std::string encrypted_to{};
  std::string wrapped{};

  std::string Encode() const;
  // Of the fixed bytes in front: how many come behind them. None: nobody wrote these.
  static std::optional<std::size_t> LengthBehind(std::string_view fixed);
  // Of all of it; none as above.
  static std::optional<ArchiveKey> Decode(std::string_view bytes);
};

struct ArchiveHead {
  static constexpr std::size_t kBytes = 32;

  std::uint64_t run = 0;
  CommitIndex first{};
  // A key comes behind it.
  bool is_encrypted = false;

  std::string Encode() const;
  // None: these are not the first bytes of such a file.
  static std::optional<ArchiveHead> Decode(std::string_view bytes);
};

// What stands before the data of a block.
struct ArchiveBlockHead {
  static constexpr std::size_t kBytes = 48;
  // More than a batch may have, with what is around it.
  static constexpr std::size_t kDataBytesMax = EntryAssembler::kBatchBytesMax + 1024;

  std::uint32_t crc = 0;
  std::uint32_t length = 0;
  std::uint64_t run = 0;
  CommitIndex first{};
  CommitIndex last{};
  Timestamp first_time{};
  Timestamp last_time{};

  // With its crc, which is that of these data.
  std::string Encode(std::string_view data) const;
  // All but the crc, for data of this length.
  std::string Checked(std::size_t data_length) const;
  // None: nobody wrote such a block.
  static std::optional<ArchiveBlockHead> Decode(std::string_view bytes);
  // Whether these are the data behind it, and nothing of both has changed.
  bool Fits(std::string_view data) const;
};

struct ArchivedBatches {
  CommitIndex last{};
  std::uint32_t batches = 1;
  // Of the last of them.
  Timestamp time{};
  std::string_view bytes{};

  CommitIndex first() const { return CommitIndex(last.value() - batches + 1); }
  void AppendTo(std::string& data) const;
};

// The records of a block. Looks at the data; damage, if it is not what AppendTo has made.
Result<std::vector<ArchivedBatches>> RecordsOf(const ArchiveBlockHead& head, std::string_view data);

// The batches of an entry of the log, each by itself as far as its time tells where it ends; those
// that are older than this one have another time. `last` is the index of the last.
std::vector<ArchivedBatches> SplitBatches(CommitIndex last, std::uint32_t batches,
                                          std::string_view bytes, Timestamp time_before);

struct ArchiveFileName {
  std::uint64_t run = 0;
  CommitIndex first{};

  std::string ToText() const;
  static std::optional<ArchiveFileName> Parse(std::string_view name);

  friend auto operator<=>(const ArchiveFileName&, const ArchiveFileName&) = default;
};

}  // namespace wharf
