// What a lane remembers of what was counted out, run by run.

#include "broker/core/queue/spans.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/order/partition.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

constexpr Timestamp kNow{Duration(1000)};

std::vector<SequenceNumber> Numbers(std::initializer_list<std::uint64_t> values) {
  return {values.begin(), values.end()};
}

MessageRun RunOf(std::uint64_t first, std::uint64_t last,
                 std::initializer_list<std::uint64_t> exceptions = {}) {
  return {.first = SequenceNumber(first),
          .last = SequenceNumber(last),
          .count = static_cast<std::int64_t>(last - first + 1 - exceptions.size()),
          .exceptions = Numbers(exceptions)};
}

Span SpanOf(std::uint64_t first, std::uint64_t last,
            std::initializer_list<std::uint64_t> exceptions = {}) {
  return {SequenceNumber(first), SequenceNumber(last), kNow, Numbers(exceptions)};
}

TEST(SpansTest, WhatFollowsMakesThemLonger) {
  Spans spans;
  spans.Add(RunOf(1, 100), kNow - Duration(5));

  const Spans::Grown grown = spans.Add(RunOf(101, 200), kNow);

  EXPECT_EQ(grown.span, SpanOf(1, 200));
  EXPECT_TRUE(grown.absorbed.empty());
  EXPECT_EQ(spans.all(), (std::vector{SpanOf(1, 200)}));
}

TEST(SpansTest, WhatStandsBetweenNeighboursIsAnException) {
  Spans spans;
  spans.Add(RunOf(1, 100), kNow);
  spans.Add(RunOf(103, 200, {150}), kNow);

  EXPECT_EQ(spans.all(), (std::vector{SpanOf(1, 200, {101, 102, 150})}));
  EXPECT_TRUE(spans.Covers(SequenceNumber(1)));
  EXPECT_TRUE(spans.Covers(SequenceNumber(200)));
  EXPECT_FALSE(spans.Covers(SequenceNumber(101)));
  EXPECT_FALSE(spans.Covers(SequenceNumber(150)));
  EXPECT_FALSE(spans.Covers(SequenceNumber(201)));
}

TEST(SpansTest, BehindAWideGapThereIsAnotherOne) {
  Spans spans;
  spans.Add(RunOf(1, 100), kNow);
  const Spans::Grown grown = spans.Add(RunOf(110, 200), kNow);

  EXPECT_EQ(grown.span, SpanOf(110, 200));
  EXPECT_EQ(spans.all().size(), 2U);
  EXPECT_FALSE(spans.Covers(SequenceNumber(105)));
}

// Its row goes in the commit in which the other one is written.
TEST(SpansTest, WhatFillsTheGapTakesThePlaceOfBoth) {
  Spans spans;
  spans.Add(RunOf(10, 100), kNow);
  spans.Add(RunOf(201, 300), kNow);

  const Spans::Grown grown = spans.Add(RunOf(101, 200), kNow);

  EXPECT_EQ(grown.span, SpanOf(10, 300));
  EXPECT_EQ(grown.absorbed, Numbers({201}));
  EXPECT_EQ(spans.all(), (std::vector{SpanOf(10, 300)}));
}

TEST(SpansTest, WhatComesBeforeTakesThePlaceOfWhatFollows) {
  Spans spans;
  spans.Add(RunOf(10, 100), kNow);

  const Spans::Grown grown = spans.Add(RunOf(1, 9), kNow);

  EXPECT_EQ(grown.span, SpanOf(1, 100));
  EXPECT_EQ(grown.absorbed, Numbers({10}));
}

// Those that lived longer expire later.
TEST(SpansTest, ExceptionsThatExpireAreExceptionsNoMore) {
  Spans spans;
  spans.Add(RunOf(1, 20, {5, 6, 8, 15}), kNow);

  const Spans::Grown grown = spans.Add(RunOf(5, 8, {7}), kNow);

  EXPECT_EQ(grown.span, SpanOf(1, 20, {15}));
  EXPECT_TRUE(grown.absorbed.empty());
}

TEST(SpansTest, ARunOverSeveralTakesThePlaceOfAll) {
  Spans spans;
  spans.Add(RunOf(10, 20, {15}), kNow);
  spans.Add(RunOf(40, 50), kNow);
  spans.Add(RunOf(70, 80, {75}), kNow);

  const Spans::Grown grown = spans.Add(RunOf(5, 60), kNow);

  EXPECT_EQ(grown.span, SpanOf(5, 60));
  EXPECT_EQ(grown.absorbed, Numbers({10, 40}));
  EXPECT_EQ(spans.all(), (std::vector{SpanOf(5, 60), SpanOf(70, 80, {75})}));
}

TEST(SpansTest, ASpanEndsWithItsPartition) {  // PAR-4
  const std::uint64_t second = FirstNumberOf(1).value();
  Spans spans;
  spans.Add(RunOf(second - 10, second - 2), kNow);
  spans.Add(RunOf(second, second + 10), kNow);

  EXPECT_EQ(spans.all().size(), 2U);
}

