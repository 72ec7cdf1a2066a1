#include "broker/doors/amqp/endpoint/frame_writer.h"

#include <algorithm>

namespace wharf::amqp {

namespace {

constexpr char kWordsBeforeBody = 2;

}  // namespace

std::size_t FrameWriter::Begin(std::uint8_t type, std::uint16_t channel) {
  const std::size_t begin = bytes_.size();
  bytes_.append({0, 0, 0, 0, kWordsBeforeBody, static_cast<char>(type),
                 static_cast<char>(channel >> 8), static_cast<char>(channel)});
  return begin;
}

void FrameWriter::End(std::size_t begin) {
  const std::size_t size = bytes_.size() - begin;
  if (is_shut_ || size > frame_bytes_max_) {
    bytes_.resize(begin);
    has_refused_ = true;
    return;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    bytes_[begin + i] = static_cast<char>(size >> (8 * (3 - i)));
  }
  ++frames_;
}

std::size_t FrameWriter::WriteTransfer(std::uint16_t channel, Transfer transfer,
                                       const Payload& payload, bool is_last) {
  // Most deliveries are one frame, so that is tried first.
  for (const bool more : {!is_last, true}) {
    transfer.more = more;
    const std::size_t begin = Begin(kAmqpFrame, channel);
    Writer writer(bytes_);
    amqp::Write(writer, transfer);
    const std::size_t head = bytes_.size() - begin;
    const std::size_t room = frame_bytes_max_ - std::min(frame_bytes_max_, head);
    if (more || payload.size() <= room) {
      const std::size_t taken = std::min(room, payload.size());
      payload.AppendTo(bytes_, taken);
      End(begin);
      return taken;
    }
    bytes_.resize(begin);
  }
  return 0;
}

}  // namespace wharf::amqp
