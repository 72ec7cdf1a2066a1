// Frames of a WebSocket (RFC 6455 5.2), as a client and as a server write them, by hand.
#pragma once

#include <cstdint>
#include <string>

namespace wharf {

enum Opcode : unsigned char {
  kMore = 0,
  kText = 1,
  kBinary = 2,
  kReserved = 3,
  kClose = 8,
  kPing = 9
};
inline constexpr unsigned char kFinal = 0x80;
inline constexpr unsigned char kMasked = 0x80;

// The head of a frame of a client, whose mask changes nothing.
inline std::string HeadOf(unsigned first, std::uint64_t bytes) {
  std::string head(1, static_cast<char>(first));
  const int length_bytes = bytes < 126 ? 0 : bytes < 65536 ? 2 : 8;
  const std::uint64_t length = length_bytes == 0 ? bytes : length_bytes == 2 ? 126 : 127;
  head += static_cast<char>(kMasked | length);
  for (int i = length_bytes - 1; i >= 0; --i) head += static_cast<char>(bytes >> (8 * i));
  return head + std::string(4, '\0');
}
inline std::string Frame(Opcode opcode, const std::string& payload) {
  return HeadOf(kFinal | opcode, payload.size()) + payload;
}
inline std::string Piece(Opcode opcode, const std::string& payload) {
  return HeadOf(opcode, payload.size()) + payload;
}
// As the server writes them.
inline std::string Said(unsigned first, const std::string& payload) {
  return std::string(1, static_cast<char>(first)) + static_cast<char>(payload.size()) + payload;
}
inline std::string Closed(unsigned code) {
  return Said(kFinal | kClose, {static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)});
}

inline constexpr const char* kUpgrade =
    "GET /any HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Extensions: permessage-deflate\r\n";

}  // namespace wharf
