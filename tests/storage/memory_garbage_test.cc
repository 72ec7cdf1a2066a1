// The store in memory drops garbage as RocksDB may: some of it, at any time, from under open views.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "tests/storage/function_judge.h"

namespace wharf {
namespace {

using ::testing::SizeIs;

constexpr TableId kJudged = 0;
constexpr TableId kPlain = 1;
constexpr int kRowsPut = 20;

// Values are "dead" or "alive".
TableSet Tables() {
  return {{.name = "judged",
           .garbage = JudgedByValue([](auto, auto value) { return value == "dead"; })},
          {.name = "plain"}};
}

void Put(MemoryStore& store, TableId table, const std::string& key, const std::string& value) {
  WriteBatch batch;
  batch.Put(table, key, value);
  ASSERT_TRUE(store.Apply(batch).ok());
}

std::string KeyOf(int row) { return "row " + std::to_string(100 + row); }

void PutRows(MemoryStore& store) {
  for (int row = 0; row < kRowsPut; ++row) {
    Put(store, kJudged, KeyOf(row), row % 2 == 0 ? "dead" : "alive");
    Put(store, kPlain, KeyOf(row), "dead");
  }
}

std::vector<std::string> Keys(StoreCursor& cursor) {
  std::vector<std::string> keys;
  for (; cursor.valid(); cursor.Next()) keys.emplace_back(cursor.key());
  return keys;
}

std::vector<std::string> Keys(const StoreView& view, TableId table) {
  return Keys(*view.Scan(table, {"", "~"}));
}

// Keys of what is dropped by each of many looks.
std::vector<std::size_t> SizesOf(const StoreView& view) {
  std::vector<std::size_t> sizes;
  for (int look = 0; look < 200; ++look) sizes.push_back(Keys(view, kJudged).size());
  return sizes;
}

TEST(MemoryGarbageTest, NothingIsDroppedUnlessToldTo) {
  MemoryStore store(Tables());
  PutRows(store);

  EXPECT_THAT(Keys(*store.View(), kJudged), SizeIs(kRowsPut));
  EXPECT_EQ(SizesOf(*store.View()).back(), std::size_t{kRowsPut});
}

TEST(MemoryGarbageTest, GarbageGoesBitByBitFromUnderAnOpenView) {
  MemoryStore store(Tables());
  PutRows(store);
  const auto view = store.View();
  store.DropGarbageAtRandom(1);

  const std::vector<std::size_t> sizes = SizesOf(*view);

  EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
  EXPECT_THAT(sizes, ::testing::Contains(
                         ::testing::AllOf(::testing::Lt(kRowsPut), ::testing::Gt(kRowsPut / 2))));
  EXPECT_EQ(sizes.back(), std::size_t{kRowsPut} / 2);
  for (int row = 1; row < kRowsPut; row += 2) {
    EXPECT_EQ(view->Get(kJudged, KeyOf(row)).value(), "alive");
  }
  EXPECT_THAT(Keys(*view, kPlain), SizeIs(kRowsPut));
}

TEST(MemoryGarbageTest, WhatIsGoneForOneViewIsGoneForAll) {
  MemoryStore store(Tables());
  PutRows(store);
  const auto early = store.View();
  store.DropGarbageAtRandom(1);

  for (int look = 0; look < 100; ++look) {
    const std::size_t seen = Keys(*early, kJudged).size();
    EXPECT_LE(Keys(*store.View(), kJudged).size(), seen);
    EXPECT_LE(Keys(*early, kJudged).size(), seen);
  }
}

TEST(MemoryGarbageTest, ACursorKeepsWhatItWalksOver) {
  MemoryStore store(Tables());
  PutRows(store);
  const auto view = store.View();
  const auto cursor = view->Scan(kJudged, {"", "~"});
  store.DropGarbageAtRandom(1);

  store.DropGarbage();

  EXPECT_THAT(Keys(*cursor), SizeIs(kRowsPut));
  EXPECT_THAT(Keys(*view, kJudged), SizeIs(kRowsPut / 2));
}

TEST(MemoryGarbageTest, ARowThatWasPutAgainIsAnotherOne) {
  MemoryStore store(Tables());
  Put(store, kJudged, "a", "dead");
  const auto early = store.View();
  Put(store, kJudged, "a", "alive");
  store.DropGarbageAtRandom(1);

  store.DropGarbage();

  EXPECT_EQ(early->Get(kJudged, "a").value(), std::nullopt);
  EXPECT_EQ(store.View()->Get(kJudged, "a").value(), "alive");
}

TEST(MemoryGarbageTest, TheSameSeedDropsTheSame) {
  const auto sizes_of = [](std::uint64_t seed) {
    MemoryStore store(Tables());
    PutRows(store);
    store.DropGarbageAtRandom(seed);
    return SizesOf(*store.View());
  };

  EXPECT_EQ(sizes_of(1), sizes_of(1));
  EXPECT_NE(sizes_of(1), sizes_of(2));
}

// Judges by what was true when it was made.
class OldJudge final : public RowJudge {
 public:
  explicit OldJudge(bool is_over) : is_over_(is_over) {}
  bool IsGarbage(std::string_view key, std::string_view value) override {
    EXPECT_EQ(value, "");
    return is_over_ && key < "b";
  }

 private:
  const bool is_over_;
};

class OldJudgeTest : public ::testing::Test {
 protected:
  OldJudgeTest() { store_.DropGarbageAtRandom(1); }

  // Whether a row that was put just now goes at one of many looks.
  bool Goes() {
    Put(store_, 0, "a", "value");
    for (int look = 0; look < 200; ++look) {
      if (!store_.View()->Get(0, "a").value().has_value()) return true;
    }
    return false;
  }

  bool is_over_ = true;
  MemoryStore store_{{{.name = "rows",
                       .garbage = GarbageOptions{
                           .make_judge = [this] { return std::make_unique<OldJudge>(is_over_); },
                           .needs_value = false}}}};
};

TEST_F(OldJudgeTest, AJudgeOfEarlierAnswersLater) {
  EXPECT_TRUE(Goes());
  is_over_ = false;
  EXPECT_TRUE(Goes());
}

TEST_F(OldJudgeTest, JudgesEndWithTheProcess) {
  EXPECT_TRUE(Goes());
  is_over_ = false;
  store_.BeginAnew([] {});
  EXPECT_FALSE(Goes());
}

}  // namespace
}  // namespace wharf
