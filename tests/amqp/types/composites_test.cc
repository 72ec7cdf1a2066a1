// Frames' bodies as bytes and as text: what is left out, what is not, and what is refused.
#include "broker/doors/amqp/types/composites.h"

#include <string>

#include <gtest/gtest.h>

#include "broker/doors/amqp/codec/value_text.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

struct ReadBody {
  std::string text;
  std::string again;
};

// What the body says, or what is wrong with it; and how we would write it.
template <typename Body = Performative>
ReadBody ReadOf(std::string_view hex) {
  const std::string bytes = FromHex(hex);
  Reader reader(bytes);
  Body body;
  Read(reader, body);
  if (!reader.ok()) return {reader.error(), ""};
  return std::visit(
      [](const auto& one) {
        std::string again;
        Writer writer(again);
        Write(writer, one);
        return ReadBody{TextOf(one), HexOf(again)};
      },
      body);
}

struct GoldenBody {
  std::string_view hex, text;
};

TEST(CompositesTest, APerformativeIsReadAndWritten) {
  const GoldenBody kBodies[] = {
      {"00 53 10 c0 [0a a1 ['c'] a1 ['h'] 70 00 01 00 00 60 13 87 70 00 03 a9 80 40 40 40 40 c1 "
       "[02 a3 ['product'] a1 ['test']]]",
       "open{container-id=\"c\", hostname=\"h\", max-frame-size=65536, channel-max=4999, "
       "idle-time-out=240000, properties={:product \"test\"}}"},
      {"00 53 11 c0 [08 60 00 01 43 52 64 52 64 40 40 40 40]",
       "begin{remote-channel=1, next-outgoing-id=0, incoming-window=100, outgoing-window=100}"},
      {"00 53 12 c0 [0e a1 ['s'] 43 42 40 40 00 53 28 45 00 53 29 c0 [01 a1 ['q']] 40 40 43 40 40 "
       "40 40]",
       "attach{name=\"s\", handle=0, role=sender, source=source{}, target=target{address=\"q\"}, "
       "initial-delivery-count=0}"},
      {"00 53 13 c0 [07 43 52 64 43 52 64 52 01 43 52 0a]",
       "flow{next-incoming-id=0, incoming-window=100, next-outgoing-id=0, outgoing-window=100, "
       "handle=1, delivery-count=0, link-credit=10}"},
      {"00 53 14 c0 [05 43 52 07 a0 [01] 43 41]",
       "transfer{handle=0, delivery-id=7, delivery-tag=b'01', message-format=0, settled=true}"},
      {"00 53 15 c0 [05 41 52 07 52 09 41 00 53 24 45]",
       "disposition{role=receiver, first=7, last=9, settled=true, state=accepted{}}"},
      {"00 53 16 c0 [03 43 41 00 53 1d c0 [01 a3 ['amqp:not-found']]]",
       "detach{handle=0, closed=true, error=error{condition=:amqp:not-found}}"},
      {"00 53 17 45", "end{}"},
      {"00 53 18 45", "close{}"},
  };
  for (const GoldenBody& golden : kBodies) {
    const ReadBody read = ReadOf(golden.hex);
    EXPECT_EQ(read.text, golden.text);
    EXPECT_EQ(read.again, HexOf(FromHex(golden.hex))) << golden.text;
  }
}

TEST(CompositesTest, ASaslFrameIsReadAndWritten) {
  const GoldenBody kBodies[] = {
      {"00 53 40 c0 [01 e0 [02 b3 00 00 00 07 'MSSBCBS' 00 00 00 09 'ANONYMOUS']]",
       "sasl-mechanisms{sasl-server-mechanisms=[:MSSBCBS, :ANONYMOUS]}"},
      {"00 53 41 c0 [02 a3 ['ANONYMOUS'] a0 [00 'k']]",
       "sasl-init{mechanism=:ANONYMOUS, initial-response=b'006b'}"},
      {"00 53 44 c0 [01 50 01]", "sasl-outcome{code=auth}"},
  };
  for (const GoldenBody& golden : kBodies) {
    const ReadBody read = ReadOf<SaslFrame>(golden.hex);
    EXPECT_EQ(read.text, golden.text);
    EXPECT_EQ(read.again, HexOf(FromHex(golden.hex))) << golden.text;
  }
}

