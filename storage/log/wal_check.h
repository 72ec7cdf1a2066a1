// Wal check: tells a torn end of the write-ahead log from corruption.
//
// The commit log writes group n+1 only after the fsync of group n returned, and a group is one
// logical record. So a power cut can harm only the last logical record of the last log that has
// anything in it. A place that cannot be read is therefore a torn tail only if no later group
// begins behind it, known by its GroupMark; otherwise something that was acknowledged is damaged.
// Reads RocksDB's log files with our own eyes, because RocksDB tells the two apart less strictly:
// it skips a zeroed stretch without a word. The files are
//
//   log    = block*                 blocks of 32 KiB, the last may be shorter
//   block  = record* trailer        a trailer is shorter than a header and ignored
//   record = crc (4) · length (2) · type (1) · payload (length)     little-endian
//   type   = FULL | FIRST MIDDLE* LAST                              a logical record
//
// where crc is the masked CRC-32C of type and payload. Used by WalGate and for the ManifestTail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/base/status.h"
#include "storage/log/group_mark.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

// Where the first logical record begins that cannot be read.
struct LogDamage {
  std::string file;
  std::uint64_t offset = 0;
  // How many bytes the file has from there on.
  std::uint64_t bytes_behind = 0;
};

struct WalReport {
  enum class Verdict { kClean, kTornTail, kCorrupt };

  Verdict verdict = Verdict::kClean;
  // Unless clean.
  LogDamage damage{};
};

// Reads the logs in `folder` from number `first_log` on, in order. An error only if a file cannot
// be read at all.
Result<WalReport> CheckWal(rocksdb::FileSystem& file_system, const std::string& folder,
                           std::uint64_t first_log, const GroupMark& mark);

// Reads one file of the same format by itself: the MANIFEST.
Result<std::optional<LogDamage>> CheckLogFile(rocksdb::FileSystem& file_system,
                                              const std::string& path);

// Cuts off what is damaged and all behind it, durably.
Status CutTornTail(rocksdb::FileSystem& file_system, const std::string& folder,
                   const LogDamage& torn);

}  // namespace wharf
