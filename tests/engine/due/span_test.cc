// Messages that were counted out together, and whose rows are still there, or partly gone: nobody
// sees, gets or counts them.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "tests/harness/engine_harness.h"
#include "tests/harness/span_maker.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Numbers = std::vector<std::uint64_t>;

constexpr const char* kOrders = "orders";

// How a queue keeps its messages, and whether compactions come to what was counted out.
struct Kind {
  std::string name;
  QueueDescription queue;
  bool drops_garbage = false;
  bool is_on_disk = false;
};

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds;
  const auto add = [&kinds](const std::string& suffix, bool drops, bool is_on_disk) {
    const QueueDescription plain{.name = kOrders};
    const QueueDescription levels{.name = kOrders, .enable_priority = true};
    const QueueDescription partitions{.name = kOrders, .enable_partitioning = true};
    kinds.push_back({"Plain" + suffix, plain, drops, is_on_disk});
    kinds.push_back({"Levels" + suffix, levels, drops, is_on_disk});
    kinds.push_back({"Partitions" + suffix, partitions, drops, is_on_disk});
  };
  add("NotDropped", false, false);
  add("Dropped", true, false);
  add("DroppedOnDisk", true, true);
  return kinds;
}

class SpanTest : public ::testing::TestWithParam<Kind> {
 protected:
  SpanTest() { EXPECT_TRUE(engine_.CreateQueue(GetParam().queue).ok()); }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  // All in one partition, where there are any. The number of the first is `base()` + 1.
  void Send(int count) {
    for (int i = 0; i < count; ++i) {
      Message message;
      message.body = "x";
      if (GetParam().queue.enable_partitioning) message.partition_key = "key";
      const auto sent = engine_.Send(kOrders, {std::move(message)});
      ASSERT_TRUE(sent.ok());
      if (!base_) base_ = (*sent)[0]->number.value() - 1;
    }
  }
  SequenceNumber At(std::uint64_t place) const { return SequenceNumber(*base_ + place); }
  std::uint64_t PlaceOf(SequenceNumber number) const { return number.value() - *base_; }
  Shelf ShelfNow() {
    const QueueSnapshot queue = *engine_.GetQueue(kOrders);
    return {queue.record.id, LaneKind::kMain, queue.main.generation};
  }
  void Commit(WriteBatch batch) {
    engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  }

  // Counts out what is fresh from one place to another; the broker begins anew, and perhaps all
  // rows below go.
  void CountOutUntil(std::uint64_t first, std::uint64_t last, const Numbers& exceptions = {}) {
    Span span{At(first), At(last), engine_.clock().Now(), {}};
    for (const std::uint64_t each : exceptions) span.exceptions.push_back(At(each));
    Commit(CountOut(engine_.store(), ShelfNow(), span));
    engine_.Restart();
    if (GetParam().drops_garbage) engine_.DropAllGarbage();
  }

  Numbers Peek(PeekFilter filter = PeekFilter::kAll, const std::string& sql = "") {
    Numbers places;
    std::uint64_t from = 0;
    for (;;) {
      const auto page = engine_.Peek(kOrders, from, 2, filter, std::nullopt, sql);
      EXPECT_TRUE(page.ok()) << page.status().ToString();
      for (const PeekedMessage& each : page->messages) {
        places.push_back(PlaceOf(each.message->number));
      }
      if (!page->next) return places;
      from = page->next->value();
    }
  }
  Numbers ReceiveAll() {
    Numbers places;
    for (;;) {
      const auto got = engine_.Receive(kOrders, 3, ReceiveMode::kReceiveAndDelete);
      EXPECT_TRUE(got.ok()) << got.status().ToString();
      if (got->empty()) return places;
      for (const Delivered& each : *got) places.push_back(PlaceOf(each.message->number));
    }
  }
  std::vector<std::string> Differences(bool repairs = false) {
    const Result<RecountReport> report = engine_.Check(kOrders, repairs);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    std::vector<std::string> names;
    for (const RecountDifference& each : report->differences) names.push_back(each.what);
    return names;
  }
  std::size_t RowsBelow(Table table) {
    const auto view = engine_.store().View();
    std::size_t count = 0;
    const auto rows = view->Scan(IdOf(table), EntityRange(ShelfNow().entity));
    for (; rows->valid(); rows->Next()) ++count;
    return count;
  }

