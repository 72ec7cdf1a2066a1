#include "storage/apply/batch_applier.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/apply/entry.h"
#include "tests/replication/memory_replica_store.h"

namespace wharf {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr TableId kTable = 0;

class BatchApplierTest : public ::testing::Test {
 protected:
  static std::string PutOf(const std::string& key) {
    WriteBatch batch;
    batch.Put(kTable, key, "value");
    return batch.bytes();
  }
  // At the next index, of term 1.
  CommittedEntry Next(const std::string& payload, std::uint32_t part = 0, std::uint32_t parts = 1,
                      std::uint32_t batches = 1) {
    return {{++index_, 1, EntryKind::kBatch,
             EncodeEntry({.term = 1, .part = part, .parts = parts, .batches = batches}, payload)},
            std::nullopt};
  }
  CommittedEntry NextMember(const std::string& members) {
    return {{++index_, 1, EntryKind::kMember, "change"}, members};
  }
  CommittedEntry NextEmpty() { return {{++index_, 1, EntryKind::kBatch, ""}, std::nullopt}; }

  Status Apply(const std::vector<CommittedEntry>& entries) {
    WHARF_RETURN_IF_ERROR(applier_.Add(entries));
    return applier_.Write(applier_.Take());
  }
  bool Has(const std::string& key) { return store_.store().View()->Get(kTable, key)->has_value(); }
  // Where the store says that it is.
  std::uint64_t stored() { return store_.position().index; }

  MemoryReplicaStore store_{TableSet(1), "founders"};
  BatchApplier applier_{{store_}, store_.position(), CommitIndex()};

 private:
  std::uint64_t index_ = 0;
};

TEST_F(BatchApplierTest, ThePositionIsInTheWriteOfTheBatch) {
  ASSERT_TRUE(Apply({NextEmpty(), Next(PutOf("a"))}).ok());
  EXPECT_TRUE(Has("a"));
  EXPECT_EQ(stored(), 2U);
  EXPECT_EQ(applier_.last(), CommitIndex(1));

  ASSERT_TRUE(Apply({Next(PutOf("b") + PutOf("c"), 0, 1, 2)}).ok());
  EXPECT_TRUE(Has("c"));
  EXPECT_EQ(stored(), 3U);
  EXPECT_EQ(applier_.last(), CommitIndex(3));
  EXPECT_EQ(AppliedIndexRow().Read(store_.store()).value(), CommitIndex(3));
}

// Else a node that starts between two parts would get the last one alone.
// Who lacks a state asks for one that is as far as its log.
TEST_F(BatchApplierTest, AnEntryThatDoesNothingMovesThePosition) {
  ASSERT_TRUE(Apply({Next(PutOf("a"))}).ok());

  ASSERT_TRUE(Apply({NextEmpty()}).ok());

  EXPECT_EQ(stored(), 2U);
}

TEST_F(BatchApplierTest, WhilePartsAreOutstandingThePositionStaysBeforeThem) {
  const std::string batch = PutOf("large");
  ASSERT_TRUE(Apply({Next(PutOf("a")), Next(batch.substr(0, 4), 0, 3)}).ok());
  ASSERT_TRUE(Apply({Next(batch.substr(4, 2), 1, 3)}).ok());
  EXPECT_EQ(stored(), 1U);
  EXPECT_EQ(applier_.position().index, 1U);

  ASSERT_TRUE(Apply({Next(batch.substr(6), 2, 3)}).ok());
  EXPECT_TRUE(Has("large"));
  EXPECT_EQ(stored(), 4U);
  EXPECT_EQ(applier_.last(), CommitIndex(2));
}

TEST_F(BatchApplierTest, TheMembersOfAPositionAreThoseOfThatPosition) {
  const std::string batch = PutOf("large");
  ASSERT_TRUE(Apply({Next(batch.substr(0, 4), 0, 2), NextMember("with another")}).ok());
  EXPECT_EQ(applier_.position().members, "founders");

  ASSERT_TRUE(Apply({Next(batch.substr(4), 1, 2)}).ok());
  EXPECT_EQ(store_.position().members, "with another");
  EXPECT_EQ(stored(), 3U);
}

TEST_F(BatchApplierTest, AChangeOfMembersIsStoredThoughNoBatchIs) {
  ASSERT_TRUE(Apply({NextMember("with another")}).ok());

  EXPECT_EQ(store_.position().members, "with another");
  EXPECT_EQ(stored(), 1U);
  EXPECT_EQ(applier_.last(), CommitIndex(0));
}

TEST_F(BatchApplierTest, WhatCannotBeAppliedIsAnErrorAndChangesNothing) {
  WriteBatch bad;
  bad.Put(7, "no table", "value");

  EXPECT_FALSE(Apply({Next(PutOf("a")), Next(bad.bytes())}).ok());

  EXPECT_FALSE(Has("a"));
  EXPECT_EQ(stored(), 0U);
}

// What the state has when it is asked, of a few keys.
class Checks final : public CheckListener {
 public:
  explicit Checks(MemoryReplicaStore& store) : store_(store) {}
  void OnCheck(std::string_view check, Timestamp time, std::uint64_t index) override {
    std::string has;
    for (const char* const key : {"a", "b", "c"}) {
      if (store_.store().View()->Get(kTable, key)->has_value()) has += key;
    }
    heard.push_back(std::string(check) + ' ' + std::to_string(index) + ' ' + has);
    times.push_back(time);
  }

