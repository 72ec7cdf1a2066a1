// ChunkSequence: whether the chunks of a large body come as its header announced them.
//
// A value; used by a SendStream on the thread that reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/base/status.h"

namespace wharf {

class ChunkSequence {
 public:
  static constexpr std::size_t kChunkBytesMax = 256 * 1024;

  explicit ChunkSequence(std::uint64_t body_bytes) : body_bytes_(body_bytes) {}

  // The next chunk; an error if it cannot be part of the body.
  Status Add(std::size_t chunk_bytes);
  bool is_complete() const { return bytes_ == body_bytes_; }
  // Why the body cannot end here.
  Status CutShort() const;

 private:
  const std::uint64_t body_bytes_;
  std::uint64_t bytes_ = 0;
  std::size_t first_chunk_bytes_ = 0;
};

}  // namespace wharf
