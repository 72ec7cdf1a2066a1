#include "broker/core/changes/watch.h"

#include <optional>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr LaneId kOrders{EntityId{1}, LaneKind::kMain};
constexpr LaneId kDeadOrders{EntityId{1}, LaneKind::kDeadLetter};
constexpr LaneId kBills{EntityId{2}, LaneKind::kMain};
constexpr SequenceNumber kOne{1};
constexpr SequenceNumber kTwo{2};
constexpr SequenceNumber kThree{3};

TEST(NumberWatchTest, SeesThatOneOfItsMessagesChanges) {
  Watches watches;
  const NumberWatch watch = watches.Begin(kOrders, {kOne, kTwo});

  watches.Note(kOrders, kThree);
  watches.Note(kDeadOrders, kOne);
  watches.Note(kBills, kTwo);
  EXPECT_FALSE(watch.saw_any());

  watches.Note(kOrders, kTwo);
  EXPECT_TRUE(watch.saw_any());
}

TEST(NumberWatchTest, SeesNothingOfWhatChangedBefore) {
  Watches watches;
  const NumberWatch first = watches.Begin(kOrders, {kOne});
  watches.Note(kOrders, kOne);

  const NumberWatch second = watches.Begin(kOrders, {kOne});
  EXPECT_FALSE(second.saw_any());

  watches.Note(kOrders, kOne);
  EXPECT_TRUE(first.saw_any());
  EXPECT_TRUE(second.saw_any());
}

TEST(NumberWatchTest, SeveralMayAskForTheSameMessage) {
  Watches watches;
  const NumberWatch first = watches.Begin(kOrders, {kOne});
  std::optional<NumberWatch> ended = watches.Begin(kOrders, {kOne});
  const NumberWatch third = watches.Begin(kOrders, {kOne, kOne});
  ended.reset();

  watches.Note(kOrders, kOne);

  EXPECT_TRUE(first.saw_any());
  EXPECT_TRUE(third.saw_any());
}

TEST(NumberWatchTest, APurgeChangesWhatStandsInTheLane) {
  Watches watches;
  const NumberWatch orders = watches.Begin(kOrders, {kOne});
  const NumberWatch dead = watches.Begin(kDeadOrders, {kOne});

  watches.NoteAll(kOrders);

  EXPECT_TRUE(orders.saw_any());
  EXPECT_FALSE(dead.saw_any());
}

