// What no row has to be read for goes with its purge or deletion, in one commit; everything else by
// reading, a step at a time.

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/engine/background/reclaimer.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"
#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/job_rows.h"
#include "tests/harness/recording_store.h"

namespace wharf {
namespace {

using std::chrono::minutes;

Message Bytes(std::size_t count) {
  Message message;
  message.body = std::string(count, 'x');
  return message;
}

// Over a store that counts the rows that are read.
class UnreadReclaimTest : public ::testing::Test {
 protected:
  UnreadReclaimTest() { EXPECT_TRUE(engine_.CreateQueue({.name = "orders"}).ok()); }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  void Send(const std::string& path, std::size_t count, std::size_t bytes = 10) {
    ASSERT_TRUE(engine_.Send(path, std::vector<Message>(count, Bytes(bytes))).ok());
  }
  // Messages fresh, locked, returned, deferred and dead.
  void Fill(std::size_t count = 3000) {
    Send("orders", count);
    const auto received = *engine_.Receive("orders", 8);
    ASSERT_EQ(received.size(), 8U);
    ASSERT_TRUE(engine_.DeadLetter("orders", received[0].token).ok());
    ASSERT_TRUE(engine_.Abandon("orders", received[1].token).ok());
    ASSERT_TRUE(engine_.Defer("orders", received[2].token).ok());
  }
  // Of all tables that reclaiming may read.
  std::size_t RowsRead() const {
    std::size_t reads = 0;
    for (const Table table : {Table::kMessages, Table::kBodies, Table::kDelivery, Table::kOrder,
                              Table::kScheduled, Table::kSessionsReady, Table::kBodyRefs}) {
      reads += store_.reads_of(IdOf(table));
    }
    return reads;
  }
  std::size_t RowsOf(Table table, EntityId entity) {
    const auto view = memory_.View();
    std::size_t count = 0;
    const auto rows = view->Scan(IdOf(table), EntityRange(entity));
    for (; rows->valid(); rows->Next()) ++count;
    return count;
  }
  EntityId IdOfQueue(const std::string& name) { return engine_.GetQueue(name)->record.id; }
  void ExpectNoWork() {
    for (const JobKind kind : {JobKind::kReclaimEntity, JobKind::kReclaimShelf}) {
      EXPECT_TRUE(KeysOfJobs(*memory_.View(), kind).empty());
    }
  }

  MemoryStore memory_{BrokerTables()};
  RecordingStore store_{memory_};
  MemoryCommitLog log_{memory_, MemoryCommitLog::World{.row = BrokerAppliedIndex()}};
  const bool is_prepared_ = [this] {
    log_.Append(EncodeFormat(), [](const Result<CommitIndex>&) {});
    return true;
  }();
  TurnRecorder turns_;
  EngineHarness engine_{{.listener = &turns_}, store_, log_};
};

TEST_F(UnreadReclaimTest, APurgeReadsNoRow) {  // PRG-1
  Fill();
  const EntityId id = IdOfQueue("orders");
  const std::size_t before = RowsRead();

  EXPECT_EQ(*engine_.Purge("orders"), 2999);

  EXPECT_EQ(RowsRead(), before);
  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 0U);
  EXPECT_EQ(RowsOf(Table::kMessages, id), 1U);  // The dead letter.
  EXPECT_EQ(RowsOf(Table::kDelivery, id), 1U);
  ExpectNoWork();

  EXPECT_EQ(*engine_.Purge("orders/$DeadLetterQueue"), 1);
  EXPECT_EQ(RowsRead(), before);
  EXPECT_EQ(RowsOf(Table::kMessages, id), 0U);
}

TEST_F(UnreadReclaimTest, ADeletionReadsNoRow) {  // EPR-33
  Fill();
  const EntityId id = IdOfQueue("orders");
  const std::size_t before = RowsRead();

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_EQ(RowsRead(), before);
  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 0U);
  EXPECT_EQ(RowsOf(Table::kMessages, id) + RowsOf(Table::kDelivery, id), 0U);
  ExpectNoWork();
}

