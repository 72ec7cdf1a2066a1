// What every commit log promises, checked on each of them.

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/log/local_commit_log.h"
#include "storage/memory/memory_commit_log.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/log_observer.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;

constexpr TableId kTable = 0;
constexpr int kMany = 2000;

// A log and the store that it writes.
class LogUnderTest {
 public:
  virtual ~LogUnderTest() = default;
  virtual Store& store() = 0;
  virtual CommitLog& log() = 0;
  // Destroys the log, and only it.
  virtual void StopLog() = 0;
};

class MemoryUnderTest final : public LogUnderTest {
 public:
  explicit MemoryUnderTest(CommitLog::Observer& observer)
      : log_(std::in_place, store_, &observer) {}
  Store& store() override { return store_; }
  CommitLog& log() override { return *log_; }
  void StopLog() override { log_.reset(); }

 private:
  MemoryStore store_;
  std::optional<MemoryCommitLog> log_;
};

class LocalUnderTest final : public LogUnderTest {
 public:
  explicit LocalUnderTest(CommitLog::Observer& observer)
      : store_(RocksStore::Open({.path = folder_.path(), .tables = {{.name = "table"}}}).value()),
        log_(std::in_place, *store_, observer) {}
  Store& store() override { return *store_; }
  CommitLog& log() override { return *log_; }
  void StopLog() override { log_.reset(); }

 private:
  TempFolder folder_;
  const std::unique_ptr<RocksStore> store_;
  std::optional<LocalCommitLog> log_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<LogUnderTest>(CommitLog::Observer&)> make;
};

WriteBatch PutOf(const std::string& key) {
  WriteBatch batch;
  batch.Put(kTable, key, "value of " + key);
  return batch;
}

WriteBatch BrokenBatch() { return WriteBatch("\xFF\xFF\xFF"); }

class CommitLogContract : public ::testing::TestWithParam<Kind> {
 protected:
  CommitLog& log() { return under_test_->log(); }
  LogObserver& observer() { return observer_; }
  void StopLog() { under_test_->StopLog(); }

  std::optional<std::string> ValueOf(const std::string& key) {
    return under_test_->store().View()->Get(kTable, key).value();
  }
  bool IsCommitted(const std::string& key) { return ValueOf(key).has_value(); }

 private:
  LogObserver observer_;
  std::unique_ptr<LogUnderTest> under_test_ = GetParam().make(observer_);
};

TEST_P(CommitLogContract, TellsItsObserverThatItIsOpen) { observer().WaitUntilOpen(); }

TEST_P(CommitLogContract, CompletionMeansThatNewViewsSeeTheBatch) {
  EXPECT_FALSE(IsCommitted("a"));

  EXPECT_EQ(CommitAndWait(log(), PutOf("a")).value(), CommitIndex(1));

  EXPECT_TRUE(IsCommitted("a"));
}

TEST_P(CommitLogContract, CompletionsComeOnceEachAndInOrder) {
  std::vector<CommitIndex> answers;  // Written by the completions, which never run side by side.
  std::vector<CommitIndex> expected;

  for (int i = 0; i < kMany; ++i) {
    expected.emplace_back(i + 1);
    log().Append(PutOf("key " + std::to_string(i)),
                 [&](const Result<CommitIndex>& index) { answers.push_back(*index); });
  }
  ASSERT_TRUE(CommitAndWait(log(), {}).ok());

  EXPECT_EQ(answers, expected);
  EXPECT_TRUE(IsCommitted("key " + std::to_string(kMany - 1)));
}

TEST_P(CommitLogContract, LaterBatchWins) {
  for (int i = 0; i < kMany; ++i) {
    WriteBatch batch;
    batch.Put(kTable, "counter", std::to_string(i));
    log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  }
  ASSERT_TRUE(CommitAndWait(log(), {}).ok());

  EXPECT_EQ(ValueOf("counter"), std::to_string(kMany - 1));
}

TEST_P(CommitLogContract, EmptyBatchIsCommittedBehindWhatCameBefore) {
  bool first_is_committed = false;
  log().Append(PutOf("a"),
               [&](const Result<CommitIndex>& index) { first_is_committed = index.ok(); });

  EXPECT_EQ(CommitAndWait(log(), {}).value(), CommitIndex(2));

  EXPECT_TRUE(first_is_committed);
}

TEST_P(CommitLogContract, EmptyBatchOnAnIdleLogIsAnswered) {
  EXPECT_EQ(CommitAndWait(log(), {}).value(), CommitIndex(1));
}

TEST_P(CommitLogContract, CompletionMayAppendAgain) {
  std::vector<std::string> order;
  std::promise<void> done;

  log().Append(PutOf("a"), [&](const Result<CommitIndex>&) {
    log().Append(PutOf("b"), [&](const Result<CommitIndex>&) {
      order.emplace_back("b");
      done.set_value();
    });
    order.emplace_back("a");
  });
  done.get_future().wait();

  EXPECT_THAT(order, ElementsAre("a", "b"));
  EXPECT_TRUE(IsCommitted("b"));
}

// reliability 19
TEST_P(CommitLogContract, FailedBatchLeavesTheOutcomeUnknownAndClosesTheLog) {
  const Status failed = CommitAndWait(log(), BrokenBatch()).status();

  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.outcome(), Outcome::kUnknown);
  EXPECT_EQ(observer().WaitUntilClosed(), failed);
}

TEST_P(CommitLogContract, ClosedLogAnswersWithTheReason) {
  const Status reason = CommitAndWait(log(), BrokenBatch()).status();

  EXPECT_EQ(CommitAndWait(log(), PutOf("a")).status(), reason);
  EXPECT_EQ(CommitAndWait(log(), {}).status(), reason);

  EXPECT_FALSE(IsCommitted("a"));
}

TEST_P(CommitLogContract, EveryCompletionIsCalledBeforeTheLogIsGone) {
  int committed = 0;
  for (int i = 0; i < kMany; ++i) {
    log().Append(PutOf(std::to_string(i)),
                 [&](const Result<CommitIndex>& index) { committed += index.ok(); });
  }

  StopLog();

  EXPECT_EQ(committed, kMany);
}

INSTANTIATE_TEST_SUITE_P(All, CommitLogContract,
                         ::testing::Values(Kind{"MemoryCommitLog",
                                                [](auto& observer) {
                                                  return std::make_unique<MemoryUnderTest>(
                                                      observer);
                                                }},
                                           Kind{"LocalCommitLog",
                                                [](auto& observer) {
                                                  return std::make_unique<LocalUnderTest>(observer);
                                                }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wharf
