// SegmentWriter: the last segment of a log, which grows.
//
// A record is on the disk when Sync has returned. Part of a SegmentLog; used on its thread. After
// an error it is of no use any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "storage/base/status.h"
#include "storage/segments/segment_file.h"
#include "storage/segments/segment_folder.h"
#include "storage/segments/segment_format.h"

namespace wharf {

class SegmentWriter {
 public:
  // A new segment that has nothing yet, in the file of a spare one if there is any; durable.
  static Result<std::unique_ptr<SegmentWriter>> Create(SegmentFolder& folder,
                                                       const SegmentHead& head,
                                                       const std::optional<std::string>& spare,
                                                       std::size_t bytes_ahead);
  // Goes on behind the end of a segment, all of which is synced; its file may go on there with what
  // was never written to it.
  static Result<std::unique_ptr<SegmentWriter>> Reopen(SegmentFolder& folder, std::uint64_t number,
                                                       std::uint64_t salt, std::uint64_t end);

  // Its place in the file.
  Result<std::uint32_t> Add(SegmentRecord record);
  // Hands what was added to the file, where readers see it.
  Status Write();
  // What was added is on the disk.
  Status Sync();
  // Nothing is added any more, and all is synced.
  Status Close();

  std::uint64_t number() const { return number_; }
  std::uint64_t salt() const { return salt_; }
  // Behind all that was added.
  std::uint64_t end() const { return written_ + buffer_.size(); }

 private:
  SegmentWriter(std::string path, std::unique_ptr<SegmentFile> file, std::uint64_t number,
                std::uint64_t salt, std::uint64_t end);

  const std::string path_;
  const std::unique_ptr<SegmentFile> file_;
  const std::uint64_t number_;
  const std::uint64_t salt_;
  std::string buffer_;  // Of about a MiB, and one record more, at most.
  std::uint64_t written_;
  std::uint64_t synced_;
};

}  // namespace wharf
