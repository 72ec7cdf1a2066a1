#include "tools/client/reconnecting_sender.h"

#include <optional>
#include <thread>

#include <gmock/gmock.h>

#include "tests/tools/fake_broker.h"

namespace wharf::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

v1::Message WithBody(std::string body) {
  v1::Message message;
  message.set_body(std::move(body));
  return message;
}

class ReconnectingSenderTest : public testing::Test {
 protected:
  // Whose broker is there again as soon as it is missed.
  ReconnectingSender& NewSender(Duration patience = 30s) {
    return sender_.emplace(client_, "orders", SenderOptions(),
                           ReconnectOptions{.patience = patience,
                                            .on_lost =
                                                [this](const Status&) {
                                                  ++lost_;
                                                  if (mends_) broker_.Mend();
                                                },
                                            .on_back = [this] { ++back_; }});
  }

  // Notes the result; read after Flush.
  Sender::Callback Note() {
    return [this](Result<SendReceipt> receipt) {
      statuses_.push_back(receipt.status());
      if (receipt.ok()) numbers_.push_back(receipt->sequence_number);
    };
  }

  std::string BodyOfSend(std::size_t number) {
    return broker_.WaitForSend(number).send().messages(0).body();
  }

  FakeBroker broker_;
  Client client_{broker_.address()};
  bool mends_ = true;
  std::atomic<int> lost_ = 0;
  std::atomic<int> back_ = 0;
  std::vector<Status> statuses_;
  std::vector<std::int64_t> numbers_;
  std::optional<ReconnectingSender> sender_;
};

TEST_F(ReconnectingSenderTest, WhatAStoppingBrokerRefusedIsSentAgainInItsOrder) {
  ReconnectingSender& sender = NewSender();
  broker_.StopInOrder();
  for (int i = 1; i <= 300; ++i) sender.Send(WithBody(std::to_string(i)), Note());

  ASSERT_TRUE(sender.Flush().ok());

  ASSERT_EQ(numbers_.size(), 300U);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(numbers_[i], i + 1);
  EXPECT_EQ(lost_, 1);
  EXPECT_EQ(back_, 1);
}

TEST_F(ReconnectingSenderTest, WhatHasNoReceiptWhenABrokerStopsInOrderIsSentAgain) {
  broker_.HoldReceipts();
  ReconnectingSender& sender = NewSender();
  sender.Send(WithBody("1"), Note());
  broker_.WaitForSend(1);

  broker_.EndInOrder();
  broker_.ReleaseReceipts();

  ASSERT_TRUE(sender.Flush().ok());
  EXPECT_THAT(numbers_, ElementsAre(1));
  EXPECT_EQ(BodyOfSend(2), "1");
}

TEST_F(ReconnectingSenderTest, WhatWasUnderWayWhenTheConnectionBrokeIsNotSentAgain) {
  broker_.HoldReceipts();
  ReconnectingSender& sender = NewSender();
  sender.Send(WithBody("1"), Note());
  broker_.WaitForSend(1);
  broker_.Break();
  EXPECT_FALSE(sender.Flush().ok());
  broker_.ReleaseReceipts();

  sender.Send(WithBody("2"), Note());

  ASSERT_TRUE(sender.Flush().ok());
  ASSERT_EQ(statuses_.size(), 2U);
  EXPECT_EQ(statuses_[0].outcome(), Outcome::kUnknown);
  EXPECT_TRUE(statuses_[1].ok());
  EXPECT_EQ(broker_.send_count(), 2U);
  EXPECT_EQ(BodyOfSend(2), "2");
}

TEST_F(ReconnectingSenderTest, ALargeMessageIsSentAgainWhole) {
  const std::string body((1 << 20) + 100, 'x');
  broker_.HoldReceipts();
  ReconnectingSender& sender = NewSender();
  v1::Message message = WithBody(body);
  message.set_subject("large");
  sender.Send(std::move(message), Note());
  broker_.WaitForSend(1);

  broker_.EndInOrder();
  broker_.ReleaseReceipts();
  std::thread flush([&] { EXPECT_FALSE(sender.Flush().ok()); });

  std::size_t number = 2;
  while (!broker_.WaitForSend(number).has_header()) ++number;  // What was on its way before.
  EXPECT_EQ(broker_.WaitForSend(number).header().message().subject(), "large");
  std::string arrived;
  for (int i = 1; i <= 5; ++i) arrived += broker_.WaitForSend(number + i).chunk().data();
  EXPECT_TRUE(arrived == body);
  mends_ = false;
  broker_.Break();
  sender.Interrupt();
  flush.join();
}

TEST_F(ReconnectingSenderTest, WhenThePatienceIsOverEverythingEndsNotDone) {
  mends_ = false;
  ReconnectingSender& sender = NewSender(200ms);
  broker_.StopInOrder();
  sender.Send(WithBody("1"), Note());
  EXPECT_FALSE(sender.Flush().ok());

  sender.Send(WithBody("2"), Note());

  EXPECT_FALSE(sender.Flush().ok());
  ASSERT_EQ(statuses_.size(), 2U);
  for (const Status& status : statuses_) {
    EXPECT_EQ(status.code(), ErrorCode::kServiceCommunicationProblem);
    EXPECT_EQ(status.outcome(), Outcome::kNotDone);
  }
}

TEST_F(ReconnectingSenderTest, WithoutPatienceALossIsTheEnd) {
  ReconnectingSender& sender = NewSender(0s);
  broker_.StopInOrder();
  sender.Send(WithBody("1"), Note());

  EXPECT_FALSE(sender.Flush().ok());

  ASSERT_EQ(statuses_.size(), 1U);
  EXPECT_EQ(statuses_[0].outcome(), Outcome::kNotDone);
  EXPECT_EQ(lost_, 0);
}

TEST_F(ReconnectingSenderTest, AnInterruptEndsTheWaitForTheBroker) {
  mends_ = false;
  ReconnectingSender& sender = NewSender(kUnlimited);
  broker_.StopInOrder();
  sender.Send(WithBody("1"), Note());
  std::thread flush([&] { EXPECT_FALSE(sender.Flush().ok()); });
  while (lost_ == 0) std::this_thread::yield();

  sender.Interrupt();

  flush.join();
  EXPECT_EQ(statuses_.size(), 1U);
}

}  // namespace
}  // namespace wharf::client
