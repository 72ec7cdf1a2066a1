#include "tests/storage/commit_log_contract.h"

#include <atomic>
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

#include "storage/applied_index_row.h"
#include "storage/batch_notes.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr TableId kTable = kContractTable;
constexpr int kMany = 2000;

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
TEST_P(CommitLogContract, AConfirmWithNothingBeforeItIsAnsweredInsideTheCallIfNobodyIsAsked) {
  EXPECT_EQ(IsAnsweredInside(), GetParam().is_alone);
  EXPECT_EQ(ConfirmAndWait(log()).value(), CommitIndex(0));

  ASSERT_TRUE(CommitAndWait(log(), PutOf("a")).ok());

  // As soon as the last completion has returned.
  while (GetParam().is_alone && !IsAnsweredInside()) std::this_thread::yield();
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
  const auto row = under_test().store().View()->Get(kTable, "a");
  EXPECT_FALSE(row.ok() && row->has_value());
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
  static_cast<void>(under_test().store().View());

  EXPECT_THAT(order, UnorderedElementsAre("told", "done"));
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
    // The log may tell of what is applied late when this round is over.
    const auto told_freed = std::make_shared<std::atomic<std::size_t>>(0);
    applied().hook = [told_freed](const BatchNotes& notes) { *told_freed += notes.freed.size(); };
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
    EXPECT_EQ(*told_freed, 0U);
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
  EXPECT_TRUE(IsCommitted("a"));

  EXPECT_THAT(told,
              ElementsAre("a before: value of a, is not there", "a after: value of a, is there"));
  StopLog();
}

}  // namespace
}  // namespace wharf
