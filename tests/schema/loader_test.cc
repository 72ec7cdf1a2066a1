#include "broker/schema/loader.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "broker/core/entities/bucket.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"
#include "tests/harness/engine_harness.h"
#include "tests/harness/recording_store.h"
#include "tests/schema/sample_records.h"

namespace wharf {
namespace {

QueueDescription Named(const std::string& name) {
  QueueDescription queue;
  queue.name = name;
  return queue;
}

void Put(MemoryStore& store, Table table, std::string_view key, std::string_view value) {
  WriteBatch batch;
  batch.Put(IdOf(table), key, value);
  ASSERT_TRUE(store.Apply(batch).ok());
}

TEST(LoaderTest, AnEmptyFolderIsNew) {
  MemoryStore store;
  EXPECT_TRUE(LoadFolderState(store, "folder")->is_new);

  ASSERT_TRUE(store.Apply(EncodeFormat()).ok());

  EXPECT_FALSE(LoadFolderState(store, "folder")->is_new);
  EXPECT_EQ(LoadFolderState(store, "folder")->last_committed, Timestamp());
}

TEST(LoaderTest, AFolderOfANewerFormatIsRefusedWithOneSentence) {
  MemoryStore store;
  Put(store, Table::kMeta, kMetaFormat, EncodeMeta(kFormatVersion + 1));

  const Status refused = LoadFolderState(store, "/data").status();

  EXPECT_EQ(refused.code(), ErrorCode::kGeneralError);
  EXPECT_EQ(refused.message(),
            "the data folder /data has format 8, and this wharfd reads formats 2 to 7; start a "
            "newer wharfd");
}

TEST(LoaderTest, AFolderOfAnOlderFormatIsRefusedWithOneSentence) {
  MemoryStore store;
  Put(store, Table::kMeta, kMetaFormat, EncodeMeta(1));

  EXPECT_EQ(LoadFolderState(store, "/data").status().message(),
            "the data folder /data has format 1, and this wharfd reads formats 2 to 7; let the "
            "wharfd that wrote it deliver what is in it, and name an empty folder here");
}

TEST(LoaderTest, AFolderOfTheFormatBeforeIsReadAndBecomesOneOfThis) {
  MemoryStore store;
  Put(store, Table::kMeta, kMetaFormat, EncodeMeta(2));
  ASSERT_TRUE(LoadFolderState(store, "/data")->is_older);
  EXPECT_FALSE(LoadFolderState(store, "/data")->is_new);

  ASSERT_TRUE(store.Apply(EncodeFormat()).ok());

  EXPECT_FALSE(LoadFolderState(store, "/data")->is_older);
}

// Threads write it to buckets of their own.
TEST(LoaderTest, TheLastCommitIsTheLatestOfAllBuckets) {
  MemoryStore store;
  WriteBatch batch = EncodeFormat();
  EncodeCommitTime(0, Timestamp(Duration(20)), batch);
  EncodeCommitTime(128, Timestamp(Duration(30)), batch);
  EncodeCommitTime(255, Timestamp(Duration(10)), batch);
  ASSERT_TRUE(store.Apply(batch).ok());

  EXPECT_EQ(LoadFolderState(store, "folder")->last_committed, Timestamp(Duration(30)));
  EXPECT_EQ(LoadBroker(store)->last_committed, Timestamp(Duration(30)));
}

TEST(LoaderTest, NumbersGoOnBehindTheHighestOfAnyBucket) {
  MemoryStore store;
  Put(store, Table::kMeta, BucketMetaKey(3, kMetaNextEntityNumber), EncodeMeta(5));
  Put(store, Table::kMeta, BucketMetaKey(200, kMetaNextEntityNumber), EncodeMeta(9));
  Put(store, Table::kMeta, BucketMetaKey(255, kMetaNextEntityNumber), EncodeMeta(7));
  Put(store, Table::kMeta, BucketMetaKey(0, kMetaNextJobId), EncodeMeta(4));
  Put(store, Table::kMeta, BucketMetaKey(3, kMetaNextJobId), EncodeMeta(2));

  const BrokerImage image = *LoadBroker(store);
  EXPECT_EQ(image.catalog.next_number, 9U);
  EXPECT_EQ(image.next_job_id, JobId(4));
}

TEST(LoaderTest, HintsAreLookedForWhereThereEverWasAnEntity) {
  MemoryStore store;
  Put(store, Table::kMeta, BucketMetaKey(3, kMetaNextEntityNumber), EncodeMeta(5));
  Put(store, Table::kMeta, BucketMetaKey(200, kMetaNextEntityNumber), EncodeMeta(9));
  Put(store, Table::kMeta, BucketMetaKey(200, kMetaDueHandledUntil), EncodeMeta(70));
  Put(store, Table::kMeta, BucketMetaKey(0, kMetaLastCommittedTime), EncodeMeta(80));

  const std::vector<DueHandled> handled = LoadBroker(store)->due_handled;
  ASSERT_EQ(handled.size(), 2U);
  EXPECT_EQ(handled[0].bucket, 3);
  EXPECT_EQ(handled[0].time, Timestamp());
  EXPECT_EQ(handled[1].bucket, 200);
  EXPECT_EQ(handled[1].time, Timestamp(Duration(70)));
}

TEST(LoaderTest, OpenTransactionsOfAllBucketsAreFound) {
  MemoryStore store;
  std::set<TransactionId> ids;
  for (int i = 0; i < 300; ++i) {
    ids.insert("tx-" + std::to_string(i));
    const std::string id = "ended-" + std::to_string(i);
    Put(store, Table::kOutcomes, OutcomeKey(id, false), EncodeTransaction({.id = id}));
  }
  for (const TransactionId& id : ids) {
    Put(store, Table::kOutcomes, OutcomeKey(id, true), EncodeTransaction({.id = id}));
  }

  std::set<TransactionId> open;
  const Result<BrokerImage> image = LoadBroker(store);
  ASSERT_TRUE(image.ok());
  for (const TransactionRecord& each : image->open_transactions) open.insert(each.id);
  EXPECT_EQ(open, ids);
}

// A store in which the open transactions of one bucket cannot be read; as in RocksDB, a search
// forgets why the one before it failed.
class ForgetfulStore final : public Store {
 public:
  ForgetfulStore(const Store& store, Bucket bucket) : store_(store), bucket_(bucket) {}
  std::unique_ptr<StoreView> View() const override {
    return std::make_unique<ForgetfulView>(store_.View(), bucket_);
  }

