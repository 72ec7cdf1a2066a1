// What the frames of a client carry, wherever its bytes are cut.
#include "broker/doors/http/web_socket_frames.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr std::string_view kMask{"\x12\x00\xFE\x7A", 4};

// A client's, with a mask, and its length in `length_bytes` more bytes.
std::string ClientFrame(unsigned first, std::string payload, int length_bytes = 0) {
  std::string frame(1, static_cast<char>(first));
  const std::size_t length = length_bytes == 0 ? payload.size() : length_bytes == 2 ? 126 : 127;
  frame += static_cast<char>(0x80U | length);
  for (int i = length_bytes - 1; i >= 0; --i) frame += static_cast<char>(payload.size() >> 8U * i);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<char>(payload[i] ^ kMask[i % 4]);
  }
  return frame.append(kMask) + payload;
}

// What the bytes carry that come in two pieces, or in one.
struct Read {
  std::string carried;
  std::string pings;
  std::optional<WebSocketCode> ending;
  bool operator==(const Read&) const = default;
};
void Take(WebSocketFrames& frames, std::string piece, Read& read) {
  const std::size_t kept = frames.Take(piece.data(), piece.size());
  read.carried.append(piece, 0, kept);
  if (const auto ping = frames.TakePing()) read.pings += *ping;
  read.ending = frames.ending();
}
Read ReadCut(const std::string& bytes, std::size_t at) {
  WebSocketFrames frames(WebSocketContent::kBinary);
  Read read;
  Take(frames, bytes.substr(0, at), read);
  Take(frames, bytes.substr(at), read);
  return read;
}
std::optional<WebSocketCode> EndingOf(const std::string& bytes) {
  return ReadCut(bytes, bytes.size()).ending;
}

TEST(WebSocketFramesTest, BytesMayBeCutAnywhere) {
  const std::string body(300, 'b');
  const std::string bytes =
      ClientFrame(0x02, "one ") + ClientFrame(0x89, "ping") + ClientFrame(0x00, "") +
      ClientFrame(0x80, body, 2) + ClientFrame(0x8A, "pong") + ClientFrame(0x82, "") +
      ClientFrame(0x82, " end") + ClientFrame(0x88, "\x03\xE9 bye") + "behind it";
  const Read wanted{"one " + body + " end", "ping", WebSocketCode::kGoingAway};

  for (std::size_t at = 0; at <= bytes.size(); ++at) EXPECT_EQ(ReadCut(bytes, at), wanted) << at;
}

TEST(WebSocketFramesTest, ALargeOneComesInPiecesOfAnySize) {
  std::mt19937 random(7);
  std::string body(200'000, '\0');
  for (char& byte : body) byte = static_cast<char>(random());
  const std::string bytes = ClientFrame(0x82, body, 8);
  WebSocketFrames frames(WebSocketContent::kBinary);
  Read read;

  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t count = 1 + random() % 9000;
    Take(frames, bytes.substr(at, count), read);
    at += count;
  }

  EXPECT_EQ(read.carried, body);
  EXPECT_EQ(read.ending, std::nullopt);
}

// Whatever they say, no more is carried than there is.
TEST(WebSocketFramesTest, AnyBytesAreTaken) {
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    WebSocketFrames frames(WebSocketContent::kBinary);
    for (int piece = 0; piece < 4; ++piece) {
      std::string bytes(1 + random() % 40, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      // Else most would end with their first.
      if (random() % 2 == 0) bytes[0] = static_cast<char>(0x80U | random() % 11);
      ASSERT_LE(frames.Take(bytes.data(), bytes.size()), bytes.size());
      ASSERT_LE(frames.TakePing().value_or("").size(), 125U);
    }
  }
}

TEST(WebSocketFramesTest, TheLastPingIsAnswered) {
  WebSocketFrames frames(WebSocketContent::kBinary);
  std::string bytes = ClientFrame(0x89, "one") + ClientFrame(0x89, "two");
  frames.Take(bytes.data(), bytes.size());

  EXPECT_EQ(frames.TakePing(), "two");
  EXPECT_EQ(frames.TakePing(), std::nullopt);
}

TEST(WebSocketFramesTest, WhatBreaksARuleEndsIt) {
  constexpr auto kBad = WebSocketCode::kProtocolError;
  EXPECT_EQ(EndingOf(ClientFrame(0xC2, "x")), kBad);  // A reserved bit.
  EXPECT_EQ(EndingOf(ClientFrame(0x83, "x")), kBad);  // A reserved opcode.
  EXPECT_EQ(EndingOf(ClientFrame(0x8B, "x")), kBad);  // And one of control.
  EXPECT_EQ(EndingOf(ClientFrame(0x80, "x")), kBad);  // More of nothing.
  EXPECT_EQ(EndingOf(ClientFrame(0x02, "x") + ClientFrame(0x82, "x")),
            kBad);                                                         // A message in another.
  EXPECT_EQ(EndingOf(ClientFrame(0x09, "x")), kBad);                       // A piece of a ping.
  EXPECT_EQ(EndingOf(ClientFrame(0x89, std::string(126, 'x'), 2)), kBad);  // Too long a ping.
  EXPECT_EQ(EndingOf(ClientFrame(0x82, "x", 2)), kBad);  // Lengths that could be shorter.
  EXPECT_EQ(EndingOf(ClientFrame(0x82, std::string(200, 'x'), 8)), kBad);
  EXPECT_EQ(EndingOf("\x82\x01x"), kBad);                             // No mask.
  EXPECT_EQ(EndingOf("\x82\xFF\xFF" + std::string(11, '\0')), kBad);  // No length.
  EXPECT_EQ(EndingOf(ClientFrame(0x81, "x")), WebSocketCode::kUnsupportedData);
}

