// Bodies that a log could be fooled by: what a client sends stands in the log itself, and is met by
// a start that looks behind a torn place for proof that what is torn there was on the disk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "storage/segments/segment_format.h"

namespace wharf {

// What a write-ahead log of RocksDB could hold, which is the log of a folder of before: records of
// type FULL without content.
inline std::string EmptyLogRecords(std::size_t count) {
  std::string records;
  for (std::size_t i = 0; i < count; ++i) records += std::string("\x05\x2b\x28\x43\x00\x00\x01", 7);
  return records;
}

// Each would prove everything to be on the disk. Records lie at multiples of 8, and a client does
// not know where its body comes to lie: so one byte stands between them, and each eighth fits.
inline constexpr std::uint32_t kAllIsSynced = UINT32_MAX;

// What another log could hold.
inline std::string SegmentRecords(std::size_t bytes, std::uint64_t mark) {
  std::string records;
  for (std::uint64_t index = 1; records.size() < bytes; ++index) {
    const SegmentRecord record{.synced = kAllIsSynced, .numbers = {index, 1, 1}, .data = "entry"};
    record.AppendTo(records, mark + records.size());
    records += '\0';
  }
  records.resize(bytes);
  return records;
}

// The records of a segment, as somebody made them who has a copy of it.
inline std::string ForgedCopyOf(std::string_view segment) {
  std::string copy;
  segment.remove_prefix(std::min(segment.size(), SegmentHead::kBytes));
  while (segment.size() >= SegmentRecord::kHeadBytes) {
    std::uint64_t mark = 0;
    std::memcpy(&mark, segment.data(), sizeof(mark));
    const auto bytes = SegmentRecord::BytesOf(segment, mark);
    auto record = bytes && *bytes <= segment.size()
                      ? SegmentRecord::Decode(segment.substr(0, *bytes))
                      : std::nullopt;
    if (!record) break;
    record->synced = kAllIsSynced;
    record->AppendTo(copy, mark);
    copy += '\0';
    segment.remove_prefix(*bytes);
  }
  return copy;
}

}  // namespace wharf
