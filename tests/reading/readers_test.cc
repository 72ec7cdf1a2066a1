// What runs on which threads.

#include "broker/reading/readers.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "tests/harness/held_executor.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Remembers which space was given back.
class GivingStore final : public Store {
 public:
  std::unique_ptr<StoreView> View() const override { return store_.View(); }
  Status GiveBackSpace(TableId, const KeyRange& range) const override {
    given_back.push_back(range.begin);
    if (range.begin == "damaged") return {ErrorCode::kGeneralError, "a block is damaged"};
    return {};
  }
  mutable std::vector<std::string> given_back;

 private:
  MemoryStore store_;
};

class ReadersTest : public ::testing::Test {
 protected:
  GivingStore store_;
  HeldExecutor awaited_;
  HeldExecutor background_;
  HeldExecutor compactions_;
  const Readers readers_{store_, {awaited_, background_, compactions_}};
};

TEST_F(ReadersTest, WhatSomebodyWaitsForDoesNotStandBehindTheOthers) {
  std::vector<std::string> read;
  readers_.Read(Urgency::kBackground, [&](const StoreView&) { read.emplace_back("lazy"); });
  readers_.Read(Urgency::kAwaited, [&](const StoreView&) { read.emplace_back("awaited"); });

  EXPECT_THAT(background_.works, SizeIs(1));
  awaited_.RunOne();
  EXPECT_THAT(read, ElementsAre("awaited"));
  background_.RunOne();
  EXPECT_THAT(read, ElementsAre("awaited", "lazy"));
}

TEST_F(ReadersTest, CompactionsHaveAThreadOfTheirOwnAndOneThatFailsHoldsUpNoOther) {
  readers_.GiveBack({{TableId(1), {"damaged", ""}}, {TableId(1), {"whole", ""}}});
  EXPECT_THAT(awaited_.works, SizeIs(0));
  EXPECT_THAT(background_.works, SizeIs(0));
  compactions_.RunOne();
  EXPECT_THAT(store_.given_back, ElementsAre("damaged", "whole"));
}

}  // namespace
}  // namespace wharf
