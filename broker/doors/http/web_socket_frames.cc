#include "broker/doors/http/web_socket_frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <boost/beast/websocket/detail/hybi13.hpp>
#include <fmt/format.h>

namespace wharf {
namespace {

constexpr std::uint8_t kFinal = 0x80;
constexpr std::uint8_t kReservedBits = 0x70;
constexpr std::uint8_t kOpcodeBits = 0x0F;
constexpr std::uint8_t kMasked = 0x80;
constexpr std::uint8_t kLengthBits = 0x7F;
// A length up to here stands in its byte; then it says whether two bytes or eight have it.
constexpr std::uint64_t kShortMax = 125;
constexpr std::uint8_t kTwoBytes = 126;
constexpr std::uint8_t kEightBytes = 127;
constexpr std::uint64_t kTwoBytesMax = 0xFFFF;

std::uint64_t NumberOf(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8U | bytes[i];
  return number;
}

void AppendNumber(std::uint64_t number, std::size_t count, std::string& bytes) {
  while (count > 0) bytes += static_cast<char>(number >> 8U * --count & 0xFFU);
}

// Which ones an end may say (RFC 6455 7.4.2).
bool IsCode(std::uint64_t code) {
  const bool is_defined = code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
  return is_defined || (code >= 3000 && code <= 4999);
}

// An end has so much room for words beside its code.
constexpr std::size_t kReasonBytesMax = kShortMax - 2;

std::string FrameHead(std::uint8_t first, std::size_t bytes) {
  std::string head(1, static_cast<char>(first));
  if (bytes <= kShortMax) return head + static_cast<char>(bytes);
  const bool fits_two = bytes <= kTwoBytesMax;
  head += static_cast<char>(fits_two ? kTwoBytes : kEightBytes);
  AppendNumber(bytes, fits_two ? 2 : 8, head);
  return head;
}

}  // namespace

std::size_t WebSocketFrames::Take(char* bytes, std::size_t count) {
  ends_.clear();
  kept_ = 0;
  std::size_t at = 0;
  while (at < count && !ending_) {
    if (!is_in_frame_) {
      at += TakeHead(bytes + at, count - at);
      continue;
    }
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left_, count - at));
    Unmask(bytes + at, piece);
    if (IsControl()) {
      control_.append(bytes + at, piece);
    } else {
      std::memmove(bytes + kept_, bytes + at, piece);
      kept_ += piece;
    }
    at += piece;
    left_ -= piece;
    if (left_ == 0) EndFrame();
  }
  return kept_;
}

std::optional<std::string> WebSocketFrames::TakePing() { return std::exchange(ping_, {}); }

std::size_t WebSocketFrames::TakeHead(const char* bytes, std::size_t count) {
  std::size_t taken = 0;
  while (taken < count) {
    head_[head_bytes_++] = static_cast<std::uint8_t>(bytes[taken++]);
    if (head_bytes_ == 2) ending_ = WhyBadStart();
    if (ending_) break;
    if (head_bytes_ == HeadBytes()) {
      BeginFrame();
      break;
    }
  }
  return taken;
}

std::size_t WebSocketFrames::HeadBytes() const {
  if (head_bytes_ < 2) return 2;
  const std::uint8_t length = head_[1] & kLengthBits;
  const std::size_t more = length == kTwoBytes ? 2 : length == kEightBytes ? 8 : 0;
  return 2 + more + mask_.size();
}

std::optional<WebSocketCode> WebSocketFrames::WhyBadStart() const {
  const auto opcode = static_cast<Opcode>(head_[0] & kOpcodeBits);
  bool is_good = (head_[0] & kReservedBits) == 0 && (head_[1] & kMasked) != 0;
  switch (opcode) {
    case Opcode::kContinuation:
      is_good = is_good && is_in_message_;
      break;
    case Opcode::kText:
    case Opcode::kBinary:
      is_good = is_good && !is_in_message_;
      break;
    case Opcode::kClose:
    case Opcode::kPing:
    case Opcode::kPong:
      is_good = is_good && IsLast() && (head_[1] & kLengthBits) <= kShortMax;
      break;
    default:
      is_good = false;
  }
  if (!is_good) return WebSocketCode::kProtocolError;
  const Opcode other = content_ == WebSocketContent::kText ? Opcode::kBinary : Opcode::kText;
  if (opcode == other) return WebSocketCode::kUnsupportedData;
  return std::nullopt;
}