  EngineHarness engine_{
      {.seed = 4, .drops_garbage = GetParam().drops_garbage, .is_on_disk = GetParam().is_on_disk}};
  std::optional<std::uint64_t> base_;
};

TEST_P(SpanTest, NobodySeesThem) {  // PEEK-1, STA-1
  Send(10);
  CountOutUntil(2, 8, {5, 6});

  EXPECT_EQ(engine_.GetQueue(kOrders)->main.fresh, 5);
  EXPECT_THAT(Peek(), ElementsAre(1, 5, 6, 9, 10));
  EXPECT_THAT(Peek(PeekFilter::kActive), ElementsAre(1, 5, 6, 9, 10));
  EXPECT_THAT(Peek(PeekFilter::kAll, "sys.MessageId IS NULL"), ElementsAre(1, 5, 6, 9, 10));
  EXPECT_THAT(Differences(), IsEmpty());
}

TEST_P(SpanTest, TheirRowsGoWhereCompactionsCome) {
  Send(10);
  CountOutUntil(2, 8, {5, 6});

  EXPECT_EQ(RowsBelow(Table::kMessages), GetParam().drops_garbage ? 5U : 10U);
}

TEST_P(SpanTest, NobodyGetsThem) {
  Send(10);
  CountOutUntil(2, 8, {5, 6});

  EXPECT_EQ(engine_.ReceiveOne(kOrders, At(3).value()).status().code(),
            ErrorCode::kMessageNotFound);
  ASSERT_TRUE(engine_.ReceiveOne(kOrders, At(5).value(), ReceiveMode::kReceiveAndDelete).ok());
  EXPECT_THAT(ReceiveAll(), ElementsAre(1, 6, 9, 10));
  EXPECT_EQ(engine_.GetQueue(kOrders)->main.messages(), 0);
  EXPECT_THAT(Peek(), IsEmpty());
}

// The first may be the one at which a window begins.
TEST_P(SpanTest, ALaneMayBeginAndEndWithThem) {
  Send(6);
  CountOutUntil(1, 3);
  CountOutUntil(5, 6);
  Send(2);

  EXPECT_THAT(ReceiveAll(), ElementsAre(4, 7, 8));
  EXPECT_THAT(Differences(), IsEmpty());
}

TEST_P(SpanTest, OfALaneWithNothingElseNothingIsLeft) {
  Send(6);
  CountOutUntil(1, 6);

  EXPECT_THAT(ReceiveAll(), IsEmpty());
  EXPECT_THAT(Peek(), IsEmpty());
  Send(1);
  EXPECT_THAT(ReceiveAll(), ElementsAre(7));
}

TEST_P(SpanTest, AJobPassesThem) {  // PRG-2
  Send(10);
  CountOutUntil(2, 8, {5});

  EXPECT_EQ(*engine_.DeleteOldest(kOrders, 2), 2);
  EXPECT_THAT(Peek(), ElementsAre(9, 10));
  const JobRecord job = *engine_.BeginJob({.verb = JobVerb::kDeleteMessages, .path = kOrders});
  EXPECT_EQ(engine_.GetJob(job.id)->done, 2);
  EXPECT_EQ(engine_.GetQueue(kOrders)->main.messages(), 0);
}

TEST_P(SpanTest, WhatIsBesideThemGoesItsWay) {
  Send(6);
  const auto first = engine_.Receive(kOrders, 2);
  ASSERT_TRUE(engine_.Abandon(kOrders, first->at(0).token).ok());
  ASSERT_TRUE(engine_.DeadLetter(kOrders, first->at(1).token).ok());
  CountOutUntil(3, 5);

  EXPECT_THAT(Peek(), ElementsAre(1, 6));
  EXPECT_THAT(ReceiveAll(), UnorderedElementsAre(1, 6));
  EXPECT_EQ(engine_.GetQueue(kOrders)->dead_letter.messages(), 1);
}

