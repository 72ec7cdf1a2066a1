#include "replication/snapshots/snapshot_message.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(SnapshotMessageTest, AreReadAsTheyWereWritten) {
  const SnapshotAsk ask{.snapshot = 0xFEDCBA9876543210,
                        .kind = SnapshotAsk::Kind::kPiece,
                        .file = 0x89ABCDEF,
                        .offset = std::uint64_t{1} << 40,
                        .bytes = 1 << 19};
  EXPECT_EQ(SnapshotAsk::Decode(ask.Encode()), ask);
  const SnapshotAnswer answer{.snapshot = 1,
                              .kind = SnapshotAnswer::Kind::kPiece,
                              .file = 2,
                              .offset = 3,
                              .bytes = std::string("b\0y", 3)};
  EXPECT_EQ(SnapshotAnswer::Decode(answer.Encode()), answer);
  const SnapshotNotice notice{
      .snapshot = 7, .kind = SnapshotNotice::Kind::kReady, .place = {std::uint64_t{1} << 50, 3}};
  EXPECT_EQ(SnapshotNotice::Decode(notice.Encode()), notice);
  const SnapshotAnswer gone{.snapshot = 9, .kind = SnapshotAnswer::Kind::kGone};
  EXPECT_EQ(SnapshotAnswer::Decode(gone.Encode()), gone);
}

TEST(SnapshotMessageTest, WhatHasAnotherLengthOrKindIsNone) {
  const std::string ask = SnapshotAsk{.snapshot = 1}.Encode();
  for (std::size_t size = 0; size < ask.size(); ++size) {
    EXPECT_EQ(SnapshotAsk::Decode(ask.substr(0, size)), std::nullopt);
  }
  EXPECT_EQ(SnapshotAsk::Decode(ask + "x"), std::nullopt);
  for (const char kind : {'\0', '\5', '\xFF'}) {
    std::string other = ask;
    other[8] = kind;
    EXPECT_EQ(SnapshotAsk::Decode(other), std::nullopt);
  }
  const std::string notice = SnapshotNotice{.snapshot = 1, .place = {2, 3}}.Encode();
  for (std::size_t size = 0; size < notice.size(); ++size) {
    EXPECT_EQ(SnapshotNotice::Decode(notice.substr(0, size)), std::nullopt);
  }
  EXPECT_EQ(SnapshotNotice::Decode(std::string(25, '\4')), std::nullopt);
  const std::string answer = SnapshotAnswer{.snapshot = 1}.Encode();
  for (std::size_t size = 0; size < answer.size(); ++size) {
    EXPECT_EQ(SnapshotAnswer::Decode(answer.substr(0, size)), std::nullopt);
  }
  for (const char kind : {'\0', '\4', '\xFF'}) {
    std::string other = answer;
    other[8] = kind;
    EXPECT_EQ(SnapshotAnswer::Decode(other), std::nullopt);
  }
}

}  // namespace
}  // namespace wharf
