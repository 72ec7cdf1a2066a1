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

TEST(GarbageTest, AnOutcomeIsForgottenWhenACommitIsPastItsTime) {  // TXX-1
  Garbage garbage;
  garbage.NoteCommitted(kNow);

  EXPECT_TRUE(garbage.IsForgottenOutcome(EncodeTransaction({.id = "tx", .forget_after = kNow})));
  EXPECT_FALSE(garbage.IsForgottenOutcome(
      EncodeTransaction({.id = "tx", .forget_after = kNow + seconds(1)})));
  // One that is open is kept until its end is told.
  EXPECT_FALSE(garbage.IsForgottenOutcome(EncodeTransaction({.id = "tx"})));
}

TEST(GarbageTest, WhatCannotBeReadIsKept) {
  Garbage garbage;
  garbage.NoteCommitted(kNow);

  EXPECT_FALSE(garbage.IsForgotten("damaged"));
  EXPECT_FALSE(garbage.IsForgottenOutcome("damaged"));
}

}  // namespace
}  // namespace wharf
