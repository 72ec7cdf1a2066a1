// WebSocketFrames: what the frames of a client carry (RFC 6455 5), taken out of its bytes in place.
//
// It knows no socket: bytes in, what they carry out. No message is put together and none is held:
// where one ends is told beside it, to whom that means something. What is held is the head of a
// frame, and what a ping says. Made by a WebSocketOver; on its strand. Below it, what a server
// writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wharf {

// What its messages are.
enum class WebSocketContent : std::uint8_t { kBinary, kText };

// Of one message, in however many pieces it comes; one without end ends there. More than the
// largest message of any entity, for clients that send each of theirs as one.
inline constexpr std::uint64_t kWebSocketMessageBytesMax = std::uint64_t{128} << 20;
// The same of texts, which somebody puts together.
inline constexpr std::uint64_t kWebSocketTextBytesMax = std::uint64_t{24} << 20;

// Codes of a close (RFC 6455 7.4.1).
enum class WebSocketCode : std::uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,
  kProtocolError = 1002,
  kUnsupportedData = 1003,
  kNoUtf8 = 1007,
  kBrokePolicy = 1008,
  kTooBig = 1009,
  kTryAgainLater = 1013,
};

class WebSocketFrames {
 public:
  explicit WebSocketFrames(WebSocketContent content) : content_(content) {}

  // Takes the frames off these bytes; what they carry stands at the front then, so many of them.
  std::size_t Take(char* bytes, std::size_t count);
  // Where messages ended in what the last Take told, in their order. Of texts only.
  const std::vector<std::size_t>& ends() const { return ends_; }
  // One has begun, and its end is not there.
  bool is_in_message() const { return is_in_message_ || is_in_frame_ || head_bytes_ > 0; }

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
  std::uint64_t MessageBytesMax() const;
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
  const WebSocketContent content_;
  std::size_t kept_ = 0;
  std::vector<std::size_t> ends_;

  std::optional<std::string> ping_;
  std::optional<WebSocketCode> ending_;
  bool is_closed_ = false;
};

// What a server writes before so many bytes that are a message, or a piece of one.
struct WebSocketPiece {
  WebSocketContent content = WebSocketContent::kBinary;
  bool is_first = true;
  bool is_last = true;
};
std::string WebSocketHead(std::size_t bytes, WebSocketPiece piece);
// Of the reason at most 123 bytes are told. The code may also be one of 4000 and above.
std::string WebSocketClose(std::uint16_t code, std::string_view reason = {});
std::string WebSocketPing();
std::string WebSocketPong(std::string_view said);
// To a request with this key, whose wish is granted.
std::string WebSocketAnswer(std::string_view key, std::string_view protocol);

}  // namespace wharf
