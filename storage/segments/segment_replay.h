// SegmentReplay: what a start finds of a log: reads all that counts of it, and changes nothing.
//
// The end of the last segment may be torn: what was not synced when the power failed. Whatever else
// cannot be read, or does not follow from what is before it, was promised once: the log is refused,
// with one sentence that says which file and where. Used by SegmentLog when it is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/segments/entry_index.h"
#include "storage/segments/segment_folder.h"
#include "storage/segments/segment_list.h"
#include "storage/segments/segment_reader.h"

namespace wharf {

class SegmentReplay {
 public:
  SegmentReplay(SegmentFolder& folder, LogOwner owner);

  Status Run();

  // What was found.
  SegmentList segments{};
  EntryIndex index{};
  HardState state{};
  // Made void by one that comes later.
  std::vector<std::uint64_t> void_segments{};
  // Of the last segment: up to where a later record says that it was synced, and whether something
  // was written behind what counts.
  std::uint64_t proven = SegmentHead::kBytes;
  bool is_torn = false;

 private:
  // A segment that counts, before its records are read.
  struct Found {
    SegmentHead head;
    LogSegment segment;
  };

  Status FindSegments(const std::vector<std::uint64_t>& numbers);
  Status FindSegment(std::uint64_t number, Found& found) const;
  // The next one was begun behind these bytes of it.
  Status CutTo(LogSegment& segment, std::uint64_t bytes) const;
  Status Follow(const Found& found) const;
  Status ReadSegment(Found found, bool is_last);
  Status ReadRecords(SegmentReader& reader, bool is_last);
  Status Take(const SegmentRecord& record, std::uint64_t offset);
  Status TakeEntry(const SegmentRecord& record, std::uint64_t offset);
  // At a place that cannot be read.
  Status End(SegmentReader& reader, std::uint64_t offset, bool is_last);
  Status Refuse(std::uint64_t number, const std::string& what) const;

  SegmentFolder& folder_;
  const LogOwner owner_;
  std::vector<Found> found_;
  bool begins_ = false;  // With a segment that makes all before it void.
};

}  // namespace wharf
