// SpareSegments: files of segments that the log can do without, kept to be written over by the next
// ones (segment_file.h).
//
// At most eight, and about 128 MiB of them: as much as a log that is cut where its state is flushed
// was anyway. What is in one is nothing to anybody: a mark tells the records of a segment from
// those that were in its file before. Part of a SegmentLog; used on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/segments/segment_folder.h"

namespace wharf {

class SpareSegments {
 public:
  // Of segments of this size.
  SpareSegments(SegmentFolder& folder, std::size_t segment_bytes);

  // Those that a start finds; what is of no use goes.
  Status Find();
  // The log can do without this segment, of so many bytes: its name is gone when the folder is
  // synced.
  Status Take(std::uint64_t number, std::uint64_t bytes);
  // The path of one, for the segment that is made next.
  std::optional<std::string> Give();
  Status RemoveAll();
  std::size_t count() const { return paths_.size(); }

 private:
  bool IsOfUse(std::uint64_t bytes) const;

  static constexpr std::size_t kCountMax = 8;
  static constexpr std::size_t kBytesMax = std::size_t{128} << 20;

  SegmentFolder& folder_;
  const std::size_t segment_bytes_;
  const std::size_t count_max_;
  std::vector<std::string> paths_;
};

}  // namespace wharf
