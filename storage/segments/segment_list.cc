#include "storage/segments/segment_list.h"

#include <algorithm>
#include <utility>

namespace wharf {

void SegmentList::Add(LogSegment segment) { segments_.push_back(std::move(segment)); }

void SegmentList::RemoveFirst() { segments_.pop_front(); }

void SegmentList::NoteEntry(std::uint64_t index) {
  segments_.back().lowest = std::min(segments_.back().lowest, index);
}

std::uint64_t SegmentList::BytesFrom(std::uint64_t number) const {
  std::uint64_t bytes = 0;
  for (const LogSegment& segment : segments_) {
    if (segment.number >= number) bytes += segment.bytes;
  }
  return bytes;
}

// From the last segment back, as long as the log would start too late.
SegmentList::Cut SegmentList::CutUpTo(std::uint64_t index) const {
  std::uint64_t before_lowest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t at = segments_.size(); at > 0; --at) {
    const LogSegment& segment = segments_[at - 1];
    before_lowest = std::min(before_lowest, segment.lowest - 1);
    const std::uint64_t start = std::min(before_lowest, segment.last_before);
    if (start <= index || at == 1) return {.segments = at - 1, .start = start};
  }
  return {};
}

}  // namespace wharf