TEST(CompositesTest, OtherEncodingsMeanTheSame) {
  const GoldenBody kBodies[] = {
      // A descriptor may be a symbol, or a wide number.
      {"00 a3 ['amqp:end:list'] 45", "end{}"},
      {"00 80 00 00 00 00 00 00 00 17 c0 [00]", "end{}"},
      // Defaults may be written out, and nulls at the end.
      {"00 53 15 c0 [06 41 43 40 42 40 42]", "disposition{role=receiver, first=0}"},
      // One of many needs no array.
      {"00 53 10 c0 [08 a1 ['c'] 40 40 40 40 40 40 a3 ['x']]",
       "open{container-id=\"c\", offered-capabilities=[:x]}"},
      {"00 53 10 c0 [08 a1 ['c'] 40 40 40 40 40 40 e0 [02 a3 ['x'] ['y']]]",
       "open{container-id=\"c\", offered-capabilities=[:x, :y]}"},
      {"00 53 10 c0 [08 a1 ['c'] 40 40 40 40 40 40 e0 [00 a3]]", "open{container-id=\"c\"}"},
      {"00 53 15 c0 [05 41 43 40 42 00 53 34 c0 [02 a0 [00 01] 00 53 24 45]]",
       "disposition{role=receiver, first=0, "
       "state=transactional-state{txn-id=b'0001', outcome=accepted{}}}"},
      {"00 53 12 c0 [07 a1 ['s'] 43 42 50 01 50 01 40 00 53 30 c0 [01 a3 ['c']]]",
       "attach{name=\"s\", handle=0, role=sender, snd-settle-mode=settled, rcv-settle-mode=second, "
       "target=coordinator{capabilities=[:c]}}"},
  };
  for (const GoldenBody& golden : kBodies) EXPECT_EQ(ReadOf(golden.hex).text, golden.text);
}

TEST(CompositesTest, WhatIsWrongIsToldByTheNameOfItsField) {
  const GoldenBody kBodies[] = {
      {"45", "byte 0: a list where a described value is due"},
      {"00 53 19 45", "byte 3: a type that has no place here"},
      {"00 a3 ['x'] 45", "byte 4: a type that has no place here"},
      {"00 a1 ['x'] 45", "byte 1: a string where a ulong is due"},
      {"00 53 24 45", "byte 3: a type that has no place here"},
      {"00 53 10 45", "open.container-id: byte 4: missing"},
      {"00 53 10 c0 [01 40]", "open.container-id: byte 7: missing"},
      {"00 53 10 c0 [01 a3 ['c']]", "open.container-id: byte 6: a symbol where a string is due"},
      {"00 53 10 c0 [03 a1 ['c'] 40 44]",
       "open.max-frame-size: byte 10: a ulong where a uint is due"},
      {"00 53 15 c0 [02 50 01]", "disposition.role: byte 6: a ubyte where a boolean is due"},
      {"00 53 44 c0 [01 50 09]", "byte 3: a type that has no place here"},
      {"00 53 12 c0 [04 a1 ['s'] 43 42 50 03]",
       "attach.snd-settle-mode: byte 13: none of its values"},
      {"00 53 12 c0 [07 a1 ['s'] 43 42 40 40 40 00 53 28 45]",
       "attach.target: byte 17: a type that has no place here"},
      {"00 53 15 c0 [05 41 43 40 42 00 53 28 45]",
       "disposition.state: byte 13: a type that has no place here"},
      {"00 53 17 c0 [02 40 40]", "end: byte 7: more fields than it has"},
      {"00 53 17 c0 [01 41]", "end.error: byte 6: a boolean where a described value is due"},
      {"00 53 17 c0 [01 00 53 1d 45]", "end.error: error.condition: byte 10: missing"},
      {"00 53 17 c1 [00]", "byte 3: a map where a list is due"},
  };
  for (const GoldenBody& golden : kBodies) EXPECT_EQ(ReadOf(golden.hex).text, golden.text);
  EXPECT_EQ(ReadOf<SaslFrame>("00 53 44 c0 03 01 50 09").text,
            "sasl-outcome.code: byte 8: none of its values");
  EXPECT_EQ(ReadOf<SaslFrame>("00 53 40 c0 02 01 40").text,
            "sasl-mechanisms.sasl-server-mechanisms: byte 7: missing");
}

TEST(CompositesTest, AMessageIdKeepsItsType) {
  const GoldenBody kBodies[] = {
      {"00 53 73 c0 [01 53 07]", "properties{message-id=7}"},
      {"00 53 73 c0 [01 a1 ['m']]", "properties{message-id=\"m\"}"},
      {"00 53 73 c0 [01 a0 ['m']]", "properties{message-id=b'6d'}"},
      {"00 53 73 c0 [01 a3 ['m']]", "properties.message-id: byte 6: a symbol has no place here"},
  };
  for (const GoldenBody& golden : kBodies) {
    const std::string bytes = FromHex(golden.hex);
    Reader reader(bytes);
    Properties properties;
    Read(reader, properties);
    EXPECT_EQ(reader.ok() ? TextOf(properties) : reader.error(), golden.text);
  }
}

TEST(CompositesTest, EveryPrefixIsRefused) {
  const std::string bytes = FromHex(
      "00 53 12 c0 [0e a1 ['s'] 43 42 40 40 00 53 28 45 00 53 29 c0 [01 a1 ['q']] 40 40 43"
      "40 40 40 40]");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string prefix = bytes.substr(0, size);
    Reader reader(prefix);
    Performative body;
    Read(reader, body);
    EXPECT_FALSE(reader.ok()) << size;
  }
}

}  // namespace
}  // namespace wharf::amqp
