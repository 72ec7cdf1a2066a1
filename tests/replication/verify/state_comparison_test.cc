#include "replication/verify/state_comparison.h"

#include <array>
#include <atomic>
#include <optional>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/verify/range_digest.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Duration kSecond = std::chrono::seconds(1);

// Five states with the same thousand rows, of which the members are as many as a test wants.
class StateComparisonTest : public ::testing::Test {
 protected:
  static constexpr int kRowCount = 1000;

  StateComparisonTest() {
    for (MemoryStore& store : stores_) {
      WriteBatch batch;
      for (int row = 0; row < kRowCount; ++row) batch.Put(row % 2, Key(row), std::string(20, 'v'));
      EXPECT_TRUE(store.Apply(batch).ok());
    }
  }
  static std::string Key(int row) { return "row " + std::to_string(10000 + row); }
  void Write(RaftId node, int row, const std::string& value) {
    WriteBatch batch;
    batch.Put(row % 2, Key(row), value);
    ASSERT_TRUE(stores_[node - 1].Apply(batch).ok());
  }
  void Delete(RaftId node, int row) {
    WriteBatch batch;
    batch.Delete(row % 2, Key(row));
    ASSERT_TRUE(stores_[node - 1].Apply(batch).ok());
  }

  static std::vector<StateComparison::Member> Members(int count) {
    std::vector<StateComparison::Member> members;
    for (int i = 1; i <= count; ++i) {
      members.push_back({.node = static_cast<RaftId>(i), .name = "n" + std::to_string(i)});
    }
    return members;
  }
  // To its end; questions are counted as entries.
  const StateComparison::Progress& Run(int count) {
    comparison_.emplace(StateComparison::Options{.range_bytes = 4096}, Members(count), random_);
    while (comparison_->is_under_way()) Turn(count);
    return comparison_->progress();
  }
  void Turn(int count) {
    now_ += kSecond;
    const auto check = comparison_->Next(now_, /*may_begin=*/true);
    if (!check) return;
    ++index_;
    for (int i = 1; i <= count; ++i) {
      const auto node = static_cast<RaftId>(i);
      if (!silent_.contains(node)) comparison_->OnAnswer(node, AnswerOf(node, *check));
    }
  }
  StateCheckAnswer AnswerOf(RaftId node, const StateCheck& check) {
    StateCheckAnswer answer{.id = check.id, .index = index_};
    if (unreadable_.contains(node)) {
      answer.trouble = "a file is damaged";
      return answer;
    }
    const MemoryStore& store = stores_[node - 1];
    const std::atomic<bool> is_stopping = false;
    answer.digest = DigestRange(*store.View(), store.tables(), check, nullptr, is_stopping).value();
    return answer;
  }

  std::array<MemoryStore, 5> stores_{MemoryStore(TableSet(2)), MemoryStore(TableSet(2)),
                                     MemoryStore(TableSet(2)), MemoryStore(TableSet(2)),
                                     MemoryStore(TableSet(2))};
  SeededRandom random_{1};
  std::optional<StateComparison> comparison_;
  std::set<RaftId> silent_;
  std::set<RaftId> unreadable_;
  Duration now_{};
  std::uint64_t index_ = 0;
};

TEST_F(StateComparisonTest, EqualStatesAreReadToTheirEnd) {
  const StateComparison::Progress& ended = Run(3);

  EXPECT_EQ(ended.rows, static_cast<std::uint64_t>(kRowCount));
  EXPECT_FALSE(ended.difference.has_value());
  EXPECT_EQ(ended.trouble, "");
  EXPECT_EQ(ended.index, index_);
}

TEST_F(StateComparisonTest, ARowThatIsOtherwiseIsFoundWhereverItIs) {
  for (const int row : {0, 1, 499, 500, 998, 999}) {
    Write(3, row, "otherwise");

    const StateComparison::Progress& ended = Run(3);

    ASSERT_TRUE(ended.difference.has_value()) << row;
    EXPECT_EQ(ended.difference->row, (RowPlace{static_cast<TableId>(row % 2), Key(row)})) << row;
    EXPECT_TRUE(ended.difference->has_majority);
    EXPECT_THAT(ended.difference->nodes, ElementsAre(3));
    Write(3, row, std::string(20, 'v'));
  }
}

