// Frame: what streams between peers are cut into.
//
//   stream  = preface *frame               ; in both directions
//   preface = "WHARFPR1"                   ; so that what is no peer is known by its first bytes
//   frame   = length (4) number (4) kind (1) crc (4) payload (length)       little-endian
//
// The number counts the frames of one direction of a stream, from 0, so that a repeated frame is
// found out. The crc is the CRC-32C of length, number, kind and payload. FrameWriter and
// FrameReader are plain values; used by FramedStream, on its strand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf {

inline constexpr std::string_view kPeerPreface = "WHARFPR1";
inline constexpr std::size_t kFrameHeadBytes = 13;

// Numbers are on the wire.
enum class FrameKind : std::uint8_t {
  kHello = 1,       // Who dials, whom, and what for (admission/hello.h).
  kWelcome = 2,     // Who answers.
  kRefusal = 3,     // A sentence; the last frame.
  kInvitation = 4,  // Instead of a hello (admission/invitation.h).
  kAccepted = 5,    // The invitation is; the last frame.
  kMessage = 6,     // Of the consensus; opaque here.
  kPing = 7,        // pulse.h
  kPong = 8,
  kRelay = 9,     // Instead of a hello: a client is brought (relay/relay_request.h).
  kRelayed = 10,  // What the client or its door says; empty: nothing more.
};

// How a stream ends whose other end does not keep to the rules.
Status Broken(std::string sentence);

struct Frame {
  FrameKind kind = FrameKind::kMessage;
  std::string payload;
};

class FrameWriter {
 public:
  // The preface goes before the first frame.
  void Write(FrameKind kind, std::string_view payload, std::string& out);

 private:
  bool has_begun_ = false;
  std::uint32_t number_ = 0;
};

class FrameReader {
 public:
  // Takes a frame. What it does not want to go on with it refuses with an error.
  using Sink = std::function<Status(Frame)>;

  explicit FrameReader(std::size_t payload_bytes_max) : payload_bytes_max_(payload_bytes_max) {}

  // From the next head on.
  void set_payload_bytes_max(std::size_t bytes) { payload_bytes_max_ = bytes; }

  // The bytes that come next, however they are cut. The first error, of the sink or of the bytes,
  // is the last word: nothing behind it is read.
  Status Feed(std::string_view bytes, const Sink& sink);

 private:
  Status TakePreface(std::string_view& bytes);
  Status TakeHead(std::string_view& bytes);
  // Whether the frame is whole.
  bool TakePayload(std::string_view& bytes);
  Status Finish(const Sink& sink);

  std::size_t payload_bytes_max_;
  std::size_t preface_seen_ = 0;
  std::uint32_t number_ = 0;
  std::string head_;
  // Of the frame that is being read, once its head is whole.
  std::size_t length_ = 0;
  std::string payload_;
};

}  // namespace wharf