TEST_P(SpanTest, APurgeEndsThem) {  // PRG-1
  Send(6);
  CountOutUntil(2, 4);

  EXPECT_EQ(*engine_.Purge(kOrders), 3);

  EXPECT_EQ(RowsBelow(Table::kMessages), 0U);
  EXPECT_EQ(RowsBelow(Table::kOrder), 0U);
  EXPECT_EQ(RowsBelow(Table::kSpans), 0U);
  Send(2);
  EXPECT_THAT(ReceiveAll(), ElementsAre(7, 8));
}

// What has bodies of its own is read before it goes.
TEST_P(SpanTest, APurgeThatReadsEndsThemToo) {  // PRG-1
  Send(3);
  CountOutUntil(2, 3);
  Message large;
  large.body = std::string(5000, 'x');
  if (GetParam().queue.enable_partitioning) large.partition_key = "key";
  ASSERT_TRUE(engine_.Send(kOrders, {large}).ok());

  EXPECT_EQ(*engine_.Purge(kOrders), 2);

  EXPECT_EQ(RowsBelow(Table::kMessages), 0U);
  EXPECT_EQ(RowsBelow(Table::kBodies), 0U);
  EXPECT_EQ(RowsBelow(Table::kSpans), 0U);
}

// 64 purges later.
TEST_P(SpanTest, AShelfThatIsUsedAgainIsNotHaunted) {
  Send(3);
  CountOutUntil(1, 3);
  for (int purge = 0; purge < kShelfGenerations; ++purge) {
    Send(1);
    ASSERT_TRUE(engine_.Purge(kOrders).ok());
  }
  Send(2);

  EXPECT_EQ(ShelfNow().generation, 0);
  EXPECT_THAT(ReceiveAll(), ElementsAre(68, 69));
}

TEST_P(SpanTest, ADeletionEndsThem) {  // EPR-33
  Send(6);
  CountOutUntil(2, 4);
  const EntityId entity = ShelfNow().entity;

  ASSERT_TRUE(engine_.DeleteQueue(kOrders).ok());

  const auto view = engine_.store().View();
  for (const Table table : {Table::kMessages, Table::kOrder, Table::kSpans}) {
    EXPECT_FALSE(view->Scan(IdOf(table), EntityRange(entity))->valid());
  }
}

TEST_P(SpanTest, ACheckTellsOfARowInDeliveryThatNobodyNeeds) {
  Send(6);
  CountOutUntil(2, 4);
  const std::string key = DeliveryKey(ShelfNow(), Standing::kDeferred, At(3));
  WriteBatch batch;
  batch.Put(IdOf(Table::kDelivery), key, EncodeReturned(Delivery(), MessageFacts()));
  Commit(std::move(batch));

  EXPECT_THAT(Differences(), ElementsAre("delivery_rows_of_expired"));
  EXPECT_THAT(Differences(true), ElementsAre("delivery_rows_of_expired"));
  EXPECT_THAT(Differences(), IsEmpty());
}

// Numbers that were counted out were given, also if no other row tells of them.
TEST_P(SpanTest, ARepairGivesNoNumberThatIsCovered) {
  Send(3);
  const Shelf shelf = ShelfNow();
  WriteBatch batch;
  const std::uint64_t far = At(1).value() + 1'000'000;
  const Span span{At(2), SequenceNumber(far), engine_.clock().Now(), {}};
  batch.Put(IdOf(Table::kSpans), SpanKey(shelf, span.first), EncodeSpan(span));
  Commit(std::move(batch));
  engine_.Restart();
  ASSERT_EQ(engine_.GetQueue(kOrders)->fence, "a span covers messages that were never sent");
  EXPECT_THAT(Differences(), ::testing::Contains("spans_too_far"));

  Differences(true);

  EXPECT_EQ(engine_.GetQueue(kOrders)->fence, "");
  EXPECT_THAT(ReceiveAll(), ElementsAre(1));
  Send(1);
  EXPECT_EQ(ReceiveAll(), Numbers{PlaceOf(SequenceNumber(far + 1))});
}

INSTANTIATE_TEST_SUITE_P(All, SpanTest, ::testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace wharf
