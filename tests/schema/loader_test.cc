#include "broker/schema/loader.h"

#include <gtest/gtest.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"
#include "tests/harness/engine_harness.h"
#include "tests/schema/recording_store.h"
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
  EXPECT_TRUE(LoadFolderState(store)->is_new);

  ASSERT_TRUE(store.Apply(EncodeNewFolder()).ok());

  EXPECT_FALSE(LoadFolderState(store)->is_new);
  EXPECT_EQ(LoadFolderState(store)->last_committed, Timestamp());
}

TEST(LoaderTest, AFolderOfANewerFormatIsRefusedWithOneSentence) {
  MemoryStore store;
  Put(store, Table::kMeta, kMetaFormat, EncodeMeta(kFormatVersion + 1));

  const Status refused = LoadFolderState(store).status();

  EXPECT_EQ(refused.code(), ErrorCode::kGeneralError);
  EXPECT_NE(refused.message().find("newer wharfd"), std::string::npos) << refused.message();
  EXPECT_EQ(refused.message().find('\n'), std::string::npos);
}

TEST(LoaderTest, TheTimeOfTheLastCommitIsKnown) {
  EngineHarness engine;
  engine.Advance(std::chrono::seconds(5));
  ASSERT_TRUE(engine.CreateQueue(Named("orders")).ok());

  EXPECT_EQ(LoadFolderState(engine.store())->last_committed, engine.clock().Now());
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
  EXPECT_GT(image->catalog.next_id, queue.record.id);
}

TEST(LoaderTest, NeverReadsMessages) {
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue(Named("orders")).ok());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(engine.Send("orders", std::string(5000, 'x')).ok());
  const auto locked = *engine.Receive("orders", 50);
  for (int i = 0; i < 47; ++i) ASSERT_TRUE(engine.Abandon("orders", locked[i].token).ok());
  const RecordingStore store(engine.store());

  ASSERT_TRUE(LoadFolderState(store).ok());
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
  Put(store, Table::kJobs, JobKey(JobKind::kReclaimEntity, 7), EncodeReclaim());

  EXPECT_EQ(LoadBroker(store)->entities_to_reclaim, std::vector{EntityId(7)});
}

TEST(LoaderTest, ADamagedRecordIsAnErrorAndNotGuessedAt) {
  const LaneId lane{SampleEntity().id, LaneKind::kMain};
  const auto load_with = [&](Table table, const std::string& key, const std::string& value) {
    MemoryStore store;
    LaneCounters counters;
    counters.locked = 1;
    Put(store, Table::kCatalog, "orders", EncodeEntity(SampleEntity()));
    Put(store, Table::kCounters, CountersKey(lane), EncodeCounters(counters));
    EXPECT_TRUE(LoadBroker(store).ok());
    Put(store, table, key, value);
    return LoadBroker(store).status().code();
  };

  EXPECT_EQ(load_with(Table::kCatalog, "orders", "\x01"), ErrorCode::kGeneralError);
  EXPECT_EQ(load_with(Table::kCounters, CountersKey(lane), ""), ErrorCode::kGeneralError);
  const std::string locked = DeliveryKey(lane, Standing::kLocked, SequenceNumber(1));
  EXPECT_EQ(load_with(Table::kDelivery, locked, "\x09"), ErrorCode::kGeneralError);
  EXPECT_EQ(load_with(Table::kDelivery, locked + "x", ""), ErrorCode::kGeneralError);
  EXPECT_EQ(load_with(Table::kMeta, std::string(kMetaNextEntityId), "x"), ErrorCode::kGeneralError);
  EXPECT_EQ(load_with(Table::kJobs, JobKey(JobKind::kReclaimEntity, 7) + "x", EncodeReclaim()),
            ErrorCode::kGeneralError);
}

}  // namespace
}  // namespace wharf
