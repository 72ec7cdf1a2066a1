// What every commit log promises, checked on each of them.

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
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
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TableId kTable = 0;
constexpr int kMany = 2000;

// Whom a log tells what it does.
struct Listeners {
  CommitLog::Observer& observer;
  CommitLog::ApplyListener& applied;
};

// A log and the store that it writes.
class LogUnderTest {
 public:
  virtual ~LogUnderTest() = default;
  virtual Store& store() = 0;
  virtual CommitLog& log() = 0;
  // Writes without the log.
  virtual void WriteBeside(const WriteBatch& batch) = 0;
  // From now on nothing that is appended is answered, until Release; then all of it at one go.
  virtual void Hold() = 0;
  virtual void Release() = 0;
  // Destroys the log, and only it.
  virtual void StopLog() = 0;
  // Another log, which goes on where the one before was stopped.
  virtual void Restart(const Listeners& listeners) = 0;
};

TableSet Tables() {
  return {{.name = "table", .is_watched = true}, {.name = "neighbours", .neighbours_prefix = 2}};
}

class MemoryUnderTest final : public LogUnderTest {
 public:
  explicit MemoryUnderTest(const Listeners& listeners) { Restart(listeners); }
  Store& store() override { return store_; }
  CommitLog& log() override { return *log_; }
  void WriteBeside(const WriteBatch& batch) override { ASSERT_TRUE(store_.Apply(batch).ok()); }
  void Hold() override { log_->Hold(); }
  void Release() override { log_->Release(); }
  void StopLog() override { log_.reset(); }
  void Restart(const Listeners& listeners) override {
    log_.emplace(store_, MemoryCommitLog::World{&listeners.observer, &listeners.applied});
  }

 private:
  MemoryStore store_{Tables()};
  std::optional<MemoryCommitLog> log_;
};

class LocalUnderTest final : public LogUnderTest {
 public:
  explicit LocalUnderTest(const Listeners& listeners) { Restart(listeners); }
  Store& store() override { return *store_; }
  CommitLog& log() override { return *log_; }
  void WriteBeside(const WriteBatch& batch) override {
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }
  // A completion that does not return.
  void Hold() override {
    std::promise<void> is_held;
    log_->Append({}, [&is_held, go_on = go_on_.get_future()](const Result<CommitIndex>&) {
      is_held.set_value();
      go_on.wait();
    });
    is_held.get_future().wait();
  }
  void Release() override { go_on_.set_value(); }
  void StopLog() override { log_.reset(); }
  void Restart(const Listeners& listeners) override {
    log_.reset();
    store_.reset();
    store_ = RocksStore::Open({.path = folder_.path(), .tables = Tables()}).value();
    log_.emplace(*store_, LocalCommitLog::World{listeners.observer, &listeners.applied});
  }

 private:
  TempFolder folder_;
  std::promise<void> go_on_;
  std::unique_ptr<RocksStore> store_;
  std::optional<LocalCommitLog> log_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<LogUnderTest>(const Listeners&)> make;
};

// Calls what the test wants to be called.
class AppliedHook final : public CommitLog::ApplyListener {
 public:
  void OnApplying(const BatchNotes& notes) override {
    if (before) before(notes);
  }
  void OnApplied(BatchNotes notes) override {
    if (hook) hook(notes);
  }
  std::function<void(const BatchNotes&)> before;
  std::function<void(const BatchNotes&)> hook;
};

WriteBatch PutOf(const std::string& key) {
  WriteBatch batch;
  batch.Put(kTable, key, "value of " + key);
  return batch;
}

// Batches that no store with these tables can apply. Before what is wrong with each is a row.
std::map<std::string, WriteBatch> BadBatches() {
  std::map<std::string, WriteBatch> bad;
  bad["no batch"] = WriteBatch(PutOf("half").bytes() + "\xFF\xFF\xFF");
  for (const char* what : {"no table", "inverted range", "empty range", "midst of neighbours"}) {
    bad[what] = PutOf("half");
  }
  bad["no table"].Put(7, "key", "value");
  bad["inverted range"].DeleteRange(kTable, "b", "a");
  bad["empty range"].DeleteRange(kTable, "a", "a");
  bad["midst of neighbours"].DeleteRange(kTable + 1, "q1-1", "q2");
  return bad;
}

