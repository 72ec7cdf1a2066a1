// What the bytes of a terminal mean.

#include "tools/wharf/terminal/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

using KeyKind = Key::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<KeyKind> KindsOf(const std::vector<Key>& keys) {
  std::vector<KeyKind> kinds;
  for (const Key& key : keys) kinds.push_back(key.kind);
  return kinds;
}

TEST(KeyReaderTest, TerminalsSendTheSameKeyDifferently) {
  KeyReader keys;
  EXPECT_THAT(KindsOf(keys.Read("\x1b[A\x1bOA\x1b[B\x1bOB")),
              ElementsAre(KeyKind::kUp, KeyKind::kUp, KeyKind::kDown, KeyKind::kDown));
  EXPECT_THAT(KindsOf(keys.Read("\x1b[5~\x1b[6~\x1b[H\x1b[1~\x1bOF\x1b[4~")),
              ElementsAre(KeyKind::kPageUp, KeyKind::kPageDown, KeyKind::kHome, KeyKind::kHome,
                          KeyKind::kEnd, KeyKind::kEnd));
  EXPECT_THAT(KindsOf(keys.Read("\x1bOP\x1b[11~\x1b[[A\x1b[17~\x1b[21~")),
              ElementsAre(KeyKind::kF1, KeyKind::kF1, KeyKind::kF1, KeyKind::kF6, KeyKind::kF10));
  EXPECT_THAT(KindsOf(keys.Read("\r\x7f\x03\x1a\x0c")),
              ElementsAre(KeyKind::kEnter, KeyKind::kBackspace, KeyKind::kInterrupt,
                          KeyKind::kSuspend, KeyKind::kRedraw));
}

TEST(KeyReaderTest, ACharacterIsAKeyHoweverManyBytesItHas) {
  KeyReader keys;
  EXPECT_THAT(keys.Read("aé中"), ElementsAre(Key{KeyKind::kText, "a"}, Key{KeyKind::kText, "é"},
                                             Key{KeyKind::kText, "中"}));
}

TEST(KeyReaderTest, ASequenceMayComeInParts) {
  KeyReader keys;
  EXPECT_THAT(keys.Read("\x1b"), IsEmpty());
  EXPECT_THAT(keys.Read("["), IsEmpty());
  EXPECT_TRUE(keys.is_waiting());
  EXPECT_THAT(KindsOf(keys.Read("5~x")), ElementsAre(KeyKind::kPageUp, KeyKind::kText));
  EXPECT_FALSE(keys.is_waiting());
}

TEST(KeyReaderTest, AnEscapeBehindWhichNothingComesIsAKey) {
  KeyReader keys;
  EXPECT_THAT(keys.Read("\x1b"), IsEmpty());
  EXPECT_THAT(KindsOf(keys.Settle()), ElementsAre(KeyKind::kEscape));
  EXPECT_THAT(keys.Settle(), IsEmpty());
}

TEST(KeyReaderTest, WhatIsNoKeyIsPassedOver) {
  KeyReader keys;
  EXPECT_THAT(keys.Read("\x1b[1;5Xq"), ElementsAre(Key{KeyKind::kText, "q"}));
  EXPECT_THAT(keys.Read("\x1b[99999999999999999999"), ::testing::SizeIs(::testing::Le(8U)));
  EXPECT_THAT(keys.Settle(), IsEmpty());
  EXPECT_THAT(keys.Read(std::string(1, '\0') + "\x01q"), ElementsAre(Key{KeyKind::kText, "q"}));
}

}  // namespace
}  // namespace wharf::tool
