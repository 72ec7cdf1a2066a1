// Locks that end: many at once, or while something else is under way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LockEndTest : public ReceiverFixture {
 protected:
  // Runs what is posted, but only so many pieces of it.
  void RunOnly(int pieces) {
    engine_.work().RunUntil([&pieces] { return pieces-- == 0; });
  }
};

TEST_F(LockEndTest, ManyMayEndAtOnce) {  // LCK-6
  Send(3000);
  ASSERT_THAT(*engine_.Receive("orders", 3000), SizeIs(3000));

  engine_.Advance(seconds(30));

  EXPECT_EQ(turns_.Count<MessageReturned>(), 3000U);
  EXPECT_EQ(engine_.GetQueue("orders")->main.locked, 0);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 3000);
}

TEST_F(LockEndTest, ManyMayEndAtOnceInTheDeadLetterQueue) {  // MAX-2, DLQ-7
  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .lock_duration = seconds(30), .max_delivery_count = 1})
          .ok());
  Send(3000);
  ASSERT_THAT(*engine_.Receive("orders", 3000), SizeIs(3000));

  engine_.Advance(seconds(30));

  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  EXPECT_EQ(engine_.GetQueue("orders")->dead_letter.messages(), 3000);
}

TEST_F(LockEndTest, ASettlementThatHadToReadIsTooLate) {  // LCK-6
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  Pending<SettleReceipt> settled;
  broker().Settle("orders", {token}, {.verb = SettleVerb::kDeadLetter}, settled.answer());
  RunOnly(1);  // It was planned, and its message is being read.

  engine_.Advance(seconds(30));

  EXPECT_EQ((**settled.result)[0].code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(turns_.Count<MessageDeadLettered>(), 0U);
  EXPECT_EQ((*engine_.Receive("orders"))[0].delivery.count, 1U);
}

TEST_F(LockEndTest, ADeletedQueueIsNotReadFor) {
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  Pending<SettleReceipt> settled;
  Pending<std::monostate> deleted;
  broker().Settle("orders", {token}, {.verb = SettleVerb::kDeadLetter}, settled.answer());
  RunOnly(1);

  broker().DeleteQueue("orders", deleted.answer());
  engine_.Run();

  ASSERT_TRUE(deleted.result && deleted.result->ok());
  EXPECT_TRUE(settled.result);
}

TEST_F(LockEndTest, ARenewalInTimeHoldsOn) {  // LCK-2, LCK-3
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;

  for (int i = 0; i < 10; ++i) {
    engine_.Advance(seconds(29));
    ASSERT_TRUE(engine_.RenewLock("orders", token).ok());
  }

  EXPECT_THAT(*engine_.Receive("orders"), IsEmpty());
  EXPECT_TRUE(engine_.Complete("orders", token).ok());
}

}  // namespace
}  // namespace wharf
