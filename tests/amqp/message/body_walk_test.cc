#include "broker/doors/amqp/message/body_walk.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

constexpr std::string_view kFooterHex = "00 53 78 c1 [02 a3 ['crc'] 52 07]";
constexpr std::string_view kBodies[] = {
    "00 53 75 a0 ['one']",
    "00 53 75 a0 ['one'] 00 53 75 b0 00 00 00 03 'two' 00 53 75 a0 []",
    "00 a3 ['amqp:data:binary'] a0 ['one'] 00 80 00 00 00 00 00 00 00 75 a0 ['two']",
    "00 53 76 c0 [02 41 42] 00 53 76 45 00 53 76 d0 00 00 00 05 00 00 00 01 41",
    "00 53 77 41",
    "00 53 77 71 00 00 00 07",
    "00 53 77 98 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
    "00 53 77 c1 [02 a1 ['a'] 40]",
    "00 53 77 f0 00 00 00 09 00 00 00 04 50 01 02 03 04",
    "00 53 77 00 a3 ['x:y'] 00 53 07 c0 [01 00 53 75]",
};

struct Walked {
  Status status{};
  std::string body{};
  std::string tail{};
};

// In pieces of so many bytes.
Walked Walk(std::string_view bytes, std::size_t piece) {
  BodyWalk walk;
  Walked walked;
  while (!bytes.empty() && walked.status.ok()) {
    walked.status = walk.Take(bytes.substr(0, piece), walked.body, walked.tail);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  if (walked.status.ok()) walked.status = walk.CheckEnd();
  return walked;
}

TEST(BodyWalkTest, ABodyEndsWhereAFooterBegins) {
  for (const std::string_view body : kBodies) {
    for (const std::string_view footer : {std::string_view(), kFooterHex}) {
      const std::string bytes = FromHex(body) + FromHex(footer);
      for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        const Walked walked = Walk(bytes, piece);
        EXPECT_TRUE(walked.status.ok()) << body << ": " << walked.status.message();
        EXPECT_EQ(walked.body, FromHex(body)) << piece;
        EXPECT_EQ(walked.tail, FromHex(footer)) << piece;
      }
    }
  }
}

TEST(BodyWalkTest, OneThatIsCutOffHasNotEnded) {
  for (const std::string_view body : kBodies) {
    const std::string bytes = FromHex(body);
    // Of several sections a part may be whole by itself.
    EXPECT_FALSE(Walk(bytes.substr(0, bytes.size() - 1), 7).status.ok()) << body;
    EXPECT_FALSE(Walk(bytes.substr(0, 2), 1).status.ok());
  }
  EXPECT_FALSE(Walk("", 1).status.ok());
}

TEST(BodyWalkTest, WhatHasNoPlaceIsWrong) {
  for (const std::string_view wrong : {
           "00 53 75 a1 ['text']",
           "00 53 76 a0 ['data']",
           "00 53 75 a0 [] 00 53 76 45",
           "00 53 77 41 00 53 77 41",
           "00 53 73 45",
           "00 53 78 c1 [00]",
           "00 53 75 a0 [] 41",
           "00 53 77 3f",
           "00 53 75 a0 [] 00 53 99 41",
           "00 53 75 00 53 01 a0 ['data']",
           "00 53 76 00 53 01 45",
       }) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100}}) {
      const Walked walked = Walk(FromHex(wrong), piece);
      EXPECT_EQ(walked.status.code(), ErrorCode::kArgumentError) << wrong;
    }
  }
}

// It holds what a section begins with, and no more of it than a thousand bytes.
TEST(BodyWalkTest, ASectionDoesNotBeginForEver) {
  std::string bytes = FromHex("00 53 77");
  while (bytes.size() < 4096) bytes += FromHex("00 a3 ['described']");
  EXPECT_EQ(Walk(bytes, 100).status.code(), ErrorCode::kArgumentError);
}

}  // namespace
}  // namespace wharf::amqp
