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
constexpr auto kInRanges = Spans::Deletion::kInRanges;

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

TEST(SpansTest, TwoMeetWhereBothCoverAMessage) {
  EXPECT_TRUE(SpanOf(1, 10).Meets(SpanOf(10, 20)));
  EXPECT_FALSE(SpanOf(1, 10).Meets(SpanOf(11, 20)));
  EXPECT_FALSE(SpanOf(1, 10, {8, 10}).Meets(SpanOf(8, 20, {9})));
  EXPECT_TRUE(SpanOf(1, 10, {8, 10}).Meets(SpanOf(8, 20, {10})));
  // As of messages that live longer among others, and expire under the same span.
  EXPECT_FALSE(SpanOf(1, 9, {2, 4, 6, 8}).Meets(SpanOf(2, 8, {3, 5, 7})));
}

TEST(SpansTest, WhetherAnyMeetsOneIsAsTheMessagesSay) {
  const SeedNote note("seed 1");
  std::mt19937 random(1);
  const auto run_from = [&random](std::uint64_t first) {
    MessageRun run;
    for (int i = 0; i < 6; ++i, first += 1 + random() % 3) {
      run.Extend(SequenceNumber(first), 1, MessageRun::Between::kUnknown);
    }
    return run;
  };
  int met = 0;
  for (int round = 0; round < 2000; ++round) {
    Spans spans;
    spans.Add(run_from(1 + random() % 20), kNow);
    const MessageRun next = run_from(40 + random() % 20);
    spans.Add(next, kNow);
    const Span other = run_from(random() % 70).AsOf(kNow);

    bool meets = false;
    for (SequenceNumber number = other.first; number <= other.last; number = number.Next()) {
      meets = meets || (other.Covers(number) && spans.Covers(number));
    }

    ASSERT_EQ(spans.Meet(other), meets) << round;
    met += meets;
  }
  EXPECT_GT(met, 200);
  EXPECT_LT(met, 1800);
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
  for (std::uint64_t number = 1; many.exceptions.size() <= SpanLimits().extended_exceptions_max;
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
  for (std::uint64_t i = 0; i < SpanLimits().spans_max; ++i) {
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
    for (std::size_t n = 0; n < RunLimits().exceptions_max; ++n) {
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
    ASSERT_LE(exceptions, SpanLimits().exceptions_in_all_max);
  }

  EXPECT_EQ(exceptions, 8000U);
  EXPECT_TRUE(spans.HasRoomFor(RunOf(1'000'000, 1'000'010)));
}

// Those that grew longest ago, and a quarter of all together.
TEST(SpansTest, RoomIsMadeByGivingUpThoseThatRestedLongest) {
  Spans spans({}, {.spans_max = 8});
  for (std::uint64_t i = 0; i < 8; ++i) spans.Add(RunOf(i * 100 + 1, i * 100 + 10), kNow);
  spans.Add(RunOf(11, 20), kNow + Duration(1));
  const MessageRun run = RunOf(1001, 1010);

  const std::vector<Span> given_up = spans.MakeRoomFor(run, kInRanges);

  EXPECT_EQ(given_up, (std::vector{SpanOf(101, 110), SpanOf(201, 210)}));
  EXPECT_TRUE(spans.Covers(SequenceNumber(1)));
  EXPECT_FALSE(spans.Covers(SequenceNumber(101)));
  spans.Add(run, kNow);
  EXPECT_EQ(spans.all().size(), 7U);
}

TEST(SpansTest, WhereThereIsRoomNoneIsGivenUp) {
  Spans spans({}, {.spans_max = 2});
  spans.Add(RunOf(1, 10), kNow);
  EXPECT_TRUE(spans.MakeRoomFor(RunOf(101, 110), kInRanges).empty());
  spans.Add(RunOf(101, 110), kNow);

  EXPECT_TRUE(spans.MakeRoomFor(RunOf(111, 120), kInRanges).empty());
  EXPECT_EQ(spans.all().size(), 2U);
}

TEST(SpansTest, RoomIsMadeForExceptions) {
  Spans spans({}, {.exceptions_in_all_max = 8, .extended_exceptions_max = 0});
  spans.Add(RunOf(1, 10, {2, 4, 6}), kNow);
  spans.Add(RunOf(101, 110, {102, 104, 106}), kNow);
  spans.Add(RunOf(201, 210), kNow);
  const MessageRun run = RunOf(301, 310, {302, 304, 306});

  EXPECT_EQ(spans.MakeRoomFor(run, kInRanges), (std::vector{SpanOf(1, 10, {2, 4, 6})}));
  EXPECT_TRUE(spans.HasRoomFor(run));
}

// It would be one with those at its ends.
TEST(SpansTest, WhatWouldBecomeTooLargeIsGivenUpFirst) {
  Spans spans({}, {.run = {.exceptions_max = 4}});
  spans.Add(RunOf(1, 10), kNow);
  spans.Add(RunOf(101, 110, {102, 104, 106}), kNow + Duration(1));
  spans.Add(RunOf(201, 210, {202, 204, 206}), kNow + Duration(2));
  const MessageRun run = RunOf(110, 201);

  EXPECT_EQ(spans.MakeRoomFor(run, kInRanges).front().first, SequenceNumber(101));
  EXPECT_EQ(spans.Add(run, kNow).span.exceptions.size(), 3U);
  EXPECT_TRUE(spans.Covers(SequenceNumber(1)));
}

// A turn has its bounds.
TEST(SpansTest, OneWithTooManyRowsIsNotGivenUp) {
  Spans spans({}, {.spans_max = 1});
  spans.Add(RunOf(1, Spans::kDeletionsMax + 1), kNow);
  const MessageRun run = RunOf(1'000'001, 1'000'010);

  EXPECT_TRUE(spans.MakeRoomFor(run, Spans::Deletion::kOneByOne).empty());
  EXPECT_FALSE(spans.HasRoomFor(run));
  EXPECT_EQ(spans.MakeRoomFor(run, kInRanges).size(), 1U);
}

TEST(SpansTest, FewAtATimeAreGivenUpForMuchThatIsToBeDeleted) {
  Spans spans({}, {.exceptions_in_all_max = 10'000, .extended_exceptions_max = 0});
  for (std::uint64_t begin = 1; begin < 10'000'000; begin += 1'000'000) {
    MessageRun run;
    for (std::uint64_t number = begin; run.exceptions.size() < 1000; number += 2) {
      ASSERT_TRUE(run.Extend(SequenceNumber(number), 1, MessageRun::Between::kUnknown));
    }
    spans.Add(run, kNow);
  }

  EXPECT_EQ(spans.MakeRoomFor(RunOf(20'000'001, 20'000'010, {20'000'002}), kInRanges).size(), 2U);
}

TEST(SpansTest, OnlyWhatLiesAtASmallOneMakesItLonger) {
  Spans spans;
  EXPECT_FALSE(spans.MayGrowBy(RunOf(1, 1)));
  spans.Add(RunOf(101, 110, {105}), kNow);

  for (const std::uint64_t number : {92, 100, 105, 111, 119}) {
    EXPECT_TRUE(spans.MayGrowBy(RunOf(number, number))) << number;
  }
  for (const std::uint64_t number : {91, 120}) {
    EXPECT_FALSE(spans.MayGrowBy(RunOf(number, number))) << number;
  }
}

TEST(SpansTest, SpansThatOverlapAreTold) {
  EXPECT_TRUE(Spans().are_disjoint());
  EXPECT_TRUE(Spans({SpanOf(1, 9), SpanOf(10, 20)}).are_disjoint());
  EXPECT_FALSE(Spans({SpanOf(1, 10), SpanOf(10, 20)}).are_disjoint());
}

SpanLimits AnyLimits(std::minstd_rand& random) {
  SpanLimits limits;
  limits.run.gap_max = random() % 6;
  limits.run.exceptions_max = random() % 20;
  limits.spans_max = 1 + random() % 5;
  limits.exceptions_in_all_max = limits.run.exceptions_max + random() % 20;
  limits.extended_exceptions_max = random() % (limits.run.exceptions_max + 1);
  return limits;
}

// Against a set of numbers: what was counted out, and not given up, is covered, and nothing else
// is.
TEST(SpansTest, WhateverRunsComeTheyCoverWhatRunsHad) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const SeedNote note("seed " + std::to_string(seed));
    std::minstd_rand random(seed);
    const SpanLimits limits = seed % 2 == 0 ? AnyLimits(random) : SpanLimits();
    Spans spans({}, limits);
    std::set<std::uint64_t> gone;
    std::set<std::uint64_t> given_up;
    for (int i = 0; i < 30; ++i) {
      MessageRun run{.limits = limits.run};
      std::uint64_t number = 1 + random() % 400;
      const std::uint64_t end = number + 8 + random() % 60;
      for (; number < end; number += random() % 4 == 0 ? 1 + random() % 6 : 1) {
        if (gone.contains(number) || given_up.contains(number)) continue;
        if (!run.Extend(SequenceNumber(number), 1, MessageRun::Between::kUnknown)) break;
      }
      if (run.count == 0) continue;
      for (const Span& span : spans.MakeRoomFor(run, kInRanges)) {
        for (number = span.first.value(); number <= span.last.value(); ++number) {
          if (!span.Covers(SequenceNumber(number))) continue;
          ASSERT_EQ(gone.erase(number), 1U) << number;
          given_up.insert(number);
        }
      }
      ASSERT_TRUE(spans.HasRoomFor(run));
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
