#include "storage/memory/memory_commit_log.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "tests/storage/log_observer.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Holds a log and writes down how its batches ended.
class HeldLog {
 public:
  HeldLog() { log.Hold(); }

  void Append(const std::string& key) {
    WriteBatch batch;
    batch.Put(0, key, "");
    log.Append(std::move(batch), [this, key](const Result<CommitIndex>& index) {
      endings.push_back(key + (index.ok() ? " committed" : " unknown"));
    });
  }

  void Confirm(const std::string& name) {
    log.Confirm([this, name](const Result<CommitIndex>& index) {
      endings.push_back(name + (index.ok() ? " committed" : " unknown"));
    });
  }

  bool IsApplied(const std::string& key) { return store.View()->Get(0, key).value().has_value(); }

  MemoryStore store;
  LogObserver observer;
  MemoryCommitLog log{store, {.observer = &observer}};
  std::vector<std::string> endings;
};

TEST(MemoryCommitLogTest, HeldBatchesWaitUntilTheyAreCommitted) {
  HeldLog held;

  held.Append("a");
  held.Append("b");
  held.Append("c");
  EXPECT_THAT(held.endings, IsEmpty());
  EXPECT_FALSE(held.IsApplied("a"));

  EXPECT_EQ(held.log.CommitHeld(2), 2u);
  EXPECT_THAT(held.endings, ElementsAre("a committed", "b committed"));
  EXPECT_TRUE(held.IsApplied("b"));
  EXPECT_FALSE(held.IsApplied("c"));

  EXPECT_EQ(held.log.CommitHeld(), 1u);
  EXPECT_EQ(held.log.CommitHeld(), 0u);
}

TEST(MemoryCommitLogTest, WhatACompletionAppendsIsHeldToo) {
  HeldLog held;
  held.log.Append({}, [&](const Result<CommitIndex>&) { held.Append("later"); });

  EXPECT_EQ(held.log.CommitHeld(), 1u);

  EXPECT_THAT(held.endings, IsEmpty());
  held.log.Release();
  EXPECT_THAT(held.endings, ElementsAre("later committed"));
}

TEST(MemoryCommitLogTest, ALookWaitsForHeldBatchesAndForNothingElse) {
  HeldLog held;
  held.Confirm("first look");
  held.Append("a");
  held.Confirm("second look");
  EXPECT_THAT(held.endings, ElementsAre("first look committed"));

  EXPECT_EQ(held.log.CommitHeld(), 1u);

  EXPECT_THAT(held.endings,
              ElementsAre("first look committed", "a committed", "second look committed"));
}

TEST(MemoryCommitLogTest, ClosingUnderHeldBatchesAppliesNoneOfThem) {
  HeldLog held;
  held.Append("a");
  held.Append("b");

  held.log.Close({ErrorCode::kServiceCommunicationProblem, "the test closes the log"});
  held.Append("c");

  EXPECT_THAT(held.endings, ElementsAre("a unknown", "b unknown", "c unknown"));
  EXPECT_FALSE(held.IsApplied("a"));
  EXPECT_EQ(held.observer.WaitUntilClosed().message(), "the test closes the log");
}

}  // namespace
}  // namespace wharf