std::uint64_t WebSocketFrames::MessageBytesMax() const {
  return content_ == WebSocketContent::kText ? kWebSocketTextBytesMax : kWebSocketMessageBytesMax;
}

// A length that could be shorter is none.
void WebSocketFrames::BeginFrame() {
  const std::uint8_t length = head_[1] & kLengthBits;
  left_ = length;
  if (length == kTwoBytes) left_ = NumberOf(&head_[2], 2);
  if (length == kEightBytes) left_ = NumberOf(&head_[2], 8);
  const bool is_short = (length == kTwoBytes && left_ <= kShortMax) ||
                        (length == kEightBytes && left_ <= kTwoBytesMax);
  std::memcpy(mask_.data(), &head_[head_bytes_ - mask_.size()], mask_.size());
  is_in_frame_ = true;
  if (is_short || left_ >> 63U != 0) {
    ending_ = WebSocketCode::kProtocolError;
    return;
  }
  if (!IsControl()) {
    is_in_message_ = true;
    if (left_ > MessageBytesMax() - message_bytes_) {
      ending_ = WebSocketCode::kTooBig;
      return;
    }
    message_bytes_ += left_;
  }
  if (left_ == 0) EndFrame();
}

void WebSocketFrames::EndFrame() {
  is_in_frame_ = false;
  if (IsControl()) {
    EndControl();
  } else if (IsLast()) {
    is_in_message_ = false;
    message_bytes_ = 0;
    if (content_ == WebSocketContent::kText) ends_.push_back(kept_);
  }
  head_bytes_ = 0;
}

void WebSocketFrames::EndControl() {
  const std::string said = std::exchange(control_, {});
  const auto opcode = static_cast<Opcode>(head_[0] & kOpcodeBits);
  if (opcode == Opcode::kPing) ping_ = said;
  if (opcode != Opcode::kClose) return;
  const auto code = said.size() < 2
                        ? std::uint64_t{1000}
                        : NumberOf(reinterpret_cast<const std::uint8_t*>(said.data()), 2);
  is_closed_ = said.size() != 1 && IsCode(code);
  ending_ = is_closed_ ? static_cast<WebSocketCode>(code) : WebSocketCode::kProtocolError;
}

// Eight bytes at a time, as which the mask comes twice.
void WebSocketFrames::Unmask(char* bytes, std::size_t count) {
  std::array<char, 8> twice{};
  std::memcpy(twice.data(), mask_.data(), mask_.size());
  std::memcpy(twice.data() + mask_.size(), mask_.data(), mask_.size());
  std::uint64_t mask = 0;
  std::memcpy(&mask, twice.data(), twice.size());
  std::size_t at = 0;
  for (; at + sizeof(mask) <= count; at += sizeof(mask)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof(word));
    word ^= mask;
    std::memcpy(bytes + at, &word, sizeof(word));
  }
  for (; at < count; ++at) bytes[at] = static_cast<char>(bytes[at] ^ mask_[at % mask_.size()]);
  std::rotate(mask_.begin(), mask_.begin() + static_cast<std::ptrdiff_t>(count % mask_.size()),
              mask_.end());
}

std::string WebSocketHead(std::size_t bytes, WebSocketPiece piece) {
  const std::uint8_t opcode = piece.content == WebSocketContent::kText ? 1 : 2;
  const auto first =
      static_cast<std::uint8_t>((piece.is_last ? kFinal : 0) | (piece.is_first ? opcode : 0));
  return FrameHead(first, bytes);
}

std::string WebSocketClose(std::uint16_t code, std::string_view reason) {
  reason = reason.substr(0, kReasonBytesMax);
  std::string frame = FrameHead(kFinal | 8, 2 + reason.size());
  AppendNumber(code, 2, frame);
  return frame.append(reason);
}

std::string WebSocketPing() { return FrameHead(kFinal | 9, 0); }
std::string WebSocketPong(std::string_view said) {
  return FrameHead(kFinal | 10, said.size()).append(said);
}

std::string WebSocketAnswer(std::string_view key, std::string_view protocol) {
  namespace detail = boost::beast::websocket::detail;
  detail::sec_ws_accept_type accept;
  detail::make_sec_ws_accept(accept, {key.data(), key.size()});
  return fmt::format(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Accept: {}\r\n{}{}{}\r\n",
      std::string_view(accept.data(), accept.size()),
      protocol.empty() ? "" : "Sec-WebSocket-Protocol: ", protocol, protocol.empty() ? "" : "\r\n");
}

}  // namespace wharf
