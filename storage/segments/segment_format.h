// Segment format: what the files of a node's log look like.
//
//   segment = head record*                                         numbers little-endian
//   head    = magic (8) · version (4) · crc (4) · salt (8) · number (8) · bytes before (8) ·
//             begins (8) · cluster (16) · node (8) · index (8) · term (8) · hard state (24)
//   record  = mark (8) · crc (4) · length (4) · synced (4) · kind (1) · entry kind (1) · 0 (2) ·
//             numbers (24) · data (length) · zeros, up to a multiple of 8
//   numbers = index (8) · term (8) · term of the entry before (8)      kind 'E', an entry
//           | hard state                                               kind 'S', without data
//   hard state = term (8) · vote (8) · commit (8)
//
// The records of all segments, in the order of their numbers, are one stream, and what comes later
// counts: an entry takes the place of the one with its index and of all behind it. A head says what
// the log was when its segment was begun: how many bytes of the segment before count, the last
// entry, the hard state; so a torn end is cut off, and the segments before may go. One that
// `begins` makes all before it void: a new log, or one that a snapshot took the place of.
//
// Each crc is the CRC-32C of all that comes behind it, and of the mark before it. The mark is the
// salt, which is drawn for the segment and which nobody sees, plus the place of the record in its
// file, and no place is written twice under one salt: so no bytes that a client sends are ever
// taken for a record, also if they are a copy of this very file, nor those of a segment that was in
// the file before. `synced` says up to where the file was known to be on
// the disk when the record was written; what cannot be read before that is damaged, not torn.
//
// Used by the SegmentWriter and the SegmentReader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/entry_log.h"

namespace wharf {

// Whose log it is. No other node may take it for its own.
struct LogOwner {
  static constexpr std::size_t kClusterBytes = 16;

  std::string cluster = std::string(kClusterBytes, '\0');
  std::uint64_t node = 0;

  friend bool operator==(const LogOwner&, const LogOwner&) = default;
};

struct SegmentHead {
  static constexpr std::size_t kBytes = 112;

  std::uint64_t salt = 0;
  std::uint64_t number = 0;
  std::uint64_t bytes_before = 0;
  bool begins = false;
  LogOwner owner{};
  LogPlace last{};
  HardState state{};

  std::string Encode() const;
  // An error, in the words for what is wrong with it, has no file in it.
  static Result<SegmentHead> Decode(std::string_view bytes);
};

enum class RecordKind : char { kEntry = 'E', kState = 'S' };

struct SegmentRecord {
  static constexpr std::size_t kHeadBytes = 48;
  // More than any entry has; and no more is allocated, whatever a damaged length says.
  static constexpr std::size_t kDataBytesMax = std::size_t{16} << 20;

  std::uint32_t synced = 0;
  RecordKind kind = RecordKind::kEntry;
  EntryKind entry_kind = EntryKind::kBatch;
  std::array<std::uint64_t, 3> numbers{};
  std::string_view data{};

  static SegmentRecord OfState(const HardState& state);
  // It looks at the entry's data.
  static SegmentRecord OfEntry(const LogEntry& entry, std::uint64_t term_before);
  HardState state() const { return {numbers[0], numbers[1], numbers[2]}; }
  LogPlace place() const { return {numbers[0], numbers[1]}; }
  std::uint64_t term_before() const { return numbers[2]; }

  static std::size_t BytesFor(std::size_t data_bytes);
  // On disk.
  std::size_t bytes() const { return BytesFor(data.size()); }

  void AppendTo(std::string& bytes, std::uint64_t mark) const;
  // How many bytes a record has of which this is the head; nothing if it is not that of a record
  // with this mark.
  static std::optional<std::size_t> BytesOf(std::string_view head, std::uint64_t mark);
  // Of so many bytes. Nothing if they are not those that were written. Looks at them.
  static std::optional<SegmentRecord> Decode(std::string_view bytes);
};

// Whether bytes begin with a mark.
bool HasMark(std::string_view bytes, std::uint64_t mark);

}  // namespace wharf
