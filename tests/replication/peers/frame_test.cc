#include "replication/peers/streams/frame.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What a reader makes of bytes, given to it in pieces.
struct Read {
  std::vector<std::string> payloads;
  Status status;
};

Read ReadAll(std::string_view bytes, std::size_t piece = 1 << 20, std::size_t payload_max = 1024) {
  FrameReader reader(payload_max);
  Read read;
  while (!bytes.empty() && read.status.ok()) {
    read.status = reader.Feed(bytes.substr(0, piece), [&read](Frame frame) {
      read.payloads.push_back(std::move(frame.payload));
      return Status();
    });
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return read;
}

std::string Stream(const std::vector<std::string>& payloads) {
  FrameWriter writer;
  std::string out;
  for (const std::string& payload : payloads) writer.Write(FrameKind::kMessage, payload, out);
  return out;
}

// The grammar is a promise to other versions.
TEST(FrameTest, AFrameLooksLikeThis) {
  EXPECT_EQ(Stream({"abc"}).substr(0, 8), "WHARFPR1");
  const std::string frame = Stream({"abc"}).substr(8);
  EXPECT_EQ(frame.substr(0, 9), std::string("\x03\0\0\0\0\0\0\0\x06", 9));
  EXPECT_EQ(frame.substr(13), "abc");
  EXPECT_EQ(frame.size(), kFrameHeadBytes + 3);
}

TEST(FrameTest, FramesComeOutAsTheyWentInHoweverTheyAreCut) {
  const std::vector<std::string> payloads = {"", "a", std::string(1024, 'x'), "", "end"};
  const std::string stream = Stream(payloads);

  for (const std::size_t piece : {1, 2, 7, 13, 64, 100000}) {
    const Read read = ReadAll(stream, piece);
    EXPECT_EQ(read.payloads, payloads) << piece;
    EXPECT_TRUE(read.status.ok()) << piece;
  }
}

TEST(FrameTest, ABitFlippedAnywhereEndsTheStream) {  // reliability 29, 34
  const std::string stream = Stream({"first", "second"});

  for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
    std::string damaged = stream;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Read read = ReadAll(damaged);
    // A longer frame may also just never be whole.
    EXPECT_LT(read.payloads.size(), 2u) << bit;
    for (const std::string& payload : read.payloads) EXPECT_EQ(payload, "first") << bit;
  }
}

TEST(FrameTest, CutAnywhereItGivesOnlyWholeFrames) {
  const std::string stream = Stream({"first", "second"});

  for (std::size_t size = 0; size < stream.size(); ++size) {
    const Read read = ReadAll(stream.substr(0, size));
    EXPECT_TRUE(read.status.ok()) << size;
    EXPECT_LT(read.payloads.size(), 2u) << size;
  }
}

TEST(FrameTest, ARepeatedFrameEndsTheStream) {
  const std::string first = Stream({"first"});
  const std::string frame = first.substr(kPeerPreface.size());

  const Read read = ReadAll(first + frame);

  EXPECT_THAT(read.payloads, ElementsAre("first"));
  EXPECT_THAT(read.status.message(), HasSubstr("frame 0 came where frame 1 was due"));
}

TEST(FrameTest, FramesInAnotherOrderEndTheStream) {
  const std::string stream = Stream({"first", "other"});
  const std::size_t size = kFrameHeadBytes + 5;
  const std::string swapped =
      stream.substr(0, 8) + stream.substr(8 + size) + stream.substr(8, size);

  const Read read = ReadAll(swapped);

  EXPECT_TRUE(read.payloads.empty());
  EXPECT_THAT(read.status.message(), HasSubstr("frame 1 came where frame 0 was due"));
}

TEST(FrameTest, ALengthThatIsTooLargeIsRefusedBeforeAnythingOfItCame) {
  const std::string stream = Stream({std::string(1025, 'x')});

  const Read read = ReadAll(stream.substr(0, 8 + kFrameHeadBytes));

  EXPECT_THAT(read.status.message(),
              HasSubstr("a frame of 1025 bytes came where 1024 are allowed"));
}

TEST(FrameTest, AKindThatNobodyKnowsEndsTheStream) {
  for (const int kind : {0, 11, 255}) {
    FrameWriter writer;
    std::string out;
    writer.Write(static_cast<FrameKind>(kind), "x", out);

    EXPECT_THAT(ReadAll(out).status.message(), HasSubstr("unknown kind")) << kind;
  }
}

TEST(FrameTest, WhatIsNoPeerIsKnownByItsFirstBytes) {
  EXPECT_THAT(ReadAll("HTTP/1.1 400 Bad Request\r\n").status.message(),
              HasSubstr("says \"HTTP/1.1 400 Bad Request\""));
  EXPECT_THAT(ReadAll("WHARFPR2").status.message(), HasSubstr("does not speak the protocol"));
  EXPECT_THAT(ReadAll("\x16\x03\x01\x02").status.message(), HasSubstr("it speaks TLS"));
  EXPECT_THAT(ReadAll(std::string("\0\x01\xff", 3)).status.message(), HasSubstr("\\x00\\x01\\xff"));
}

TEST(FrameTest, WhatItsReaderRefusesIsTheLast) {
  FrameReader reader(1024);
  int seen = 0;

  const Status fed = reader.Feed(Stream({"a", "b", "c"}), [&seen](const Frame& /*frame*/) {
    return ++seen == 2 ? Status(ErrorCode::kForbidden, "enough") : Status();
  });

  EXPECT_EQ(seen, 2);
  EXPECT_EQ(fed.message(), "enough");
}

}  // namespace
}  // namespace wharf
