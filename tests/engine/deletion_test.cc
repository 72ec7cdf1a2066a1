// A deleted queue is gone at once for everyone; its rows go in steps, restart or not.

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/job_rows.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;

class DeletionTest : public ReceiverFixture {
 protected:
  // Messages fresh, locked, returned and dead, some with bodies in rows of their own.
  void Fill() {
    std::vector<Message> messages(3000, TenBytes());
    for (std::size_t i = 0; i < messages.size(); i += 500) {
      messages[i].body = std::string(300000, 'x');
    }
    ASSERT_TRUE(engine_.Send("orders", messages).ok());
    const auto locked = *engine_.Receive("orders", 4);
    ASSERT_TRUE(engine_.DeadLetter("orders", locked[0].token).ok());
    ASSERT_TRUE(engine_.DeadLetter("orders", locked[1].token).ok());
    ASSERT_TRUE(engine_.Abandon("orders", locked[2].token).ok());
    id_ = engine_.GetQueue("orders")->record.id;
  }

  std::size_t RowsOf(Table table, const KeyRange& range) {
    const auto view = engine_.store().View();
    std::size_t count = 0;
    for (const auto rows = view->Scan(IdOf(table), range); rows->valid(); rows->Next()) ++count;
    return count;
  }
  // Rows in which the queue is still seen.
  std::size_t RowsLeft() {
    std::size_t count = KeysOfJobs(*engine_.store().View(), JobKind::kReclaimEntity).size();
    for (const Table table :
         {Table::kCounters, Table::kMessages, Table::kBodies, Table::kDelivery}) {
      count += RowsOf(table, EntityRange(id_));
    }
    return count;
  }
  void RunUntilReclaiming() {
    Pending<std::monostate> deleted;
    broker().DeleteQueue("orders", deleted.answer());
    engine_.work().RunUntil([this] { return turns_.Count<ShelfReclaimed>() == 1; });
    EXPECT_TRUE(deleted.result && deleted.result->ok());
  }

  EntityId id_;
};

TEST_F(DeletionTest, EveryRowGoesInSteps) {  // EPR-33
  Fill();
  ASSERT_GT(RowsLeft(), 3000U);

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_EQ(RowsLeft(), 0U);
  EXPECT_GE(turns_.Count<ShelfReclaimed>(), 4U);  // At most 1024 messages a step, two lanes.
  EXPECT_EQ(turns_.Count<EntityReclaimFinished>(), 1U);
}

TEST_F(DeletionTest, ItGoesOnAfterARestart) {  // EPR-33
  Fill();
  RunUntilReclaiming();
  ASSERT_GT(RowsLeft(), 1000U);

  engine_.Restart();

  EXPECT_EQ(RowsLeft(), 0U);
  EXPECT_EQ(engine_.GetQueue("orders").status().code(), ErrorCode::kMessagingEntityNotFound);

  // Done is done.
  engine_.Restart();
  EXPECT_EQ(turns_.Count<EntityReclaimFinished>(), 1U);
}

TEST_F(DeletionTest, ANewQueueOfTheNameIsNotTouchedByIt) {  // EPR-33
  Fill();
  RunUntilReclaiming();

  Pending<QueueSnapshot> created;
  broker().CreateQueue({.name = "orders"}, created.answer());
  Pending<SendReceipt> sent;
  broker().Send("orders", {TenBytes()}, false, sent.answer());
  engine_.Run();

  EXPECT_EQ(RowsLeft(), 0U);
  EXPECT_EQ((**sent.result)[0]->number.value(), 1U);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 1);
  engine_.Restart();
  EXPECT_EQ(engine_.Peek("orders")->messages.size(), 1U);
}

TEST_F(DeletionTest, ItsReceiversEnd) {
  const TestReceiver receiver = AttachWith(1);
  const TestReceiver dead = Attach(ReceiveMode::kPeekLock, "orders/$DeadLetterQueue");
  Pending<std::vector<Delivered>> once;
  broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 10, std::chrono::seconds(20)},
                       once.answer());
  engine_.Run();

  ASSERT_TRUE(engine_.DeleteQueue("ORDERS").ok());

  EXPECT_THAT(receiver.events(), ElementsAre("detached MessagingEntityNotFound"));
  EXPECT_THAT(dead.events(), ElementsAre("detached MessagingEntityNotFound"));
  EXPECT_EQ(once.result->status().code(), ErrorCode::kMessagingEntityNotFound);
}

// Ten times as many as end in a turn.
class ManyReceiversDeletionTest : public DeletionTest {
 protected:
  static constexpr std::size_t kReceivers = 10 * Turn::kEndingsMax;

  ManyReceiversDeletionTest() {
    for (std::size_t i = 0; i < kReceivers; ++i) {
      sinks_.push_back(std::make_shared<CountingSink>(ended_));
      broker().Attach({"orders", ReceiveMode::kPeekLock}, sinks_.back(),
                      [](const Result<AttachedReceiver>& attached) {
                        EXPECT_TRUE(attached.ok()) << attached.status().ToString();
                      });
    }
    engine_.Run();
    broker().DeleteQueue("orders", deleted_.answer());
  }
  void ExpectAllHeardOnce() {
    EXPECT_EQ(ended_, kReceivers);
    for (const auto& sink : sinks_) EXPECT_EQ(sink->times(), 1);
  }

  std::size_t ended_ = 0;
  std::vector<std::shared_ptr<CountingSink>> sinks_;
  Pending<std::monostate> deleted_;
};

TEST_F(ManyReceiversDeletionTest, ItsReceiversEndInSeveralTurns) {
  EXPECT_EQ(MostHeardAtOnce(ended_), Turn::kEndingsMax);
  EXPECT_TRUE(deleted_.result && deleted_.result->ok());
  ExpectAllHeardOnce();
}

TEST_F(ManyReceiversDeletionTest, ANewQueueOfTheNameKeepsItsOwn) {
  Pending<QueueSnapshot> created;
  broker().CreateQueue({.name = "orders"}, created.answer());
  engine_.work().RunUntil([&] { return created.result.has_value(); });
  ASSERT_LT(ended_, kReceivers);
  const TestReceiver receiver = AttachWith(1);
  Send();

  ExpectAllHeardOnce();
  EXPECT_THAT(receiver.events(), ElementsAre("1"));
}

TEST_F(ManyReceiversDeletionTest, WhenTheBrokerStopsMeanwhileAllHear) {
  engine_.work().RunUntil([this] { return ended_ > 0; });
  ASSERT_LT(ended_, kReceivers);
  engine_.shard().Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"});
  engine_.Run();

  ExpectAllHeardOnce();
}

TEST_F(DeletionTest, LocksOfItEndWithoutATrace) {
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  turns_.turns.clear();

  engine_.Advance(std::chrono::hours(1));

  EXPECT_THAT(turns_.turns, ::testing::Each(::testing::IsEmpty()));
  EXPECT_EQ(engine_.Complete("orders", token).code(), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(DeletionTest, AnEmptyQueueLeavesNothingEither) {
  id_ = engine_.GetQueue("orders")->record.id;

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_EQ(RowsLeft(), 0U);
}

}  // namespace
}  // namespace wharf