 private:
  class Cursor final : public StoreCursor {
   public:
    Cursor(std::unique_ptr<StoreCursor> cursor, Bucket bucket)
        : cursor_(std::move(cursor)), bucket_(bucket) {}
    bool valid() const override { return !has_failed_ && cursor_->valid(); }
    void Next() override { cursor_->Next(); }
    void Seek(std::string_view key) override {
      has_failed_ = static_cast<Bucket>(key.front()) == bucket_;
      cursor_->Seek(key);
    }
    std::string_view key() const override { return cursor_->key(); }
    std::string_view value() const override { return cursor_->value(); }
    Status status() const override {
      if (has_failed_) return {ErrorCode::kGeneralError, "a block is damaged"};
      return cursor_->status();
    }

   private:
    const std::unique_ptr<StoreCursor> cursor_;
    const Bucket bucket_;
    bool has_failed_ = false;
  };
  class ForgetfulView final : public StoreView {
   public:
    ForgetfulView(std::unique_ptr<StoreView> view, Bucket bucket)
        : view_(std::move(view)), bucket_(bucket) {}
    Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
      return view_->Get(table, key);
    }
    std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
      std::unique_ptr<StoreCursor> cursor = view_->Scan(table, range);
      if (table != IdOf(Table::kOutcomes)) return cursor;
      return std::make_unique<Cursor>(std::move(cursor), bucket_);
    }