// A row that is written again and again stays small.
TEST(SpansTest, ASpanWithManyExceptionsGrowsNoMore) {
  MessageRun many;
  for (std::uint64_t number = 1; many.exceptions.size() <= Spans::kExtendedExceptionsMax;
       number += 2) {
    ASSERT_TRUE(many.Extend(SequenceNumber(number), 1, MessageRun::Between::kUnknown));
  }
  Spans spans;
  ASSERT_TRUE(spans.HasRoomFor(many));
  spans.Add(many, kNow);
  const std::uint64_t next = many.last.value() + 1;

  const Spans::Grown grown = spans.Add(RunOf(next, next + 9), kNow);

  EXPECT_EQ(grown.span, SpanOf(next, next + 9));
  EXPECT_EQ(spans.all().size(), 2U);
}

TEST(SpansTest, AtTheirBoundOnlyWhatJoinsHasRoom) {
  Spans spans;
  for (std::uint64_t i = 0; i < Spans::kSpansMax; ++i) {
    const MessageRun run = RunOf(i * 100 + 1, i * 100 + 10);
    ASSERT_TRUE(spans.HasRoomFor(run));
    spans.Add(run, kNow);
  }

  EXPECT_FALSE(spans.HasRoomFor(RunOf(1'000'000, 1'000'010)));
  EXPECT_TRUE(spans.HasRoomFor(RunOf(11, 20)));
  EXPECT_TRUE(spans.HasRoomFor(RunOf(50, 130)));
}

TEST(SpansTest, ARunHasNoRoomOverTooManyExceptions) {
  std::vector<Span> loaded;
  std::uint64_t number = 1;
  for (int i = 0; i < 2; ++i) {
    Span span{SequenceNumber(number), {}, kNow, {}};
    for (std::size_t n = 0; n < Spans::kExceptionsMax; ++n) {
      span.exceptions.emplace_back(number + 1);
      number += 2;
    }
    span.last = SequenceNumber(number);
    loaded.push_back(span);
    number += 20;
  }
  const SequenceNumber first = loaded[0].last;
  const SequenceNumber last = loaded[1].first;
  const Spans spans(loaded);

  EXPECT_FALSE(spans.HasRoomFor(RunOf(first.value(), last.value())));
}

TEST(SpansTest, TheExceptionsOfAllAreBounded) {
  Spans spans;
  std::size_t exceptions = 0;
  for (std::uint64_t begin = 1;; begin += 10'000) {
    MessageRun run;
    for (std::uint64_t number = begin; run.exceptions.size() < 1000; number += 2) {
      ASSERT_TRUE(run.Extend(SequenceNumber(number), 1, MessageRun::Between::kUnknown));
    }
    if (!spans.HasRoomFor(run)) break;
    spans.Add(run, kNow);
    exceptions += run.exceptions.size();
    ASSERT_LE(exceptions, Spans::kExceptionsInAllMax);
  }

  EXPECT_EQ(exceptions, 8000U);
  EXPECT_TRUE(spans.HasRoomFor(RunOf(1'000'000, 1'000'010)));
}

TEST(SpansTest, SpansThatOverlapAreTold) {
  EXPECT_TRUE(Spans().are_disjoint());
  EXPECT_TRUE(Spans({SpanOf(1, 9), SpanOf(10, 20)}).are_disjoint());
  EXPECT_FALSE(Spans({SpanOf(1, 10), SpanOf(10, 20)}).are_disjoint());
}

// Against a set of numbers: what was counted out is covered, and nothing else is.
TEST(SpansTest, WhateverRunsComeTheyCoverWhatRunsHad) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const SeedNote note("seed " + std::to_string(seed));
    std::minstd_rand random(seed);
    Spans spans;
    std::set<std::uint64_t> gone;
    for (int i = 0; i < 30; ++i) {
      MessageRun run;
      std::uint64_t number = 1 + random() % 400;
      const std::uint64_t end = number + 8 + random() % 60;
      for (; number < end; number += random() % 4 == 0 ? 1 + random() % 6 : 1) {
        if (gone.contains(number)) continue;
        if (!run.Extend(SequenceNumber(number), 1, MessageRun::Between::kUnknown)) break;
      }
      if (run.count == 0 || !spans.HasRoomFor(run)) continue;
      const Span grown = spans.Add(run, kNow).span;
      for (number = run.first.value(); number <= run.last.value(); ++number) {
        const Span as_span{run.first, run.last, kNow, run.exceptions};
        if (as_span.Covers(SequenceNumber(number))) gone.insert(number);
      }
      EXPECT_TRUE(grown.Covers(run.first) && grown.Covers(run.last));
    }
    ASSERT_TRUE(spans.are_disjoint());
    for (std::uint64_t number = 0; number < 600; ++number) {
      ASSERT_EQ(spans.Covers(SequenceNumber(number)), gone.contains(number)) << number;
    }
  }
}

}  // namespace
}  // namespace wharf