TEST(NumberWatchTest, ThoseThatLiveOnAreNotForgottenWithThoseThatEnded) {
  Watches watches;
  const NumberWatch watch = watches.Begin(kOrders, {kOne});
  for (std::uint64_t number = 2; number < 100'000; ++number) {
    static_cast<void>(watches.Begin(number % 2 == 0 ? kOrders : kBills, {SequenceNumber(number)}));
  }

  watches.Note(kOrders, SequenceNumber(99'998));
  EXPECT_FALSE(watch.saw_any());
  watches.Note(kOrders, kOne);
  EXPECT_TRUE(watch.saw_any());
}

TEST(PageWatchTest, SeesWhatChangesWhileItLives) {
  Watches watches;
  watches.Note(kOrders, kOne);
  const PageWatch watch = watches.BeginPage();

  watches.Note(kOrders, kTwo);

  EXPECT_FALSE(watch.Saw(kOrders, kOne));
  EXPECT_TRUE(watch.Saw(kOrders, kTwo));
  EXPECT_FALSE(watch.Saw(kBills, kTwo));
  EXPECT_FALSE(watch.Saw(kDeadOrders, kTwo));
  EXPECT_FALSE(watch.is_lost());
}

TEST(PageWatchTest, SeesNothingOfWhatAnOlderOneSaw) {
  Watches watches;
  const PageWatch older = watches.BeginPage();
  watches.Note(kOrders, kOne);
  watches.NoteAll(kBills);
  const PageWatch younger = watches.BeginPage();

  EXPECT_TRUE(older.Saw(kOrders, kOne));
  EXPECT_TRUE(older.Saw(kBills, kTwo));
  EXPECT_FALSE(younger.Saw(kOrders, kOne));
  EXPECT_FALSE(younger.Saw(kBills, kTwo));

  watches.Note(kOrders, kOne);
  EXPECT_TRUE(younger.Saw(kOrders, kOne));
}

TEST(PageWatchTest, APurgeChangesWhatStandsInTheLane) {
  Watches watches;
  const PageWatch watch = watches.BeginPage();

  watches.NoteAll(kOrders);

  EXPECT_TRUE(watch.Saw(kOrders, kOne));
  EXPECT_FALSE(watch.Saw(kDeadOrders, kOne));
}

TEST(PageWatchTest, SeesSpansThatWereGivenUpWhileItLives) {
  Watches watches;
  const PageWatch older = watches.BeginPage();
  watches.NoteSpan(kOrders, {kOne, kThree, {}, {kTwo}});
  const PageWatch younger = watches.BeginPage();

  EXPECT_TRUE(older.Saw(kOrders, kOne));
  EXPECT_FALSE(older.Saw(kOrders, kTwo));
  EXPECT_TRUE(older.Saw(kOrders, kThree));
  EXPECT_FALSE(older.Saw(kBills, kOne));
  EXPECT_FALSE(younger.Saw(kOrders, kOne));

  watches.NoteSpan(kOrders, {kTwo, kTwo, {}, {}});
  EXPECT_TRUE(older.Saw(kOrders, kTwo));
  EXPECT_TRUE(younger.Saw(kOrders, kTwo));
  EXPECT_FALSE(younger.Saw(kOrders, kOne));
}

TEST(PageWatchTest, SeesWhetherAnyOfASpanChanged) {
  Watches watches;
  watches.Note(kOrders, kOne);
  const PageWatch watch = watches.BeginPage();
  const Span all{kOne, SequenceNumber(100), {}, {kTwo}};
  EXPECT_FALSE(watch.SawAny(kOrders, all));

  // An exception; one behind it; one of others.
  watches.Note(kOrders, kTwo);
  watches.Note(kOrders, SequenceNumber(101));
  watches.Note(kBills, kOne);
  watches.Note(kDeadOrders, kOne);
  EXPECT_FALSE(watch.SawAny(kOrders, all));

  watches.Note(kOrders, SequenceNumber(100));
  EXPECT_TRUE(watch.SawAny(kOrders, all));
  EXPECT_FALSE(watch.SawAny(kOrders, {kOne, SequenceNumber(99), {}, {kTwo}}));
  EXPECT_TRUE(watch.SawAny(kBills, all));
}

TEST(PageWatchTest, OfASpanAPurgeChangesAll) {  // PRG-1
  Watches watches;
  const PageWatch watch = watches.BeginPage();

  watches.NoteAll(kOrders);

  EXPECT_TRUE(watch.SawAny(kOrders, {kOne, kThree, {}, {}}));
  EXPECT_FALSE(watch.SawAny(kDeadOrders, {kOne, kThree, {}, {}}));
}

TEST(PageWatchTest, OfASpanSeesWhatAnotherOneCoveredThatWasGivenUp) {
  Watches watches;
  const PageWatch older = watches.BeginPage();
  watches.NoteSpan(kOrders, {kOne, kThree, {}, {kTwo}});
  const PageWatch younger = watches.BeginPage();

  EXPECT_TRUE(older.SawAny(kOrders, {kThree, SequenceNumber(9), {}, {}}));
  EXPECT_FALSE(older.SawAny(kOrders, {kTwo, kTwo, {}, {}}));
  EXPECT_FALSE(older.SawAny(kOrders, {SequenceNumber(4), SequenceNumber(9), {}, {}}));
  EXPECT_FALSE(younger.SawAny(kOrders, {kOne, kThree, {}, {}}));
}

// What is noted may be old, and too much to be looked at.
TEST(PageWatchTest, OfASpanAmongVeryManyOthersIsNotSure) {
  Watches watches;
  const PageWatch older = watches.BeginPage();
  for (std::uint64_t number = 1; number <= 2000; ++number) {
    watches.Note(kOrders, SequenceNumber(number));
  }
  const PageWatch watch = watches.BeginPage();

  EXPECT_TRUE(watch.SawAny(kOrders, {kOne, SequenceNumber(2000), {}, {}}));
  EXPECT_FALSE(watch.SawAny(kOrders, {kOne, SequenceNumber(1000), {}, {}}));
  EXPECT_FALSE(watch.SawAny(kOrders, {SequenceNumber(2001), SequenceNumber(9000), {}, {}}));
}

TEST(PageWatchTest, OneThatIsLostSawAnyOfEachSpan) {
  Watches watches(1);
  const PageWatch lost = watches.BeginPage();
  watches.Note(kOrders, kOne);
  watches.Note(kOrders, kTwo);

  EXPECT_TRUE(lost.SawAny(kBills, {kThree, kThree, {}, {}}));
}

TEST(PageWatchTest, SpansAreForgottenBeyondTheBoundWithAllTheyExcept) {
  Watches watches(4);
  const PageWatch lost = watches.BeginPage();
  watches.NoteSpan(kOrders, {kOne, kThree, {}, {kTwo}});
  EXPECT_FALSE(lost.is_lost());

  watches.NoteSpan(kBills, {kOne, kTwo, {}, {}});

  EXPECT_TRUE(lost.is_lost());
  const PageWatch younger = watches.BeginPage();
  watches.NoteSpan(kOrders, {kOne, kThree, {}, {kTwo}});
  EXPECT_FALSE(younger.is_lost());
  EXPECT_TRUE(younger.Saw(kOrders, kThree));
}

// A reader is slow, and the broker is busy.
TEST(PageWatchTest, OneThatCannotRememberAllIsLostAndYoungerOnesAreNot) {
  Watches watches(3);
  const PageWatch lost = watches.BeginPage();
  for (const SequenceNumber number : {kOne, kTwo, kTwo, kThree}) watches.Note(kOrders, number);
  EXPECT_FALSE(lost.is_lost());

  watches.Note(kBills, kOne);

  EXPECT_TRUE(lost.is_lost());
  EXPECT_TRUE(lost.Saw(kBills, kThree));
  const PageWatch younger = watches.BeginPage();
  EXPECT_FALSE(younger.is_lost());
  EXPECT_FALSE(younger.Saw(kOrders, kOne));
  watches.Note(kOrders, kOne);
  EXPECT_TRUE(younger.Saw(kOrders, kOne));
}

TEST(PageWatchTest, PurgesOfManyLanesAreBoundedToo) {
  Watches watches(2);
  const PageWatch watch = watches.BeginPage();

  watches.NoteAll(kOrders);
  watches.NoteAll(kBills);
  EXPECT_FALSE(watch.is_lost());
  watches.NoteAll(kDeadOrders);

  EXPECT_TRUE(watch.is_lost());
}

}  // namespace
}  // namespace wharf