   private:
    const std::unique_ptr<StoreView> view_;
    const Bucket bucket_;
  };

  const Store& store_;
  const Bucket bucket_;
};

TEST(LoaderTest, OpenTransactionsThatCannotBeReadEndTheStart) {
  EngineHarness engine;
  for (const Bucket bucket : {0, 7, 255}) {
    EXPECT_EQ(LoadBroker(ForgetfulStore(engine.store(), bucket)).status().message(),
              "a block is damaged");
  }
}

TEST(LoaderTest, AnIdThatItsNameOrTheMarksContradictIsDamaged) {
  const auto load_with = [](EntityId id) {
    EngineHarness engine;
    EXPECT_TRUE(engine.CreateQueue(Named("orders")).ok());
    EntityRecord record = engine.GetQueue("orders")->record;
    record.id = id;
    MemoryStore store;
    WriteBatch batch = EncodeFormat();
    batch.Put(IdOf(Table::kCatalog), "orders", EncodeEntity(record));
    batch.Put(IdOf(Table::kMeta), BucketMetaKey(0, kMetaNextEntityNumber), EncodeMeta(10));
    EXPECT_TRUE(store.Apply(batch).ok());
    return LoadBroker(store).status();
  };
  const Bucket bucket = BucketOfPath("orders");

  EXPECT_TRUE(load_with(EntityId(bucket, 9)).ok());
  for (const EntityId id :
       {EntityId(static_cast<Bucket>(bucket + 1), 9), EntityId(bucket, 10), EntityId(bucket, 0)}) {
    EXPECT_EQ(load_with(id).message(), "the id of 'orders' is damaged");
  }
}

TEST(LoaderTest, AJobInTheBucketOfAnotherEntityIsDamaged) {
  JobRecord job;
  job.id = JobId(1);
  job.entity = EntityId(3, 1);
  job.order.verb = JobVerb::kRedrive;
  job.state = JobState::kRunning;
  for (const Bucket bucket : {3, 4}) {
    MemoryStore store;
    Put(store, Table::kJobs, JobKey(bucket, job.id), EncodeJob(job));
    EXPECT_EQ(LoadBroker(store).ok(), bucket == 3);
  }
}

TEST(LoaderTest, TheTimeOfTheLastCommitIsKnown) {
  EngineHarness engine;
  engine.Advance(std::chrono::seconds(5));
  ASSERT_TRUE(engine.CreateQueue(Named("orders")).ok());

  EXPECT_EQ(LoadFolderState(engine.store(), "folder")->last_committed, engine.clock().Now());
}

TEST(LoaderTest, LoadsCatalogCountersAndLocks) {
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue(Named("orders")).ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(engine.Send("orders", "x").ok());
  const auto locked = *engine.Receive("orders", 2);
  ASSERT_TRUE(engine.DeadLetter("orders", locked[1].token).ok());

  const Result<BrokerImage> image = LoadBroker(engine.store());

  ASSERT_TRUE(image.ok());
  ASSERT_EQ(image->catalog.queues.size(), 1U);
  const Queue::Image& queue = image->catalog.queues[0];
  EXPECT_EQ(queue.record.description, Named("orders"));
  EXPECT_EQ(queue.main.counters.fresh, 3);
  EXPECT_EQ(queue.main.counters.locked, 1);
  EXPECT_EQ(queue.main.counters.next_number, SequenceNumber(6));
  EXPECT_EQ(queue.main.counters.cursor, SequenceNumber(3));
  EXPECT_EQ(queue.dead_letter.counters.returned, 1);
  ASSERT_EQ(queue.main.locked.size(), 1U);
  EXPECT_EQ(queue.main.locked[0].token, locked[0].token);
  EXPECT_EQ(queue.main.locked[0].lock.until, locked[0].until);
  EXPECT_GT(image->catalog.next_number, queue.record.id.number());
}

