#include "broker/core/messages/text.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(ShortenedTest, WhatFitsStaysAsItIs) {
  EXPECT_EQ(Shortened("orders", 6), "orders");
  EXPECT_EQ(Shortened("", 0), "");
}

TEST(ShortenedTest, WhatIsLongerEndsInAMark) { EXPECT_EQ(Shortened("orders", 5), "or..."); }

TEST(ShortenedTest, NoCharacterIsCutInTwo) {
  EXPECT_EQ(Shortened("a\xC3\xA4\xC3\xB6\xC3\xBC", 5), "a...");
  EXPECT_EQ(Shortened("a\xC3\xA4\xC3\xB6\xC3\xBC", 6), "a\xC3\xA4...");
  EXPECT_EQ(Shortened("\xC3\xA4\xC3\xB6\xC3\xBC", 4), "...");
}

}  // namespace
}  // namespace wharf
