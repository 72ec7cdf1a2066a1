#include "broker/core/known_ids.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr EntityId kOrders{1};
constexpr EntityId kBills{2};

KnownId Number(std::uint64_t number) { return {SequenceNumber(number), kNever}; }

TEST(IdWatchTest, SeesWhatIsAcceptedOfTheIdsThatItAskedFor) {  // DUP-4
  IdWatches watches;
  const auto watch = watches.Begin(kOrders, {"a", "b"});

  watches.Note(kOrders, "a", Number(1));
  watches.Note(kBills, "b", Number(2));
  watches.Note(kOrders, "c", Number(3));

  KnownIds known;
  watch->AddTo(known);
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known.at("a").number, SequenceNumber(1));
}

TEST(IdWatchTest, WhatItSawIsLaterThanWhatWasRead) {
  IdWatches watches;
  const auto watch = watches.Begin(kOrders, {"a"});
  KnownIds known = {{"a", Number(1)}};

  watches.Note(kOrders, "a", Number(2));
  watch->AddTo(known);

  EXPECT_EQ(known.at("a").number, SequenceNumber(2));
}

TEST(IdWatchTest, SeveralMayAskForTheSameId) {
  IdWatches watches;
  const auto first = watches.Begin(kOrders, {"a"});
  const auto second = watches.Begin(kOrders, {"a", "a"});
  watches.Note(kOrders, "a", Number(1));

  for (const auto& watch : {first, second}) {
    KnownIds known;
    watch->AddTo(known);
    EXPECT_EQ(known.size(), 1U);
  }
}

TEST(IdWatchTest, ThoseThatEndedAreForgotten) {
  IdWatches watches;
  for (int i = 0; i < 100000; ++i) {
    static_cast<void>(watches.Begin(kOrders, {std::to_string(i)}));
  }
  const auto watch = watches.Begin(kOrders, {"a"});
  watches.Note(kOrders, "a", Number(1));
  watches.Note(kOrders, "99999", Number(1));

  KnownIds known;
  watch->AddTo(known);
  EXPECT_EQ(known.size(), 1U);
}

}  // namespace
}  // namespace wharf