TEST(LoaderTest, WhereNothingIsNoBodyIsInRowsOfItsOwn) {
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue(Named("orders")).ok());
  const LaneId lane{engine.GetQueue("orders")->record.id, LaneKind::kMain};
  const auto load_with = [&](std::int64_t fresh) {
    LaneCounters counters;
    counters.next_number = SequenceNumber(9);
    counters.fresh = fresh;
    counters.knows_separate_bodies = false;
    WriteBatch batch;
    batch.Put(IdOf(Table::kCounters), CountersKey(lane), EncodeCounters(counters));
    engine.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
    return LoadBroker(engine.store())->catalog.queues.at(0).main.counters;
  };

  EXPECT_TRUE(load_with(0).knows_separate_bodies);
  EXPECT_FALSE(load_with(1).knows_separate_bodies);
}

class LoadedSpansTest : public ::testing::Test {
 protected:
  LoadedSpansTest() {
    EXPECT_TRUE(engine_.CreateQueue(Named("orders")).ok());
    EXPECT_TRUE(engine_.CreateQueue(Named("others")).ok());
    for (int i = 0; i < 9; ++i) EXPECT_TRUE(engine_.Send("orders", "x").ok());
    shelf_ = Shelf(engine_.GetQueue("orders")->record.id, LaneKind::kMain);
  }
  void PutSpan(const Shelf& shelf, std::uint64_t first, const std::string& record) {
    WriteBatch batch;
    batch.Put(IdOf(Table::kSpans), SpanKey(shelf, SequenceNumber(first)), record);
    engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  }
  void PutSpan(const Shelf& shelf, const Span& span) {
    PutSpan(shelf, span.first.value(), EncodeSpan(span));
  }
  Queue::Image Load(const std::string& name) {
    Result<BrokerImage> image = LoadBroker(engine_.store());
    for (Queue::Image& queue : image->catalog.queues) {
      if (queue.record.description.name == name) return std::move(queue);
    }
    return {};
  }

  EngineHarness engine_;
  Shelf shelf_;
  const Span early_{SequenceNumber(1), SequenceNumber(3), Timestamp(), {SequenceNumber(2)}};
  const Span late_{SequenceNumber(7), SequenceNumber(9), Timestamp(), {}};
};

TEST_F(LoadedSpansTest, ALaneComesWithTheSpansOfItsShelf) {
  PutSpan(shelf_, early_);
  PutSpan(shelf_, late_);
  // What was purged is still being reclaimed.
  PutSpan({shelf_.entity, LaneKind::kMain, 3}, 1, "damaged");

  EXPECT_EQ(Load("orders").fence, "");
  EXPECT_EQ(Load("orders").main.spans, (std::vector{early_, late_}));
  EXPECT_TRUE(Load("others").main.spans.empty());
}

TEST_F(LoadedSpansTest, OneThatCannotBeReadFencesItsEntity) {
  PutSpan(shelf_, early_);
  PutSpan(shelf_, 7, "damaged");

  EXPECT_EQ(Load("orders").fence, "the row of a span cannot be read");
  EXPECT_TRUE(Load("orders").main.spans.empty());
  EXPECT_EQ(Load("others").fence, "");
}

TEST_F(LoadedSpansTest, ThoseThatOverlapFenceTheirEntity) {
  PutSpan(shelf_, late_);
  PutSpan(shelf_, {SequenceNumber(8), SequenceNumber(8), Timestamp(), {}});

  EXPECT_EQ(Load("orders").fence, "two spans cover the same messages");
}

// The next message would be under it.
TEST_F(LoadedSpansTest, OneOfMessagesToComeFencesItsEntity) {
  PutSpan(shelf_, {SequenceNumber(9), SequenceNumber(10), Timestamp(), {}});

  EXPECT_EQ(Load("orders").fence, "a span covers messages that were never sent");
}

