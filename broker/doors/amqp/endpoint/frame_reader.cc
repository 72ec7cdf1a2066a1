#include "broker/doors/amqp/endpoint/frame_reader.h"

#include <fmt/format.h>

namespace wharf::amqp {

namespace {

constexpr std::size_t kFrameHeadBytes = 8;

std::uint32_t NumberAt(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(at, width)) {
    number = (number << 8) | static_cast<std::uint8_t>(byte);
  }
  return number;
}

}  // namespace

void FrameReader::Feed(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  // An idle connection keeps no buffer.
  if (buffer_.empty()) buffer_ = std::string();
  buffer_.append(bytes);
}

std::optional<Frame> FrameReader::Next(std::size_t frame_bytes_max) {
  const std::string_view bytes = rest();
  if (!error_.empty() || bytes.size() < kFrameHeadBytes) return std::nullopt;
  const std::size_t size = NumberAt(bytes, 0, 4);
  const std::size_t body_at = std::size_t{4} * NumberAt(bytes, 4, 1);
  if (size < kFrameHeadBytes) error_ = fmt::format("a frame of {} bytes", size);
  if (size > frame_bytes_max) {
    error_ = fmt::format("a frame of {} bytes, more than {}", size, frame_bytes_max);
  }
  if (error_.empty() && (body_at < kFrameHeadBytes || body_at > size)) {
    error_ = fmt::format("a frame of {} bytes whose body begins at {}", size, body_at);
  }
  if (!error_.empty() || bytes.size() < size) return std::nullopt;
  Consume(size);
  ++frames_;
  return Frame{.type = static_cast<std::uint8_t>(NumberAt(bytes, 5, 1)),
               .channel = static_cast<std::uint16_t>(NumberAt(bytes, 6, 2)),
               .body = bytes.substr(body_at, size - body_at)};
}

}  // namespace wharf::amqp
