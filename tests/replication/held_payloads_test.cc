#include "replication/core/held_payloads.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(HeldPayloadsTest, AreFoundByTheirNumbers) {
  HeldPayloads held;

  EXPECT_EQ(held.Hold("one"), 1U);
  EXPECT_EQ(held.Hold("two"), 2U);

  EXPECT_EQ(*held.Find(1), "one");
  EXPECT_EQ(*held.Find(2), "two");
  EXPECT_EQ(held.Find(0), nullptr);
  EXPECT_EQ(held.Find(3), nullptr);
}

TEST(HeldPayloadsTest, WhatWasNotTakenIsNotHeld) {
  HeldPayloads held;
  held.Hold("taken");
  const std::uint64_t first = held.next();
  held.Hold("refused");
  held.Hold("refused, too");

  held.DropFrom(first);

  EXPECT_EQ(held.next(), first);
  EXPECT_EQ(held.Find(first), nullptr);
  EXPECT_EQ(*held.Find(1), "taken");
}

// Of before the Ready that is taken, and of before the one before that: still asked for. No longer.
TEST(HeldPayloadsTest, AreHeldForTwoReadies) {
  HeldPayloads held;
  const std::uint64_t number = held.Hold("payload");

  held.OnReady(held.next());
  EXPECT_NE(held.Find(number), nullptr);
  const std::uint64_t read = held.Hold("read meanwhile");
  held.OnReady(held.next());
  EXPECT_EQ(held.Find(number), nullptr);
  EXPECT_NE(held.Find(read), nullptr);
  EXPECT_EQ(held.Hold("later"), read + 1);
}

}  // namespace
}  // namespace wharf