TEST_F(UnreadReclaimTest, ManyIdleQueuesGoUnreadSomeInEachTurn) {  // ADI-1
  constexpr int kQueues = 200;
  for (int i = 0; i < kQueues; ++i) {
    const std::string name = "idle" + std::to_string(i);
    ASSERT_TRUE(engine_.CreateQueue({.name = name, .auto_delete_on_idle = minutes(5)}).ok());
    Send(name, 20);
  }
  const std::size_t before = RowsRead();

  engine_.Advance(minutes(6));

  EXPECT_EQ(RowsRead(), before);
  EXPECT_EQ(turns_.Count<EntityReclaimFinished>(), static_cast<std::size_t>(kQueues));
  std::size_t most = 0;
  for (const Changes& turn : turns_.turns) {
    most = std::max(most, TurnRecorder::CountIn<EntityReclaimFinished>(turn));
  }
  EXPECT_LE(most, Reclaimer::kUnreadMax + Reclaimer::kStepsMax);
  ExpectNoWork();
}

TEST_F(UnreadReclaimTest, OneBodyInRowsOfItsOwnIsReadFor) {  // PRG-1
  Send("orders", 10);
  Send("orders", 1, 5000);
  const EntityId id = IdOfQueue("orders");
  ASSERT_EQ(RowsOf(Table::kBodies, id), 1U);

  EXPECT_EQ(*engine_.Purge("orders"), 11);

  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 1U);
  EXPECT_EQ(RowsOf(Table::kBodies, id), 0U);
}

TEST_F(UnreadReclaimTest, AMessageThatWasSettledHasNoBodyToReadFor) {
  Send("orders", 1, 5000);
  Send("orders", 10);
  const auto received = *engine_.Receive("orders", 1);
  ASSERT_TRUE(engine_.Complete("orders", received[0].token).ok());

  EXPECT_EQ(*engine_.Purge("orders"), 10);

  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 0U);
}

// Its rows stand under the number that it got where it was sent first.
TEST_F(UnreadReclaimTest, ABodyThatWasForwardedOutlivesItsQueue) {  // FWD-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "from", .forward_to = "orders"}).ok());
  Send("from", 1, 5000);

  ASSERT_TRUE(engine_.DeleteQueue("from").ok());

  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 0U);
  EXPECT_EQ(turns_.Count<EntityReclaimFinished>(), 1U);
  engine_.Restart();
  const auto received = *engine_.Receive("orders", 1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].message->message.body.size(), 5000U);
}

TEST_F(UnreadReclaimTest, ABodyOfSeveralCopiesOutlivesTheFirst) {  // TOP-8
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  for (const char* path : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
    ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = path}).ok());
  }
  Send("news", 1, 5000);

  EXPECT_EQ(*engine_.Purge("news/Subscriptions/a"), 1);
  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 1U);
  EXPECT_EQ(engine_.Receive("news/Subscriptions/b", 1)->front().message->message.body.size(),
            5000U);
  ASSERT_TRUE(engine_.Delete(EntityKind::kSubscription, "news/Subscriptions/a").ok());
  EXPECT_EQ(turns_.Count<EntityReclaimFinished>(), 1U);
}

TEST_F(UnreadReclaimTest, WhatIsScheduledIsReadFor) {  // EPR-33
  Message later = Bytes(10);
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  ASSERT_TRUE(engine_.Send("orders", {later}).ok());
  const EntityId id = IdOfQueue("orders");

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_EQ(turns_.Count<ScheduledReclaimed>(), 1U);
  EXPECT_EQ(RowsOf(Table::kScheduled, id), 0U);
}