TEST_F(StateComparisonTest, ARowThatIsMissingOrTooMuchIsNamedItself) {
  Delete(1, 700);
  EXPECT_EQ(Run(3).difference->row.key, Key(700));
  EXPECT_THAT(comparison_->progress().difference->nodes, ElementsAre(1));
  Delete(2, 700);
  EXPECT_EQ(Run(3).difference->row.key, Key(700));
  EXPECT_THAT(comparison_->progress().difference->nodes, ElementsAre(3));
}

TEST_F(StateComparisonTest, WhereAllDifferNobodyIsRight) {
  Write(2, 3, "otherwise");
  Write(3, 3, "still otherwise");

  const StateComparison::Progress& ended = Run(3);

  EXPECT_FALSE(ended.difference->has_majority);
  EXPECT_THAT(ended.difference->nodes, ElementsAre(1, 2, 3));
}

// Of five, two that are equal are no majority, though nobody else is asked.
TEST_F(StateComparisonTest, AMajorityIsOneOfAllMembers) {
  Write(1, 3, "otherwise");
  silent_ = {4, 5};

  const StateComparison::Progress& ended = Run(5);

  EXPECT_FALSE(ended.difference->has_majority);
  EXPECT_THAT(ended.difference->nodes, ElementsAre(1, 2, 3));
}

TEST_F(StateComparisonTest, WhoDoesNotAnswerIsNamedAndTheOthersAreCompared) {
  silent_ = {2};
  unreadable_ = {3};

  const StateComparison::Progress& ended = Run(4);

  EXPECT_EQ(ended.rows, static_cast<std::uint64_t>(kRowCount));
  EXPECT_EQ(ended.members[0].trouble, "");
  EXPECT_EQ(ended.members[1].trouble, "it did not answer in time");
  EXPECT_EQ(ended.members[2].trouble, "a file is damaged");
}

TEST_F(StateComparisonTest, AnAnswerThatWasLostIsAskedForAgain) {
  comparison_.emplace(StateComparison::Options{}, Members(2), random_);
  silent_ = {2};
  Turn(2);
  for (int turn = 0; turn < 4; ++turn) Turn(2);
  silent_.clear();

  for (int turn = 0; turn < 2; ++turn) Turn(2);

  EXPECT_FALSE(comparison_->is_under_way());
  EXPECT_EQ(comparison_->progress().members[1].trouble, "");
}

TEST_F(StateComparisonTest, OneByItselfCannotBeCompared) {
  EXPECT_THAT(Run(1).trouble, HasSubstr("no other member"));
  silent_ = {2, 3};
  EXPECT_THAT(Run(3).trouble, HasSubstr("fewer than two"));
  EXPECT_FALSE(comparison_->progress().difference.has_value());
}

// It may have been left in the log by who led before.
TEST_F(StateComparisonTest, AnswersToAnotherQuestionAreNone) {
  comparison_.emplace(StateComparison::Options{}, Members(2), random_);
  const auto check = comparison_->Next(now_, /*may_begin=*/true);
  ASSERT_TRUE(check.has_value());

  StateCheckAnswer other = AnswerOf(1, *check);
  ++other.id;
  comparison_->OnAnswer(1, other);
  comparison_->OnAnswer(2, AnswerOf(2, *check));
  comparison_->OnAnswer(3, AnswerOf(3, *check));
  EXPECT_TRUE(comparison_->is_under_way());

  comparison_->OnAnswer(1, AnswerOf(1, *check));
  EXPECT_FALSE(comparison_->is_under_way());
}

TEST_F(StateComparisonTest, WhatCouldNotBeAskedIsAskedAgain) {
  comparison_.emplace(StateComparison::Options{}, Members(2), random_);
  ASSERT_TRUE(comparison_->Next(now_, /*may_begin=*/true).has_value());
  EXPECT_FALSE(comparison_->Next(now_, /*may_begin=*/true).has_value());

  comparison_->NotAsked();

  EXPECT_TRUE(comparison_->Next(now_, /*may_begin=*/true).has_value());
}

// A whole range waits for its turn, a piece of one does not.
TEST_F(StateComparisonTest, RangesKeepThePace) {
  comparison_.emplace(StateComparison::Options{.range_bytes = 4096}, Members(2), random_);
  EXPECT_FALSE(comparison_->Next(now_, /*may_begin=*/false).has_value());
  Write(1, 0, "otherwise");
  Turn(2);

  EXPECT_TRUE(comparison_->Next(now_, /*may_begin=*/false).has_value());
}

}  // namespace
}  // namespace wharf
