#include "tools/client/receiver.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "tests/tools/fake_broker.h"
#include "tools/client/client.h"

namespace wharf::client {
namespace {

using testing::ElementsAre;

v1::Settlement Complete(std::int64_t number) {
  v1::Settlement settlement;
  settlement.mutable_complete();
  settlement.add_lock_tokens(FakeBroker::TokenOf(number));
  return settlement;
}

class ReceiverTest : public testing::Test {
 protected:
  std::unique_ptr<Receiver> NewReceiver(Receiver::Options options = {},
                                        Receiver::MessagesCallback on_messages = nullptr) {
    return Client(broker_.address())
        .CreateReceiver("orders", std::move(options), std::move(on_messages));
  }

  // The numbers of the messages that come until there are `count`.
  static std::vector<std::int64_t> Take(Receiver& receiver, std::size_t count) {
    std::vector<std::int64_t> numbers;
    while (numbers.size() < count) {
      const auto messages = receiver.Receive(count - numbers.size(), kUnlimited);
      if (!messages.ok()) break;
      for (const auto& message : *messages) numbers.push_back(message.sequence_number());
    }
    return numbers;
  }

  // Notes the result; read after Flush.
  Receiver::SettleCallback Note() {
    return [this](Result<SettleReceipt> receipt) { receipts_.push_back(std::move(receipt)); };
  }