WriteBatch BrokenBatch() { return BadBatches().at("no batch"); }

class CommitLogContract : public ::testing::TestWithParam<Kind> {
 protected:
  LogUnderTest& under_test() { return *under_test_; }
  CommitLog& log() { return under_test_->log(); }
  LogObserver& observer() { return *observer_; }
  AppliedHook& applied() { return applied_; }
  void StopLog() { under_test_->StopLog(); }
  void Restart() {
    under_test_->StopLog();
    observer_ = std::make_unique<LogObserver>();
    under_test_->Restart({*observer_, applied_});
  }
  void StartAnew() {
    under_test_.reset();
    observer_ = std::make_unique<LogObserver>();
    under_test_ = GetParam().make({*observer_, applied_});
  }

  std::optional<std::string> ValueOf(const std::string& key) {
    return under_test_->store().View()->Get(kTable, key).value();
  }
  bool IsCommitted(const std::string& key) { return ValueOf(key).has_value(); }

  // Whether a look is answered before its call has returned.
  bool IsAnsweredInside() {
    auto answered = std::make_shared<std::promise<void>>();
    std::future<void> answer = answered->get_future();
    const auto asker = std::this_thread::get_id();
    auto is_inside = std::make_shared<bool>(false);
    log().Confirm([=](const Result<CommitIndex>&) {
      *is_inside = std::this_thread::get_id() == asker;
      answered->set_value();
    });
    const bool is_there = answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    answer.wait();
    return is_there && *is_inside;
  }

 private:
  AppliedHook applied_;
  std::unique_ptr<LogObserver> observer_ = std::make_unique<LogObserver>();
  std::unique_ptr<LogUnderTest> under_test_ = GetParam().make({*observer_, applied_});
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

  EXPECT_EQ(CommitAndWait(log(), {}).value(), CommitIndex(1));

  EXPECT_TRUE(first_is_committed);
}

