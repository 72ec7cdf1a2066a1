#include "broker/doors/grpc/streams/chunk_sequence.h"

#include <fmt/core.h>

namespace wharf {

Status ChunkSequence::Add(std::size_t chunk_bytes) {
  if (chunk_bytes == 0 || chunk_bytes > kChunkBytesMax) {
    return {ErrorCode::kArgumentError,
            fmt::format("a chunk has {} bytes; it must have from 1 to {}", chunk_bytes,
                        kChunkBytesMax)};
  }
  if (chunk_bytes > body_bytes_ - bytes_) {
    return {ErrorCode::kArgumentError,
            fmt::format("the chunks have more bytes than the {} that body_size announced",
                        body_bytes_)};
  }
  if (bytes_ == 0) first_chunk_bytes_ = chunk_bytes;
  bytes_ += chunk_bytes;
  const bool is_equal = chunk_bytes == first_chunk_bytes_;
  if (is_equal || (is_complete() && chunk_bytes < first_chunk_bytes_)) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("a chunk has {} bytes and the first one had {}; all must be equal but for "
                      "the last, which may be shorter",
                      chunk_bytes, first_chunk_bytes_)};
}

Status ChunkSequence::CutShort() const {
  return {ErrorCode::kArgumentError,
          fmt::format("the chunks ended after {} of the {} bytes that body_size announced", bytes_,
                      body_bytes_)};
}

}  // namespace wharf
