// FrameReader: the bytes of a stream, in pieces of any size, as frames.
//
//   size: 4 | doff: 1, in words of 4 | type: 1 | channel: 2 | what doff skips | body
//
// Holds what was fed and is not read yet: one frame that is not whole, and the last piece. Views of
// it stand until the next Feed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf::amqp {

inline constexpr std::uint8_t kAmqpFrame = 0;
inline constexpr std::uint8_t kSaslFrame = 1;

struct Frame {
  std::uint8_t type = kAmqpFrame;
  std::uint16_t channel = 0;
  std::string_view body;
};

class FrameReader {
 public:
  void Feed(std::string_view bytes);

  // What is not read yet.
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }
  void Consume(std::size_t bytes) { at_ += bytes; }

  // The next frame, which is consumed; nothing if it is not whole yet, or broken.
  std::optional<Frame> Next(std::size_t frame_bytes_max);
  // That were read.
  std::uint64_t frames() const { return frames_; }
  // Of the stream, which can be read no further: one sentence; empty while it can.
  const std::string& error() const { return error_; }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t frames_ = 0;
  std::string error_;
};

}  // namespace wharf::amqp