TEST_P(CommitLogContract, EmptyBatchOnAnIdleLogIsAnswered) {
  EXPECT_EQ(CommitAndWait(log(), {}).value(), CommitIndex(0));
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

// An idle broker's peek costs no hand-over between threads.
TEST_P(CommitLogContract, AConfirmWithNothingBeforeItIsAnsweredInsideTheCall) {
  EXPECT_TRUE(IsAnsweredInside());
  EXPECT_EQ(ConfirmAndWait(log()).value(), CommitIndex(0));

  ASSERT_TRUE(CommitAndWait(log(), PutOf("a")).ok());

  // As soon as the last completion has returned.
  while (!IsAnsweredInside()) std::this_thread::yield();
  EXPECT_EQ(ConfirmAndWait(log()).value(), CommitIndex(1));
}

TEST_P(CommitLogContract, AConfirmWaitsForEverythingAppendedBefore) {
  std::vector<std::string> order;
  under_test().Hold();
  log().Append(PutOf("a"), [&](const Result<CommitIndex>&) { order.emplace_back("a"); });
  log().Confirm([&](const Result<CommitIndex>& index) {
    EXPECT_EQ(index.value(), CommitIndex(1));
    EXPECT_TRUE(IsCommitted("a"));
    order.emplace_back("look");
  });
  log().Append(PutOf("b"), [&](const Result<CommitIndex>&) { order.emplace_back("b"); });
  EXPECT_THAT(order, IsEmpty());

  under_test().Release();
  EXPECT_EQ(ConfirmAndWait(log()).value(), CommitIndex(2));

  EXPECT_THAT(order, ElementsAre("a", "look", "b"));
}

TEST_P(CommitLogContract, ConfirmsComeOnceEachAndInTheirPlace) {
  std::vector<CommitIndex> answers;
  std::vector<CommitIndex> expected;
  const auto note = [&](const Result<CommitIndex>& index) { answers.push_back(*index); };

  for (int i = 0; i < kMany; ++i) {
    expected.insert(expected.end(), 3, CommitIndex(i + 1));
    log().Append(PutOf("key " + std::to_string(i)), note);
    log().Confirm(note);
    log().Confirm(note);
  }
  ASSERT_TRUE(ConfirmAndWait(log()).ok());

  EXPECT_EQ(answers, expected);
}

TEST_P(CommitLogContract, AConfirmThatACompletionAsksForComesBehindIt) {
  std::vector<std::string> order;
  std::promise<void> done;

  log().Append(PutOf("a"), [&](const Result<CommitIndex>&) {
    log().Append(PutOf("b"), [&](const Result<CommitIndex>&) { order.emplace_back("b"); });
    log().Confirm([&](const Result<CommitIndex>& index) {
      EXPECT_EQ(index.value(), CommitIndex(2));
      order.emplace_back("look");
      done.set_value();
    });
    order.emplace_back("a");
  });
  done.get_future().wait();

  EXPECT_THAT(order, ElementsAre("a", "b", "look"));
}

TEST_P(CommitLogContract, AnIdleLogWritesNothing) {
  ASSERT_TRUE(ConfirmAndWait(log()).ok());
  ASSERT_TRUE(CommitAndWait(log(), {}).ok());

  EXPECT_EQ(log().stats().groups, 0U);
  EXPECT_FALSE(IsCommitted(AppliedIndexRow().key));
}

TEST_P(CommitLogContract, TheIndexOnlyRisesAlsoOverRestarts) {
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(CommitAndWait(log(), PutOf(key)).ok());
  ASSERT_EQ(CommitAndWait(log(), {}).value(), CommitIndex(3));

  Restart();

  EXPECT_EQ(ConfirmAndWait(log()).value(), CommitIndex(3));
  EXPECT_EQ(CommitAndWait(log(), PutOf("d")).value(), CommitIndex(4));
  Restart();
  EXPECT_EQ(CommitAndWait(log(), PutOf("e")).value(), CommitIndex(5));
  EXPECT_EQ(AppliedIndexRow().Read(under_test().store()).value(), CommitIndex(5));
}

TEST_P(CommitLogContract, AStoreThatDoesNotSayWhereItIsClosesTheLog) {
  WriteBatch damage;
  damage.Put(kTable, AppliedIndexRow().key, "12345678");
  under_test().WriteBeside(damage);

  Restart();

  const Status reason = observer().WaitUntilClosed();
  EXPECT_THAT(reason.message(), HasSubstr("'applied-index' of the commit log is damaged"));
  EXPECT_EQ(reason.outcome(), Outcome::kNotDone);
  EXPECT_EQ(CommitAndWait(log(), PutOf("a")).status().message(), reason.message());
  EXPECT_EQ(ConfirmAndWait(log()).status().message(), reason.message());
  EXPECT_FALSE(IsCommitted("a"));
}

TEST_P(CommitLogContract, WhatABatchNotesIsToldWhenItIsVisibleAndBeforeItsCompletion) {
  WriteBatch batch = PutOf("a");
  batch.NoteTime(Timestamp(std::chrono::seconds(7)));
  batch.NoteFreed(kTable, "b", "c");
  std::vector<std::string> order;
  applied().hook = [&](const BatchNotes& notes) {
    EXPECT_TRUE(IsCommitted("a"));
    EXPECT_EQ(notes.time, Timestamp(std::chrono::seconds(7)));
    ASSERT_EQ(notes.freed.size(), 1U);
    EXPECT_EQ(notes.freed[0].range.begin + notes.freed[0].range.end, "bc");
    order.emplace_back("told");
  };

  log().Append(std::move(batch), [&](const Result<CommitIndex>&) { order.emplace_back("done"); });
  ASSERT_TRUE(ConfirmAndWait(log()).ok());

  EXPECT_THAT(order, ElementsAre("told", "done"));
}

TEST_P(CommitLogContract, StatisticsCountWhatWasMadeDurable) {
  std::uint64_t bytes = 0;
  for (const char* key : {"a", "b", "c"}) {
    WriteBatch batch = PutOf(key);
    bytes += batch.bytes().size();
    ASSERT_TRUE(CommitAndWait(log(), std::move(batch)).ok());
  }
  ASSERT_TRUE(CommitAndWait(log(), {}).ok());
  ASSERT_TRUE(ConfirmAndWait(log()).ok());
  EXPECT_EQ(log().stats().commits, 3U);
  EXPECT_EQ(log().stats().groups, 3U);
  EXPECT_EQ(log().stats().bytes, bytes);

  ASSERT_FALSE(CommitAndWait(log(), BrokenBatch()).ok());
  EXPECT_EQ(log().stats().commits, 3U);
  EXPECT_EQ(log().stats().bytes, bytes);
}

// It made the write fail, so that also those before it in its group were lost; or it was in the log
// by then, and failed again at every start.
TEST_P(CommitLogContract, ABatchThatCannotBeAppliedIsRefusedBeforeItIsWritten) {
  for (const auto& [what, bad] : BadBatches()) {
    SCOPED_TRACE(what);
    StartAnew();
    int told_freed = 0;
    applied().hook = [&](const BatchNotes& notes) { told_freed += notes.freed.size(); };
    WriteBatch refused;
    refused.NoteFreed(kTable, "a", "b");
    refused = WriteBatch(refused.bytes() + bad.bytes());
    std::vector<Status> endings;
    const auto note = [&](const Result<CommitIndex>& index) { endings.push_back(index.status()); };
    under_test().Hold();
    log().Append(PutOf("before"), note);
    log().Confirm(note);
    log().Append(std::move(refused), note);
    log().Append(PutOf("behind"), note);
    log().Confirm(note);

    under_test().Release();
    const Status reason = observer().WaitUntilClosed();
    EXPECT_EQ(ConfirmAndWait(log()).status(), reason);

    EXPECT_FALSE(reason.ok());
    EXPECT_EQ(reason.outcome(), Outcome::kNotDone);
    EXPECT_THAT(endings, ElementsAre(Status(), Status(), reason, reason, reason));
    EXPECT_TRUE(IsCommitted("before"));
    EXPECT_FALSE(IsCommitted("half"));
    EXPECT_FALSE(IsCommitted("behind"));
    EXPECT_EQ(told_freed, 0);
    Restart();
    EXPECT_EQ(CommitAndWait(log(), PutOf("next")).value(), CommitIndex(2));
  }
}

TEST_P(CommitLogContract, ClosedLogAnswersWithTheReason) {
  const Status reason = CommitAndWait(log(), BrokenBatch()).status();

  EXPECT_EQ(CommitAndWait(log(), PutOf("a")).status(), reason);
  EXPECT_EQ(CommitAndWait(log(), {}).status(), reason);
  EXPECT_EQ(ConfirmAndWait(log()).status(), reason);

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

template <typename Log>
Kind KindOf(std::string name) {
  return {std::move(name),
          [](const Listeners& listeners) { return std::make_unique<Log>(listeners); }};
}

// What ceases to be true must be unlearned before new rows are there, what is new learned after.
TEST_P(CommitLogContract, WhatIsWrittenToAWatchedTableIsToldBeforeAndAfter) {
  StartAnew();
  std::vector<std::string> told;
  const auto tell = [&](const char* when) {
    return [&told, when, this](const BatchNotes& notes) {
      // Behind it may stand the row in which the log counts.
      ASSERT_FALSE(notes.watched.empty());
      const WatchedWrite& watched = notes.watched[0];
      told.push_back(watched.rows.range.begin + when + watched.value.value_or("deleted") +
                     (IsCommitted("a") ? ", is there" : ", is not there"));
    };
  };
  applied().before = tell(" before: ");
  applied().hook = tell(" after: ");

  ASSERT_TRUE(CommitAndWait(log(), PutOf("a")).ok());

  EXPECT_THAT(told,
              ElementsAre("a before: value of a, is not there", "a after: value of a, is there"));
  StopLog();
}

INSTANTIATE_TEST_SUITE_P(All, CommitLogContract,
                         ::testing::Values(KindOf<MemoryUnderTest>("MemoryCommitLog"),
                                           KindOf<LocalUnderTest>("LocalCommitLog")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wharf
