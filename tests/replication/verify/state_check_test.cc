#include "replication/verify/state_check.h"

#include <string>

#include <gtest/gtest.h>

#include "replication/verify/state_verdict.h"

namespace wharf {
namespace {

const RowPlace kRow{3, std::string("a\0key", 5)};

TEST(StateCheckTest, IsReadAsItWasWritten) {
  for (const RowPlace& begin : {RowPlace(), kRow}) {
    const StateCheck check{.id = ~0ULL, .bytes = 4096, .begin = begin};
    EXPECT_EQ(StateCheck::Decode(check.Encode()), check);
  }
}

TEST(StateCheckTest, AnAnswerIsReadAsItWasWritten) {
  const RangeDigest whole{.hash = 7, .rows = 2, .bytes = 9, .first = kRow, .end = kRow};
  for (const RangeDigest& digest : {RangeDigest(), RangeDigest{.hash = 1, .first = kRow},
                                    RangeDigest{.hash = 1, .end = kRow}, whole}) {
    const StateCheckAnswer answer{.id = 5, .index = 6, .digest = digest};
    EXPECT_EQ(StateCheckAnswer::Decode(answer.Encode()), answer);
  }
  const StateCheckAnswer trouble{.id = 5, .index = 6, .trouble = "it cannot be read"};
  EXPECT_EQ(StateCheckAnswer::Decode(trouble.Encode()), trouble);
}

TEST(StateCheckTest, WhatIsCutShortIsNone) {
  const std::string check = StateCheck{.id = 1}.Encode();
  for (std::size_t bytes = 0; bytes < check.size(); ++bytes) {
    EXPECT_FALSE(StateCheck::Decode(check.substr(0, bytes))) << bytes;
  }
  const std::string answer =
      StateCheckAnswer{.id = 1, .digest = RangeDigest{.first = kRow}}.Encode();
  for (std::size_t bytes = 0; bytes < answer.size(); ++bytes) {
    EXPECT_FALSE(StateCheckAnswer::Decode(answer.substr(0, bytes))) << bytes;
  }
}

TEST(StateCheckTest, AVerdictIsReadAsItWasWrittenAndNoOtherOne) {
  const StateVerdict verdict{StateVerdict::Kind::kDiffers, "it differs"};
  EXPECT_EQ(StateVerdict::Decode(verdict.Encode())->sentence, "it differs");
  EXPECT_EQ(StateVerdict::Decode(verdict.Encode())->kind, StateVerdict::Kind::kDiffers);
  for (const std::string& wrong : {std::string(), std::string(1, '\0'), std::string("\x04")}) {
    EXPECT_FALSE(StateVerdict::Decode(wrong));
  }
}

}  // namespace
}  // namespace wharf
