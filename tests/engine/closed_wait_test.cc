// Who waits to hear that an entity takes no more messages.

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;

class ClosedWaitTest : public ReceiverFixture {
 protected:
  using Closed = Pending<std::monostate>;

  std::shared_ptr<WaitHandle> Wait(const std::string& path, Closed& closed) {
    auto handle = broker().requests().Wait({}, AwaitClosedRequest{{path}}, closed.answer());
    engine_.Run();
    return handle;
  }
  static ErrorCode CodeOf(const Closed& closed) {
    return closed.result ? closed.result->status().code() : ErrorCode::kOk;
  }
  void MakeOther() {
    QueueDescription other;
    other.name = "other";
    ASSERT_TRUE(engine_.CreateQueue(other).ok());
  }
  void SetStatus(EntityStatus status) {
    QueueDescription orders = engine_.GetQueue("orders")->record.description;
    orders.status = status;
    ASSERT_TRUE(engine_.UpdateQueue(orders).ok());
  }
};

TEST_F(ClosedWaitTest, ItHearsThatItsEntityWasDeletedAndNotThatAnotherWas) {
  MakeOther();
  Closed of_orders;
  Closed of_other;
  const auto first = Wait("orders", of_orders);
  const auto second = Wait("other", of_other);

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_EQ(CodeOf(of_orders), ErrorCode::kMessagingEntityNotFound);
  EXPECT_FALSE(of_other.result);
  first->Cancel();  // It has heard, and hears nothing more.
  ASSERT_TRUE(engine_.DeleteQueue("other").ok());
  EXPECT_EQ(CodeOf(of_other), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(ClosedWaitTest, ItHearsThatNobodyMaySend) {
  Closed closed;
  const auto wait = Wait("orders", closed);
  SetStatus(EntityStatus::kReceiveDisabled);
  EXPECT_FALSE(closed.result);

  SetStatus(EntityStatus::kSendDisabled);

  EXPECT_EQ(CodeOf(closed), ErrorCode::kMessagingEntityDisabled);
  Closed late;
  Wait("orders", late);
  EXPECT_EQ(CodeOf(late), ErrorCode::kMessagingEntityDisabled);
}

TEST_F(ClosedWaitTest, ItHearsNothingOfADeletionThatIsNotDurable) {
  Closed closed;
  const auto wait = Wait("orders", closed);
  engine_.memory_log().Hold();
  broker().DeleteQueue("orders", [](const Result<std::monostate>&) {});
  engine_.Run();
  EXPECT_FALSE(closed.result);

  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_EQ(CodeOf(closed), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(ClosedWaitTest, ItIsAnsweredWhenItIsCancelled) {
  Closed closed;
  Closed other;
  const auto wait = Wait("orders", closed);
  const auto stays = Wait("orders", other);

  wait->Cancel();
  engine_.Run();

  ASSERT_TRUE(closed.result);
  EXPECT_TRUE(closed.result->ok());
  EXPECT_FALSE(other.result);
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  EXPECT_EQ(CodeOf(other), ErrorCode::kMessagingEntityNotFound);
}

// Who is attached and sends nothing does not use it (ADI).
TEST_F(ClosedWaitTest, ItKeepsNoEntityFromBeingIdle) {
  QueueDescription idle;
  idle.name = "idle";
  idle.auto_delete_on_idle = minutes(5);
  ASSERT_TRUE(engine_.CreateQueue(idle).ok());
  Closed closed;
  const auto wait = Wait("idle", closed);
  engine_.Advance(minutes(3));
  Closed again;
  const auto other = Wait("idle", again);

  engine_.Advance(minutes(2));

  EXPECT_EQ(CodeOf(closed), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(CodeOf(again), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(ClosedWaitTest, ItHearsThatTheBrokerStops) {
  Closed closed;
  const auto wait = Wait("orders", closed);

  engine_.shard().Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"});
  engine_.Run();

  ASSERT_TRUE(closed.result);
  EXPECT_FALSE(closed.result->ok());
}

}  // namespace
}  // namespace wharf
