// SegmentReader: the records of one segment, read where one is asked for, and checked.
//
// Holds a window of the file in memory: at least as much as the record that was asked for, which is
// bounded, whatever a damaged length says. Used by SegmentReplay for a whole file and by SegmentLog
// for some entries; sees the file as long as it was when the reader was made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <rocksdb/file_system.h>

#include "storage/base/status.h"
#include "storage/segments/segment_format.h"

namespace wharf {

class SegmentReader {
 public:
  // The file outlives it, and has so many bytes. The path is for errors.
  SegmentReader(const rocksdb::FSRandomAccessFile& file, std::string path, std::uint64_t bytes,
                std::size_t window_bytes);

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

  // An error names the file.
  Result<SegmentHead> ReadHead();
  // Nothing if there is no record that can be read; an error if the disk gives no bytes. Until the
  // next call.
  Result<std::optional<SegmentRecord>> Read(std::uint64_t salt, std::uint64_t offset);
  // What from a place on, where no record can be read, was written to this segment all the same.
  struct Traces {
    bool has_any = false;
    // Where the first record stands that can be read and says that the place had been synced; none:
    // whatever stood there was never promised.
    std::optional<std::uint64_t> proof{};
  };
  Result<Traces> FindTraces(std::uint64_t salt, std::uint64_t offset);

 private:
  // Fewer than asked for only at the end of the file.
  Result<std::string_view> Look(std::uint64_t offset, std::size_t count);

  const rocksdb::FSRandomAccessFile& file_;
  const std::string path_;
  const std::uint64_t bytes_;
  const std::size_t window_bytes_;
  std::string window_;
  std::uint64_t window_at_ = 0;
};

}  // namespace wharf