  FakeBroker broker_;
  std::vector<Result<SettleReceipt>> receipts_;
};

TEST_F(ReceiverTest, MessagesAreTakenInTheirOrder) {
  broker_.AddMessages(5);
  const auto receiver = NewReceiver();

  EXPECT_THAT(Take(*receiver, 2), ElementsAre(1, 2));
  EXPECT_THAT(Take(*receiver, 3), ElementsAre(3, 4, 5));
}

TEST_F(ReceiverTest, TheStreamStartsWithItsEntityAndCredit) {
  const auto receiver = NewReceiver({.prefetch_messages = 10, .prefetch_bytes = 1000});

  EXPECT_EQ(broker_.WaitForReceive(1).start().entity_path(), "orders");
  EXPECT_EQ(broker_.WaitForReceive(2).grant().messages(), 10U);
  EXPECT_EQ(broker_.WaitForReceive(2).grant().bytes(), 1000U);
}

TEST_F(ReceiverTest, CreditIsGrantedAnewWhenHalfOfItIsUsed) {
  broker_.AddMessages(10);
  const auto receiver = NewReceiver({.prefetch_messages = 10});

  Take(*receiver, 4);
  Take(*receiver, 1);

  EXPECT_EQ(broker_.WaitForReceive(3).grant().messages(), 5U);
}

TEST_F(ReceiverTest, TheCreditGrowsWithThePrefetch) {
  const auto receiver = NewReceiver({.prefetch_messages = 1});
  broker_.WaitForReceive(2);

  receiver->RaisePrefetch(1);
  receiver->RaisePrefetch(8);

  EXPECT_EQ(broker_.WaitForReceive(3).grant().messages(), 7U);
}

TEST_F(ReceiverTest, BytesAreGrantedAnewWhenHalfOfThemAreUsed) {
  broker_.AddMessages(10);
  const auto receiver = NewReceiver({.prefetch_messages = 100, .prefetch_bytes = 1000});

  Take(*receiver, 5);

  EXPECT_EQ(broker_.WaitForReceive(3).grant().bytes(), 500U);
}

TEST_F(ReceiverTest, NeverAsksForMoreThanItsLimit) {
  broker_.AddMessages(100);
  const auto receiver = NewReceiver({.prefetch_messages = 10, .messages_max = 13});

  EXPECT_EQ(Take(*receiver, 13).size(), 13U);

  ASSERT_TRUE(receiver->Stop().ok());
  EXPECT_EQ(broker_.WaitForReceive(2).grant().messages(), 10U);
  EXPECT_EQ(broker_.WaitForReceive(3).grant().messages(), 3U);
  EXPECT_TRUE(broker_.WaitForReceive(4).has_stop());
}

TEST_F(ReceiverTest, BytesAreGrantedAnewWhenAllMessagesAreGrantedAlready) {
  broker_.AddMessages(10);
  const auto receiver =
      NewReceiver({.prefetch_messages = 100, .prefetch_bytes = 1000, .messages_max = 20});

  Take(*receiver, 5);

  EXPECT_EQ(broker_.WaitForReceive(2).grant().messages(), 20U);
  EXPECT_EQ(broker_.WaitForReceive(3).grant().messages(), 0U);
  EXPECT_EQ(broker_.WaitForReceive(3).grant().bytes(), 500U);
}

TEST_F(ReceiverTest, SettlementsThatWaitShareARequest) {
  broker_.AddMessages(5);
  const auto receiver = NewReceiver({}, [this](Receiver& receiver, v1::Deliveries& deliveries) {
    for (const auto& message : deliveries.messages()) {
      receiver.Settle(Complete(message.sequence_number()), Note());
    }
  });

  const v1::ReceiveStreamRequest settle = broker_.WaitForReceive(3);

  EXPECT_EQ(settle.settle().settlement().lock_tokens_size(), 5);
  ASSERT_TRUE(receiver->Flush().ok());
  ASSERT_EQ(receipts_.size(), 5U);
  for (const auto& receipt : receipts_) EXPECT_EQ(receipt->settled_count, 1U);
}

TEST_F(ReceiverTest, DifferentVerbsTravelApart) {
  broker_.AddMessages(2);
  const auto receiver = NewReceiver({}, [this](Receiver& receiver, v1::Deliveries&) {
    receiver.Settle(Complete(1), Note());
    v1::Settlement abandon;
    abandon.mutable_abandon();
    abandon.add_lock_tokens(FakeBroker::TokenOf(2));
    receiver.Settle(std::move(abandon), Note());
  });

  EXPECT_TRUE(broker_.WaitForReceive(3).settle().settlement().has_complete());
  EXPECT_TRUE(broker_.WaitForReceive(4).settle().settlement().has_abandon());
}

TEST_F(ReceiverTest, DefersWithDifferentPropertiesTravelApart) {
  const auto defer = [](std::int64_t number, std::int64_t mark) {
    v1::Settlement settlement;
    (*settlement.mutable_defer()->mutable_properties_to_modify())["mark"].set_int64_value(mark);
    settlement.add_lock_tokens(FakeBroker::TokenOf(number));
    return settlement;
  };
  broker_.AddMessages(2);
  const auto receiver = NewReceiver({}, [&](Receiver& receiver, v1::Deliveries&) {
    receiver.Settle(defer(1, 17), Note());
    receiver.Settle(defer(2, 18), Note());
  });

  const auto mark_of = [](const v1::ReceiveStreamRequest& request) {
    return request.settle().settlement().defer().properties_to_modify().at("mark").int64_value();
  };
  EXPECT_EQ(mark_of(broker_.WaitForReceive(3)), 17);
  EXPECT_EQ(mark_of(broker_.WaitForReceive(4)), 18);
}

TEST_F(ReceiverTest, AFailureReachesTheSettlementOfItsToken) {
  broker_.LoseLock(FakeBroker::TokenOf(2));
  broker_.AddMessages(3);
  const auto receiver = NewReceiver({}, [this](Receiver& receiver, v1::Deliveries& deliveries) {
    for (const auto& message : deliveries.messages()) {
      receiver.Settle(Complete(message.sequence_number()), Note());
    }
  });
  broker_.WaitForReceive(3);

  ASSERT_TRUE(receiver->Flush().ok());

  ASSERT_EQ(receipts_.size(), 3U);
  EXPECT_EQ(receipts_[0]->settled_count, 1U);
  EXPECT_EQ(receipts_[1]->settled_count, 0U);
  ASSERT_EQ(receipts_[1]->failures.size(), 1U);
  EXPECT_EQ(ToStatus(receipts_[1]->failures[0].error()).code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(receipts_[2]->settled_count, 1U);
}

TEST_F(ReceiverTest, DrainTellsTheCreditThatWasLeft) {
  broker_.AddMessages(3);
  const auto receiver = NewReceiver({.prefetch_messages = 10});

  const Result<std::uint32_t> left = receiver->Drain();

  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, 7U);
  EXPECT_EQ(receiver->Receive(10, Duration(0))->size(), 3U);
}

TEST_F(ReceiverTest, ResumeGrantsTheCreditAnewThatDrainThrewAway) {
  const auto receiver = NewReceiver({.prefetch_messages = 10, .messages_max = 12});
  ASSERT_TRUE(receiver->Drain().ok());
  broker_.AddMessages(20);

  receiver->Resume();

  EXPECT_EQ(Take(*receiver, 12).size(), 12U);
  EXPECT_EQ(broker_.WaitForReceive(4).grant().messages(), 10U);
  EXPECT_EQ(broker_.WaitForReceive(5).grant().messages(), 2U);
}

TEST_F(ReceiverTest, AfterADrainNothingIsGrantedUntilResume) {
  broker_.AddMessages(3);
  const auto receiver = NewReceiver({.prefetch_messages = 4});
  ASSERT_TRUE(receiver->Drain().ok());

  EXPECT_EQ(Take(*receiver, 3).size(), 3U);

  ASSERT_TRUE(receiver->Drain().ok());
  EXPECT_TRUE(broker_.WaitForReceive(3).has_drain());
  EXPECT_TRUE(broker_.WaitForReceive(4).has_drain());
}

TEST_F(ReceiverTest, BytesThatADrainThrewAwayAreGrantedAnew) {
  const auto receiver = NewReceiver({.prefetch_messages = 10, .prefetch_bytes = 1000});
  ASSERT_TRUE(receiver->Drain().ok());

  receiver->Resume();

  EXPECT_EQ(broker_.WaitForReceive(4).grant().bytes(), 1000U);
}

TEST_F(ReceiverTest, ALargeMessageIsPutTogetherFromItsChunks) {
  const std::string body((1 << 20) + 100, 'x');
  broker_.AddLargeMessage(body);
  const auto receiver = NewReceiver();

  const auto messages = receiver->Receive(1, kUnlimited);

  ASSERT_TRUE(messages.ok());
  ASSERT_EQ(messages->size(), 1U);
  EXPECT_EQ(messages->front().sequence_number(), 1);
  EXPECT_EQ(messages->front().message().body(), body);
}

TEST_F(ReceiverTest, TheStartSaysWhichSession) {
  const auto receiver = NewReceiver({.session = NamedSession{"red"}});

  EXPECT_EQ(broker_.WaitForReceive(1).start().session_id(), "red");
}

TEST_F(ReceiverTest, ASessionThatWasAcceptedIsWaitedFor) {
  broker_.AcceptSession("red");
  broker_.AddMessages(1);
  const auto receiver = NewReceiver({.session = NextSession{}});

  const Result<v1::AcceptedSession> session = receiver->WaitForSession();

  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->session_id(), "red");
  EXPECT_THAT(Take(*receiver, 1), ElementsAre(1));
}

TEST_F(ReceiverTest, TheWaitForASessionEndsWithTheStream) {
  const auto receiver = NewReceiver({.session = NextSession{}});
  broker_.WaitForReceive(2);

  broker_.Break();

  EXPECT_FALSE(receiver->WaitForSession().ok());
}

TEST_F(ReceiverTest, SessionsAreToldOfAroundTheirMessages) {
  broker_.AcceptSession("red");
  broker_.AddMessages(1);
  broker_.EndSession("red");
  std::vector<std::string> heard;
  const auto receiver =
      Client(broker_.address())
          .CreateReceiver("orders", {.session = ManySessions{}},
                          [&](Receiver&, v1::Deliveries&) { heard.emplace_back("message"); },
                          {.on_accepted =
                               [&](Receiver&, const v1::AcceptedSession& session) {
                                 heard.push_back("accepted " + session.session_id());
                               },
                           .on_ended =
                               [&](Receiver&, const v1::SessionEnded& session) {
                                 heard.push_back("ended " + session.session_id());
                               }});

  ASSERT_TRUE(receiver->Stop().ok());

  EXPECT_THAT(heard, ElementsAre("accepted red", "message", "ended red"));
}

TEST_F(ReceiverTest, NoMessageInTimeIsAnEmptyAnswer) {
  const auto receiver = NewReceiver();

  const auto messages = receiver->Receive(1, Duration(0));

  ASSERT_TRUE(messages.ok());
  EXPECT_TRUE(messages->empty());
}

// Each answer makes the stream look for something to write, on another thread than the one that
// hears that the stream is half closed.
TEST_F(ReceiverTest, AnswersMayComeWhileTheStreamEnds) {
  constexpr int kRounds = 100;
  constexpr int kAnswers = 1000;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kAnswers; ++i) broker_.EndSession("red");
    std::atomic<int> heard = 0;
    {
      const auto receiver =
          Client(broker_.address())
              .CreateReceiver("orders", {.session = ManySessions{}}, nullptr,
                              {.on_ended = [&](Receiver&, const v1::SessionEnded&) { ++heard; }});
      while (heard == 0) std::this_thread::yield();
    }
    EXPECT_EQ(heard, kAnswers);
  }
}

TEST_F(ReceiverTest, InterruptEndsTheWait) {
  const auto receiver = NewReceiver();
  std::thread interrupter([&] { receiver->Interrupt(); });

  const auto messages = receiver->Receive(1, kUnlimited);

  interrupter.join();
  ASSERT_TRUE(messages.ok());
  EXPECT_TRUE(messages->empty());
}

TEST_F(ReceiverTest, ABrokenStreamLeavesTheOutcomeOfASettlementUnknown) {
  broker_.HoldSettlements();
  const auto receiver = NewReceiver();
  receiver->Settle(Complete(1), Note());
  broker_.WaitForReceive(3);

  broker_.Break();

  EXPECT_FALSE(receiver->Flush().ok());
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_EQ(receipts_[0].status().outcome(), Outcome::kUnknown);
}

TEST_F(ReceiverTest, ABrokenStreamEndsTheWaitWithItsReason) {
  const auto receiver = NewReceiver();
  broker_.WaitForReceive(2);

  broker_.Break();

  EXPECT_FALSE(receiver->Receive(1, kUnlimited).ok());
  EXPECT_FALSE(receiver->Drain().ok());
}

}  // namespace
}  // namespace wharf::client
