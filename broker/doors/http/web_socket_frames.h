// WebSocketFrames: what the frames of a client carry (RFC 6455 5), taken out of its bytes in place.
//
// It knows no socket: bytes in, what they carry out. Where a message ends means nothing to who
// reads it, so none is put together and none is held; what is held is the head of a frame, and what
// a ping says. Made by a WebSocketOver; on its strand. Below it, what a server writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf {

// Of one message, in however many pieces it comes; one without end ends there. More than the
// largest message of any entity, for clients that send each of theirs as one.
inline constexpr std::uint64_t kWebSocketMessageBytesMax = std::uint64_t{128} << 20;

// Codes of a close (RFC 6455 7.4.1).
enum class WebSocketCode : std::uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,
  kProtocolError = 1002,
  kUnsupportedData = 1003,
  kTooBig = 1009,
};

class WebSocketFrames {
 public:
  // Takes the frames off these bytes; what they carry stands at the front then, so many of them.
  std::size_t Take(char* bytes, std::size_t count);

  // What the last ping said that is not answered; once.
  std::optional<std::string> TakePing();
  // With what its last frame is to be answered: it closes, or breaks a rule. What comes behind that
  // is not looked at.
  const std::optional<WebSocketCode>& ending() const { return ending_; }
  // It was a close.
  bool is_closed() const { return is_closed_; }

 private:
  enum class Opcode : std::uint8_t {
    kContinuation = 0,
    kText = 1,
    kBinary = 2,
    kClose = 8,
    kPing = 9,
    kPong = 10,
  };
  // With a length of eight bytes, and a mask.
  static constexpr std::size_t kHeadBytesMax = 14;

  bool IsControl() const { return (head_[0] & 0x08U) != 0; }
  bool IsLast() const { return (head_[0] & 0x80U) != 0; }
  // As many of the bytes as belong to the head.
  std::size_t TakeHead(const char* bytes, std::size_t count);
  std::size_t HeadBytes() const;
  // Of its first two bytes; absent: they are good.
  std::optional<WebSocketCode> WhyBadStart() const;
  void BeginFrame();
  void EndFrame();
  void EndControl();
  void Unmask(char* bytes, std::size_t count);

  // Of the frame that is being read. Its head, as far as it is there.
  std::array<std::uint8_t, kHeadBytesMax> head_{};
  std::size_t head_bytes_ = 0;
  bool is_in_frame_ = false;
  std::uint64_t left_ = 0;
  std::array<char, 4> mask_{};
  std::string control_;
  // Of the message.
  bool is_in_message_ = false;
  std::uint64_t message_bytes_ = 0;

  std::optional<std::string> ping_;
  std::optional<WebSocketCode> ending_;
  bool is_closed_ = false;
};

// What a server writes before so many bytes that are a message.
std::string WebSocketHead(std::size_t bytes);
std::string WebSocketClose(WebSocketCode code);
std::string WebSocketPong(std::string_view said);
// To a request with this key, whose wish is granted.
std::string WebSocketAnswer(std::string_view key, std::string_view protocol);

}  // namespace wharf
