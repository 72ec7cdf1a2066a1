#include "broker/doors/amqp/message/data_stream.h"

#include <gtest/gtest.h>

#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

struct Streamed {
  std::string data;
  std::string error;
  std::string footer;
  std::size_t sections = 0;
};

Streamed StreamOf(std::string_view hex, std::size_t piece, std::size_t footer_bytes_max = 100) {
  const std::string bytes = FromHex(hex);
  DataStream stream(footer_bytes_max, DecodeLimits());
  Streamed streamed;
  const auto sink = [&streamed](std::string_view data) { streamed.data += data; };
  Status status;
  for (std::size_t at = 0; at < bytes.size() && status.ok(); at += piece) {
    status = stream.Feed(std::string_view(bytes).substr(at, piece), sink);
  }
  if (status.ok()) status = stream.Finish();
  streamed.error = status.message();
  streamed.footer = stream.footer();
  streamed.sections = stream.sections();
  return streamed;
}

TEST(DataStreamTest, DataComesOutHoweverItIsCut) {
  constexpr std::string_view kFooter = "00 53 78 c1 [02 a3 ['f'] 41]";
  const std::string body =
      "00 53 75 a0 ['one '] 00 80 00 00 00 00 00 00 00 75 b0 00 00 00 04 'two '"
      "00 a3 ['amqp:data:binary'] a0 [] 00 53 75 a0 ['three']" +
      std::string(kFooter);
  for (const std::size_t piece : {1, 2, 3, 7, 1000}) {
    const Streamed streamed = StreamOf(body, piece);
    EXPECT_EQ(streamed.error, "") << piece;
    EXPECT_EQ(streamed.data, "one two three") << piece;
    EXPECT_EQ(streamed.sections, 4U) << piece;
    EXPECT_EQ(streamed.footer, FromHex(kFooter)) << piece;
  }
}

TEST(DataStreamTest, WhatIsNoBodyOfDataIsRefused) {
  for (const std::size_t piece : {1, 1000}) {
    EXPECT_EQ(StreamOf("", piece).error, "a message without a body");
    EXPECT_EQ(StreamOf("00 53 75 a0 05 'cut'", piece).error,
              "a message that ends within a section");
    EXPECT_EQ(StreamOf("00 53 75", piece).error, "a message that ends within a section");
    EXPECT_EQ(StreamOf("00 53 77 40", piece).error, "a section that has no place behind data");
    EXPECT_EQ(StreamOf("00 53 78 c1 [00]", piece).error, "a section that has no place behind data");
    EXPECT_EQ(StreamOf("00 53 75 a1 ['text']", piece).error, "data of another type than binary");
    EXPECT_EQ(StreamOf("00 53 75 a0 [] 00 53 78 45", piece).error,
              "byte 3: a footer that is no map");
    EXPECT_EQ(StreamOf("00 53 75 a0 [] 00 53 78 c1 [00] 40", piece).error,
              "byte 6: bytes behind the footer");
    EXPECT_EQ(StreamOf("00 53 75 a0 [] 00 53 78 c1 [02 a3 ['f'] 41]", piece, 8).error,
              "a footer of more than 8 bytes");
    EXPECT_EQ(StreamOf("45", piece).error, "byte 0: a list where a described value is due");
  }
}

}  // namespace
}  // namespace wharf::amqp