TEST_F(UnreadReclaimTest, WhereAnOlderVersionCountedRowsAreRead) {
  Send("orders", 10);
  const LaneId lane{IdOfQueue("orders"), LaneKind::kMain};
  const auto row = memory_.View()->Get(IdOf(Table::kCounters), CountersKey(lane));
  LaneCounters counters = *DecodeCounters(**row);
  counters.knows_separate_bodies = false;
  WriteBatch batch;
  batch.Put(IdOf(Table::kCounters), CountersKey(lane), EncodeCounters(counters));
  log_.Append(std::move(batch), [](const Result<CommitIndex>&) {});
  engine_.Restart();

  EXPECT_EQ(*engine_.Purge("orders"), 10);
  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 1U);

  Send("orders", 10);
  EXPECT_EQ(*engine_.Purge("orders"), 10);
  EXPECT_EQ(turns_.Count<ShelfReclaimed>(), 1U);
}

TEST_F(UnreadReclaimTest, WhatIsSentInTheTurnOfThePurgeLeavesNoTrace) {  // PRG-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  const EntityId id = IdOfQueue("parts");
  std::optional<Result<std::int64_t>> purged;
  engine_.broker().Send("parts", std::vector<Message>(5, Bytes(10)), false,
                        [](const Result<SendReceipt>&) {});
  engine_.broker().Purge("parts", false,
                         [&](Result<std::int64_t> got) { purged = std::move(got); });

  engine_.Run();

  EXPECT_EQ(**purged, 5);
  EXPECT_EQ(RowsOf(Table::kOrder, id) + RowsOf(Table::kMessages, id), 0U);
}

// Twice as many as there are shelves.
TEST_F(UnreadReclaimTest, NoPurgeWaitsForAnother) {  // PRG-1
  for (int i = 0; i < 2 * kShelfGenerations; ++i) {
    Send("orders", 2);
    EXPECT_EQ(*engine_.Purge("orders"), 2);
  }

  EXPECT_EQ(RowsOf(Table::kMessages, IdOfQueue("orders")), 0U);
}

// A crash at any step, before the commit, behind it, or with a part of what was on its way.
class UnreadReclaimCrashTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  UnreadReclaimCrashTest() : engine_({.seed = GetParam()}) {
    EXPECT_TRUE(engine_.CreateQueue({.name = "orders"}).ok());
    EXPECT_TRUE(engine_.Send("orders", std::vector<Message>(100, Bytes(10))).ok());
    EXPECT_EQ(engine_.Receive("orders", 3)->size(), 3U);
  }
  void CrashAfterSomeSteps() {
    for (std::uint64_t step = 0; step < GetParam() % 12; ++step) engine_.Step();
    engine_.Restart();
  }

  EngineHarness engine_;
};

TEST_P(UnreadReclaimCrashTest, APurgeIsThereOrIsNot) {  // PRG-1
  engine_.broker().Purge("orders", false, [](const Result<std::int64_t>&) {});

  CrashAfterSomeSteps();

  const std::int64_t left = engine_.GetQueue("orders")->main.messages();
  EXPECT_TRUE(left == 0 || left == 100) << left;
  EXPECT_EQ(engine_.FindWrong(), "");
}

TEST_P(UnreadReclaimCrashTest, ADeletionIsThereOrIsNot) {  // EPR-33
  const EntityId id = engine_.GetQueue("orders")->record.id;
  engine_.broker().DeleteQueue("orders", [](const Result<std::monostate>&) {});

  CrashAfterSomeSteps();

  const Result<QueueSnapshot> queue = engine_.GetQueue("orders");
  const auto view = engine_.store().View();
  const bool has_rows = view->Scan(IdOf(Table::kMessages), EntityRange(id))->valid();
  EXPECT_EQ(has_rows, queue.ok());
  EXPECT_EQ(engine_.FindWrong(), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, UnreadReclaimCrashTest, ::testing::Range<std::uint64_t>(1, 40));

}  // namespace
}  // namespace wharf