TEST(WebSocketFramesTest, ACloseSaysACodeThatOneMaySay) {
  EXPECT_EQ(EndingOf(ClientFrame(0x88, "")), WebSocketCode::kNormal);
  EXPECT_EQ(EndingOf(ClientFrame(0x88, "\x03\xE8")), WebSocketCode::kNormal);
  EXPECT_EQ(EndingOf(ClientFrame(0x88, "\x0F\xA0")), static_cast<WebSocketCode>(4000));
  for (const char* bad : {"\x03", "\x03\xE7", "\x03\xEC", "\x03\xED", "\x03\xEE", "\x07\xD0"}) {
    WebSocketFrames frames(WebSocketContent::kBinary);
    std::string bytes = ClientFrame(0x88, bad);
    frames.Take(bytes.data(), bytes.size());
    EXPECT_EQ(frames.ending(), WebSocketCode::kProtocolError);
    EXPECT_FALSE(frames.is_closed());
  }
}

TEST(WebSocketFramesTest, WhatWeSaySaysItsLengthAsShortAsItCan) {
  EXPECT_EQ(WebSocketHead(125, {}), std::string("\x82\x7D"));
  EXPECT_EQ(WebSocketHead(126, {}), std::string("\x82\x7E\x00\x7E", 4));
  EXPECT_EQ(WebSocketHead(65535, {}), std::string("\x82\x7E\xFF\xFF", 4));
  EXPECT_EQ(WebSocketHead(65536, {}), std::string("\x82\x7F\x00\x00\x00\x00\x00\x01\x00\x00", 10));
  EXPECT_EQ(WebSocketClose(1009), std::string("\x88\x02\x03\xF1"));
  EXPECT_EQ(WebSocketPong("p"), std::string("\x8A\x01p"));
}

// As a client writes them, with a mask that changes nothing.
std::string FrameOf(unsigned char first, const std::string& payload) {
  return std::string(1, static_cast<char>(first)) + static_cast<char>(0x80 | payload.size()) +
         std::string(4, '\0') + payload;
}

TEST(WebSocketTextsTest, WhereTheyEndIsTold) {
  WebSocketFrames frames(WebSocketContent::kText);
  std::string bytes = FrameOf(0x01, "a") + FrameOf(0x00, "") + FrameOf(0x89, "p") +
                      FrameOf(0x80, "bc") + FrameOf(0x81, "") + FrameOf(0x81, "d") + "\x81";
  EXPECT_EQ(frames.Take(bytes.data(), bytes.size()), 4U);
  EXPECT_EQ(bytes.substr(0, 4), "abcd");
  EXPECT_EQ(frames.ends(), (std::vector<std::size_t>{3, 3, 4}));
  EXPECT_TRUE(frames.is_in_message()) << "its head has begun";
}

TEST(WebSocketTextsTest, OtherMessagesAndLongerOnesAreNone) {
  WebSocketFrames frames(WebSocketContent::kText);
  std::string bytes = FrameOf(0x82, "a");
  frames.Take(bytes.data(), bytes.size());
  EXPECT_EQ(frames.ending(), WebSocketCode::kUnsupportedData);

  WebSocketFrames others(WebSocketContent::kText);
  std::string head("\x81\xFF\0\0\0\0\x01\x80\0\x01\0\0\0\0", 14);  // 24 MiB and a byte.
  others.Take(head.data(), head.size());
  EXPECT_EQ(others.ending(), WebSocketCode::kTooBig);
}

TEST(WebSocketTextsTest, TheyAreWrittenInPiecesAndEndInWords) {
  constexpr auto kText = WebSocketContent::kText;
  EXPECT_EQ(WebSocketHead(1, {.content = kText}), std::string("\x81\x01"));
  EXPECT_EQ(WebSocketHead(1, {.content = kText, .is_last = false}), std::string("\x01\x01"));
  EXPECT_EQ(WebSocketHead(1, {.content = kText, .is_first = false, .is_last = false}),
            std::string("\x00\x01", 2));
  EXPECT_EQ(WebSocketHead(1, {.content = kText, .is_first = false}), std::string("\x80\x01"));
  EXPECT_EQ(WebSocketClose(4003, "no"), std::string("\x88\x04\x0F\xA3no"));
  EXPECT_EQ(WebSocketClose(4003, std::string(200, 'x')).size(), 2U + 125U);
  EXPECT_EQ(WebSocketPing(), std::string("\x89\x00", 2));
}

}  // namespace
}  // namespace wharf
