#include "broker/core/messages/known_ids.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr EntityId kOrders{1};
constexpr EntityId kBills{2};

DuplicateId Id(std::string id) { return {"", std::move(id)}; }
KnownId Number(std::uint64_t number) { return {SequenceNumber(number), kNever}; }

TEST(IdWatchTest, SeesWhatIsAcceptedOfTheIdsThatItAskedFor) {  // DUP-4
  IdWatches watches;
  const auto watch = watches.Begin(kOrders, {Id("a"), Id("b")});

  watches.Note(kOrders, Id("a"), Number(1));
  watches.Note(kBills, Id("b"), Number(2));
  watches.Note(kOrders, Id("c"), Number(3));

  KnownIds known;
  watch->AddTo(known);
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known.at(Id("a")).number, SequenceNumber(1));
}

TEST(IdWatchTest, WhatItSawIsLaterThanWhatWasRead) {
  IdWatches watches;
  const auto watch = watches.Begin(kOrders, {Id("a")});
  KnownIds known = {{Id("a"), Number(1)}};

  watches.Note(kOrders, Id("a"), Number(2));
  watch->AddTo(known);

  EXPECT_EQ(known.at(Id("a")).number, SequenceNumber(2));
}

TEST(IdWatchTest, SeveralMayAskForTheSameId) {
  IdWatches watches;
  const auto first = watches.Begin(kOrders, {Id("a")});
  const auto second = watches.Begin(kOrders, {Id("a"), Id("a")});
  watches.Note(kOrders, Id("a"), Number(1));

  for (const auto& watch : {first, second}) {
    KnownIds known;
    watch->AddTo(known);
    EXPECT_EQ(known.size(), 1U);
  }
}

TEST(IdWatchTest, ThoseThatEndedAreForgotten) {
  IdWatches watches;
  for (int i = 0; i < 100000; ++i) {
    static_cast<void>(watches.Begin(kOrders, {Id(std::to_string(i))}));
  }
  const auto watch = watches.Begin(kOrders, {Id("a")});
  watches.Note(kOrders, Id("a"), Number(1));
  watches.Note(kOrders, Id("99999"), Number(1));

  KnownIds known;
  watch->AddTo(known);
  EXPECT_EQ(known.size(), 1U);
}

}  // namespace
}  // namespace wharf
