// FrameWriter: what a connection has to say, as bytes that wait to be written.
//
// No frame is larger than the peer takes; one that would be is left out and remembered, for it ends
// the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/endpoint/frame_reader.h"
#include "broker/doors/amqp/endpoint/payload.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

class FrameWriter {
 public:
  // What everybody must take.
  static constexpr std::size_t kFrameBytesMin = 512;

  std::size_t size() const { return bytes_.size(); }
  std::string Take() { return std::exchange(bytes_, {}); }
  // That were written.
  std::uint64_t frames() const { return frames_; }
  // Of the peer's open.
  void set_frame_bytes_max(std::size_t max) { frame_bytes_max_ = max; }
  bool has_refused() const { return has_refused_; }
  // The last frame has been said: those that come after it are left out.
  void Shut() { is_shut_ = true; }

  void WriteRaw(std::string_view bytes) { bytes_.append(bytes); }
  // A sign of life.
  void WriteEmpty() { End(Begin(kAmqpFrame, 0)); }

  template <typename Body>
  void Write(std::uint16_t channel, const Body& body) {
    WriteFrame(kAmqpFrame, channel, body);
  }
  template <typename Body>
  void WriteSasl(const Body& body) {
    WriteFrame(kSaslFrame, 0, body);
  }
  // The frame takes as much of the payload as fits: how much. `transfer` says that more comes if it
  // is not all, or if `is_last` says so.
  std::size_t WriteTransfer(std::uint16_t channel, Transfer transfer, const Payload& payload,
                            bool is_last);

 private:
  std::size_t Begin(std::uint8_t type, std::uint16_t channel);
  void End(std::size_t begin);

  template <typename Body>
  void WriteFrame(std::uint8_t type, std::uint16_t channel, const Body& body) {
    const std::size_t begin = Begin(type, channel);
    Writer writer(bytes_);
    amqp::Write(writer, body);
    End(begin);
  }

  std::string bytes_;
  std::uint64_t frames_ = 0;
  std::size_t frame_bytes_max_ = kFrameBytesMin;
  bool has_refused_ = false;
  bool is_shut_ = false;
};

}  // namespace wharf::amqp
