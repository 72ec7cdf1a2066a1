#include "broker/schema/garbage.h"

#include <gtest/gtest.h>

#include "broker/schema/records.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr Timestamp kNow{std::chrono::hours(1)};

TEST(GarbageTest, AMessageIdIsForgottenWhenACommitIsPastItsWindow) {  // DUP-5
  const std::string row = EncodeDuplicate({SequenceNumber(1), kNow, false});
  Garbage garbage;

  EXPECT_FALSE(garbage.IsForgotten(row));
  garbage.NoteCommitted(kNow - seconds(1));
  EXPECT_FALSE(garbage.IsForgotten(row));
  garbage.NoteCommitted(kNow);
  EXPECT_TRUE(garbage.IsForgotten(row));
}

TEST(GarbageTest, WhatCannotBeReadIsKept) {
  Garbage garbage;
  garbage.NoteCommitted(kNow);

  EXPECT_FALSE(garbage.IsForgotten("damaged"));
}

}  // namespace
}  // namespace wharf
