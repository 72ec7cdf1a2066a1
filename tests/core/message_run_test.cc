#include "broker/core/queue/message_run.h"

#include <gtest/gtest.h>

#include "broker/core/order/partition.h"

namespace wharf {
namespace {

constexpr auto kUnknown = MessageRun::Between::kUnknown;

TEST(MessageRunTest, WhatStandsBetweenIsNoPartOfIt) {
  MessageRun run;
  ASSERT_TRUE(run.Extend(SequenceNumber(5), 10, kUnknown));
  ASSERT_TRUE(run.Extend(SequenceNumber(6), 20, kUnknown));
  ASSERT_TRUE(run.Extend(SequenceNumber(9), 30, kUnknown));

  EXPECT_EQ(run.first, SequenceNumber(5));
  EXPECT_EQ(run.last, SequenceNumber(9));
  EXPECT_EQ(run.count, 3);
  EXPECT_EQ(run.bytes, 60);
  EXPECT_EQ(run.exceptions, (std::vector{SequenceNumber(7), SequenceNumber(8)}));
}

TEST(MessageRunTest, WhatIsKnownToBeGoneIsNoException) {
  MessageRun run;
  ASSERT_TRUE(run.Extend(SequenceNumber(5), 1, MessageRun::Between::kGone));
  ASSERT_TRUE(run.Extend(SequenceNumber(5'000'000), 1, MessageRun::Between::kGone));

  EXPECT_TRUE(run.exceptions.empty());
}

TEST(MessageRunTest, BehindAWideGapAnotherOneBegins) {
  MessageRun run;
  ASSERT_TRUE(run.Extend(SequenceNumber(1), 1, kUnknown));

  EXPECT_TRUE(MessageRun(run).Extend(SequenceNumber(2 + RunLimits().gap_max), 1, kUnknown));
  EXPECT_FALSE(run.Extend(SequenceNumber(3 + RunLimits().gap_max), 1, kUnknown));
  EXPECT_EQ(run.count, 1);
}

TEST(MessageRunTest, NumbersOnlyRise) {
  MessageRun run;
  ASSERT_TRUE(run.Extend(SequenceNumber(7), 1, kUnknown));

  EXPECT_FALSE(run.Extend(SequenceNumber(7), 1, kUnknown));
  EXPECT_FALSE(run.Extend(SequenceNumber(6), 1, kUnknown));
}

TEST(MessageRunTest, ItEndsWithItsPartition) {  // PAR-4
  for (const auto between : {kUnknown, MessageRun::Between::kGone}) {
    MessageRun run;
    ASSERT_TRUE(run.Extend(SequenceNumber(FirstNumberOf(1).value() - 2), 1, between));
    EXPECT_FALSE(run.Extend(FirstNumberOf(1), 1, between));
  }
}

TEST(MessageRunTest, ItsExceptionsAreBounded) {
  MessageRun run;
  std::uint64_t number = 1;
  while (run.Extend(SequenceNumber(number), 1, kUnknown)) number += 1 + RunLimits().gap_max;

  EXPECT_LE(run.exceptions.size(), RunLimits().exceptions_max);
  EXPECT_GT(run.exceptions.size(), RunLimits().exceptions_max - RunLimits().gap_max);
}

TEST(MessageRunTest, OnlyWhatExpiredAndHasItsBodyInsideFits) {  // TTL-6
  const Timestamp now{Duration(100)};
  MessageFacts facts;
  facts.expires_at = now;
  EXPECT_TRUE(MessageRun::Fits(facts, now));
  EXPECT_FALSE(MessageRun::Fits(facts, now - Duration(1)));

  facts.body_ref.emplace();
  EXPECT_FALSE(MessageRun::Fits(facts, now));
}

}  // namespace
}  // namespace wharf