TEST_F(LoadedSpansTest, OnlyLanesThatHaveAnyAreAskedForThem) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(engine_.CreateQueue(Named("queue-" + std::to_string(i))).ok());
  }
  PutSpan(shelf_, early_);
  PutSpan(shelf_, late_);
  const RecordingStore store(engine_.store());

  ASSERT_TRUE(LoadBroker(store).ok());

  EXPECT_LE(store.reads_of(IdOf(Table::kSpans)), 3U);
}

TEST(LoaderTest, NeverReadsMessages) {
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue(Named("orders")).ok());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(engine.Send("orders", std::string(5000, 'x')).ok());
  const auto locked = *engine.Receive("orders", 50);
  for (int i = 0; i < 47; ++i) ASSERT_TRUE(engine.Abandon("orders", locked[i].token).ok());
  const RecordingStore store(engine.store());

  ASSERT_TRUE(LoadFolderState(store, "folder").ok());
  ASSERT_TRUE(LoadBroker(store).ok());

  EXPECT_EQ(store.reads_of(IdOf(Table::kMessages)), 0U);
  EXPECT_EQ(store.reads_of(IdOf(Table::kBodies)), 0U);
  EXPECT_EQ(store.reads_of(IdOf(Table::kDelivery)), 3U);  // The locks; not the returned.
  EXPECT_EQ(store.reads_of(IdOf(Table::kCatalog)), 1U);
}

TEST(LoaderTest, ReadsNoDeliveriesWhereNothingIsLocked) {
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue(Named("orders")).ok());
  ASSERT_TRUE(engine.Send("orders", "x").ok());
  const RecordingStore store(engine.store());

  ASSERT_TRUE(LoadBroker(store).ok());

  EXPECT_EQ(store.reads_of(IdOf(Table::kDelivery)), 0U);
}

TEST(LoaderTest, WhatIsStillToBeReclaimedIsFound) {
  MemoryStore store;
  const EntityId one(Bucket{1}, 7);
  const EntityId other(Bucket{255}, 2);
  Put(store, Table::kJobs, ReclaimKey(JobKind::kReclaimEntity, one), EncodeReclaim());
  Put(store, Table::kJobs, ReclaimKey(JobKind::kReclaimScheduled, one), EncodeReclaim());
  Put(store, Table::kJobs, ReclaimKey(JobKind::kReclaimEntity, other), EncodeReclaim());
  Put(store, Table::kJobs, ReclaimShelfKey({other, LaneKind::kMain, 3}), EncodeReclaim());

  const BrokerImage image = *LoadBroker(store);
  EXPECT_EQ(image.entities_to_reclaim, (std::vector{one, other}));
  EXPECT_EQ(image.schedules_to_reclaim, std::vector{one});
  EXPECT_EQ(image.shelves_to_reclaim, std::vector{Shelf(other, LaneKind::kMain, 3)});
}

// Their rows are read when somebody looks at them.
TEST(LoaderTest, OfReleasedBodiesOnlyTheBucketsAreKept) {
  MemoryStore store;
  for (const Bucket bucket : {Bucket{2}, Bucket{9}}) {
    for (std::uint64_t number = 1; number <= 3; ++number) {
      const BodyRef body{EntityId(bucket, 1), SequenceNumber(number), 5000};
      Put(store, Table::kJobs, ReleasedBodyKey(body), EncodeLooseBody(body));
    }
  }

  EXPECT_EQ(LoadBroker(store)->buckets_with_released_bodies, (std::vector<Bucket>{2, 9}));
}