  std::vector<std::string> heard;
  std::vector<Timestamp> times;

 private:
  MemoryReplicaStore& store_;
};

// However many entries become one write.
TEST_F(BatchApplierTest, ACheckFindsTheStateAsOfItsEntry) {
  Checks checks(store_);
  BatchApplier applier({store_, nullptr, {}, nullptr, &checks}, store_.position(), CommitIndex());
  const Timestamp time(std::chrono::hours(1));
  const auto check = [&](std::string what) {
    CommittedEntry entry = NextEmpty();
    entry.entry.data = EncodeEntry({.term = 1, .time = time, .batches = 0, .is_check = true}, what);
    return entry;
  };
  const std::string large = PutOf("c");
  ASSERT_TRUE(applier
                  .Add({check("first"), Next(PutOf("a")), check("second"), Next(PutOf("b")),
                        Next(large.substr(0, 4), 0, 2), check("third"), Next(large.substr(4), 1, 2),
                        check("last")})
                  .ok());

  ASSERT_TRUE(applier.Write(applier.Take()).ok());

  EXPECT_THAT(checks.heard, ElementsAre("first 1 ", "second 3 a", "third 6 ab", "last 8 abc"));
  EXPECT_THAT(checks.times, Each(time));
  EXPECT_EQ(applier.last(), CommitIndex(3));
  EXPECT_EQ(stored(), 8U);
}

// Whatever is added behind them.
TEST_F(BatchApplierTest, RowsBeforeManyChecksStayWhatTheyAre) {
  constexpr int kChecks = 50;
  Checks checks(store_);
  BatchApplier applier({store_, nullptr, {}, nullptr, &checks}, store_.position(), CommitIndex());
  const auto key = [](int i) { return std::to_string(i) + std::string(100 + 10 * i, 'k'); };
  for (int i = 0; i < kChecks; ++i) {
    CommittedEntry check = NextEmpty();
    check.entry.data = EncodeEntry({.term = 1, .batches = 0, .is_check = true}, "check");
    CommittedEntry put = Next(PutOf(key(i)));
    std::swap(check.entry.index, put.entry.index);
    ASSERT_TRUE(applier.Add({std::move(put), std::move(check)}).ok());
  }

  ASSERT_TRUE(applier.Write(applier.Take()).ok());

  EXPECT_EQ(checks.heard.size(), kChecks);
  for (int i = 0; i < kChecks; ++i) EXPECT_TRUE(Has(key(i))) << i;
}

// What was put and deleted again before anybody looked was never there.
TEST_F(BatchApplierTest, WhatIsAddedIsOneWrite) {
  WriteBatch deletion;
  deletion.SingleDelete(kTable, "a");
  ASSERT_TRUE(applier_.Add({Next(PutOf("a")), Next(PutOf("b"))}).ok());
  ASSERT_TRUE(applier_.Add({Next(deletion.bytes())}).ok());
  EXPECT_EQ(applier_.position().index, 3U);
  EXPECT_EQ(applier_.last(), CommitIndex(3));
  EXPECT_GT(applier_.unwritten_bytes(), 0U);
  EXPECT_EQ(stored(), 0U);

  ASSERT_TRUE(applier_.Write(applier_.Take()).ok());

  EXPECT_EQ(applier_.unwritten_bytes(), 0U);
  EXPECT_EQ(store_.writes(), 1);
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
  EXPECT_EQ(stored(), 3U);
  EXPECT_EQ(AppliedIndexRow().Read(store_.store()).value(), CommitIndex(3));
}

TEST_F(BatchApplierTest, TheLastTimeInTheLogIsKnown) {
  EXPECT_EQ(applier_.time(), std::nullopt);

  CommittedEntry entry{
      {1, 1, EntryKind::kBatch,
       EncodeEntry({.term = 1, .time = Timestamp(std::chrono::hours(5))}, PutOf("a"))},
      std::nullopt};
  ASSERT_TRUE(Apply({entry}).ok());

  EXPECT_EQ(applier_.time(), Timestamp(std::chrono::hours(5)));
}

}  // namespace
}  // namespace wharf
