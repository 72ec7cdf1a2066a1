// Who gets what, when several receivers want it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;

class FairnessTest : public ReceiverFixture {};

TEST_F(FairnessTest, ReceiversAreServedInTheOrderTheyCame) {  // STA-6
  const TestReceiver first = AttachWith(1);
  const TestReceiver second = AttachWith(1);
  const TestReceiver third = AttachWith(1);

  Send(3);

  EXPECT_THAT(first.events(), ElementsAre("1"));
  EXPECT_THAT(second.events(), ElementsAre("2"));
  EXPECT_THAT(third.events(), ElementsAre("3"));
}

TEST_F(FairnessTest, ItIsTheCreditThatStandsInLineNotTheReceiver) {  // STA-6
  const TestReceiver early = Attach();
  const TestReceiver late = AttachWith(1);
  Grant(early, 1);

  Send(2);

  EXPECT_THAT(late.events(), ElementsAre("1"));
  EXPECT_THAT(early.events(), ElementsAre("2"));
}

TEST_F(FairnessTest, WhoWasServedGoesToTheEndOfTheLine) {  // STA-6
  const TestReceiver first = AttachWith(10);
  const TestReceiver second = AttachWith(10);

  Send();
  Send();
  Send();

  EXPECT_THAT(first.events(), ElementsAre("1", "3"));
  EXPECT_THAT(second.events(), ElementsAre("2"));
}

TEST_F(FairnessTest, ALargeCreditDoesNotStarveTheOthers) {  // STA-6
  const TestReceiver greedy = AttachWith(100000);
  const TestReceiver modest = AttachWith(10);

  Send(1000);

  EXPECT_EQ(modest.events().size(), 10U);
  EXPECT_EQ(greedy.events().size(), 990U);
}

TEST_F(FairnessTest, WhoCannotTakeTheHeadDoesNotHoldUpTheLine) {
  const TestReceiver narrow = AttachWith(10, 15);
  Send();  // It holds one, and has five bytes left.
  const TestReceiver wide = AttachWith(10);

  Send(2);

  EXPECT_THAT(narrow.events(), ElementsAre("1"));
  EXPECT_THAT(wide.events(), ElementsAre("2", "3"));
}

TEST_F(FairnessTest, WaitingRequestsAndReceiversStandInOneLine) {  // STA-6
  Pending<std::vector<Delivered>> once;
  broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 1000, std::chrono::seconds(5)},
                       once.answer());
  engine_.Run();
  const TestReceiver receiver = AttachWith(1);

  Send(2);

  ASSERT_TRUE(once.result && once.result->ok());
  EXPECT_EQ((**once.result)[0].message->number, SequenceNumber(1));
  EXPECT_THAT(receiver.events(), ElementsAre("2"));
}

TEST_F(FairnessTest, SendsAreStoredInTheOrderTheyCame) {  // SND-4
  Pending<SendReceipt> sends[20];
  for (Pending<SendReceipt>& send : sends) {
    broker().Send("orders", {TenBytes()}, false, send.answer());
  }
  engine_.Run();

  std::uint64_t number = 0;
  for (Pending<SendReceipt>& send : sends) {
    EXPECT_EQ((**send.result)[0]->number.value(), ++number);
  }
}

TEST_F(FairnessTest, WhatWaitsIsPlannedInOneTurn) {
  const std::size_t before = turns_.turns.size();
  Pending<SendReceipt> sends[20];
  for (Pending<SendReceipt>& send : sends) {
    broker().Send("orders", {TenBytes()}, false, send.answer());
  }
  engine_.Run();

  EXPECT_EQ(turns_.turns.size(), before + 1);
  EXPECT_EQ(TurnRecorder::CountIn<MessageEnqueued>(turns_.turns.back()), 20U);
}

}  // namespace
}  // namespace wharf
