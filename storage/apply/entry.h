// Entry: what a leader puts into the log, around the bytes of write batches.
//
//   entry = version (1) · flags (1) · term (8) · time (8) · part (4) · parts (4) · batches (4) ·
//           payload · CRC-32C of all before (4)
//
//   flags = 1: a check: the payload asks what the state is as of this entry (verify/state_check.h);
//           it changes nothing, and is no batch
//
// Numbers are big-endian, the time in microseconds since 1970. `term` is the one that the batches
// were planned in: an entry that stands in the log under another one takes no effect, on no node:
// they were planned against the memory of one leader. Small batches travel together; a large one in
// parts, each an entry, of which the last one makes it happen. The entry without bytes is the one
// with which the core begins a term.
//
// Written by RaftCommitLog, a check by whoever compares states; read by EntryAssembler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

struct EntryHead {
  std::uint64_t term = 0;
  // Broker time of the leader.
  Timestamp time{};
  // From 0; `parts` is at least 1.
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
  // How many write batches the payload is, one behind another; 1 if it is in parts, 0 of a check.
  std::uint32_t batches = 1;
  bool is_check = false;

  friend bool operator==(const EntryHead&, const EntryHead&) = default;
};

// How much longer an entry is than its payload.
inline constexpr std::size_t kEntryOverhead = 34;

// Of a payload in pieces.
std::string EncodeEntry(const EntryHead& head, std::span<const std::string_view> payload);
inline std::string EncodeEntry(const EntryHead& head, std::string_view payload) {
  return EncodeEntry(head, {&payload, 1});
}

struct DecodedEntry {
  EntryHead head;
  std::string_view payload;  // Into the bytes.
};

// Refuses whatever EncodeEntry would not write.
Result<DecodedEntry> DecodeEntry(std::string_view bytes);

}  // namespace wharf