TEST(LoaderTest, ADamagedRecordIsAnErrorAndNotGuessedAt) {
  EntityRecord orders = SampleEntity();
  orders.id = EntityId(BucketOfPath(orders.description.name), 1);
  const auto load_with = [&](Table table, const std::string& key, const std::string& value) {
    MemoryStore store;
    Put(store, Table::kCatalog, "orders", EncodeEntity(orders));
    Put(store, Table::kMeta, BucketMetaKey(0, kMetaNextEntityNumber), EncodeMeta(2));
    EXPECT_TRUE(LoadBroker(store).ok());
    Put(store, table, key, value);
    return LoadBroker(store).status().code();
  };

  EXPECT_EQ(load_with(Table::kCatalog, "orders", "\x01"), ErrorCode::kGeneralError);
  EXPECT_EQ(load_with(Table::kMeta, BucketMetaKey(7, kMetaNextEntityNumber), "x"),
            ErrorCode::kGeneralError);
  EXPECT_EQ(load_with(Table::kMeta, BucketMetaKey(7, ""), EncodeMeta(1)), ErrorCode::kGeneralError);
  const std::string reclaim = ReclaimKey(JobKind::kReclaimEntity, EntityId(7));
  EXPECT_EQ(load_with(Table::kJobs, reclaim + "x", EncodeReclaim()), ErrorCode::kGeneralError);
  EXPECT_EQ(load_with(Table::kJobs, "\x07\x09", EncodeReclaim()), ErrorCode::kGeneralError);
}

// What contradicts itself is that entity's alone.
TEST(LoaderTest, AnEntityWhoseRowsDoNotAgreeIsFenced) {
  EntityRecord orders = SampleEntity();
  orders.id = EntityId(BucketOfPath(orders.description.name), 1);
  const LaneId lane{orders.id, LaneKind::kMain};
  const auto fence_with = [&](const std::function<void(MemoryStore&, LaneCounters&)>& damage) {
    MemoryStore store;
    LaneCounters counters;
    Put(store, Table::kCatalog, "orders", EncodeEntity(orders));
    Put(store, Table::kMeta, BucketMetaKey(0, kMetaNextEntityNumber), EncodeMeta(2));
    counters.next_number = SequenceNumber(2);
    counters.fresh = 1;
    damage(store, counters);
    if (counters.bytes != 7) {
      Put(store, Table::kCounters, CountersKey(lane), EncodeCounters(counters));
    }
    return LoadBroker(store)->catalog.queues.at(0).fence;
  };
  const std::string locked = DeliveryKey(lane, Standing::kLocked, SequenceNumber(1));
  const auto no_damage = [](MemoryStore&, LaneCounters&) {};
  const auto damaged_row = [&](MemoryStore& store, LaneCounters& counters) {
    Put(store, Table::kCounters, CountersKey(lane), "");
    counters.bytes = 7;
  };
  const auto negative = [](MemoryStore&, LaneCounters& counters) { counters.fresh = -1; };
  const auto lost_lock = [](MemoryStore&, LaneCounters& counters) { counters.locked = 1; };
  const auto damaged_lock = [&](MemoryStore& store, LaneCounters&) {
    Put(store, Table::kDelivery, locked, "\x09");
  };
  const auto behind_the_end = [](MemoryStore&, LaneCounters& counters) {
    counters.cursor = SequenceNumber(2);
  };
  const auto fenced_before = [&](MemoryStore& store, LaneCounters&) {
    Put(store, Table::kJobs, ReclaimKey(JobKind::kFence, orders.id), EncodeFence("for this"));
  };

  EXPECT_EQ(fence_with(no_damage), "");
  EXPECT_EQ(fence_with(damaged_row), "the row of its counters cannot be read");
  EXPECT_EQ(fence_with(negative), "the row of its counters cannot be read");
  EXPECT_EQ(fence_with(lost_lock), "1 locks are counted, and there are 0");
  EXPECT_EQ(fence_with(damaged_lock), "the row of a lock cannot be read");
  EXPECT_EQ(fence_with(behind_the_end),
            "messages are counted behind the last number that was given");
  EXPECT_EQ(fence_with(fenced_before), "for this");
}

}  // namespace
}  // namespace wharf
