#include "tools/client/sender.h"

#include <future>
#include <thread>

#include <gmock/gmock.h>

#include "tests/tools/fake_broker.h"
#include "tools/client/client.h"

namespace wharf::client {
namespace {

using testing::ElementsAre;

v1::Message WithBody(std::string body) {
  v1::Message message;
  message.set_body(std::move(body));
  return message;
}

class SenderTest : public testing::Test {
 protected:
  std::unique_ptr<Sender> NewSender(SenderOptions options = {}) {
    return Client(broker_.address()).CreateSender("orders", options);
  }

  // Notes the result; read after Flush.
  Sender::Callback Note() {
    return [this](Result<SendReceipt> receipt) {
      statuses_.push_back(receipt.status());
      if (receipt.ok()) numbers_.push_back(receipt->sequence_number);
    };
  }

  // Sends so many messages in one callback, hence while the stream writes nothing.
  void SendFromCallback(Sender& sender, int count) {
    sender.Send(WithBody("first"), [this, &sender, count](const Result<SendReceipt>&) {
      for (int i = 0; i < count; ++i) {
        Sender::Callback note = Note();
        ASSERT_TRUE(sender.TrySend(WithBody(std::to_string(i)), note));
      }
    });
    EXPECT_TRUE(sender.Flush().ok());
  }

  FakeBroker broker_;
  std::vector<Status> statuses_;
  std::vector<std::int64_t> numbers_;
};

TEST_F(SenderTest, ReceiptsComeInTheOrderOfTheMessages) {
  const auto sender = NewSender();
  for (int i = 0; i < 500; ++i) sender->Send(WithBody(std::to_string(i)), Note());

  ASSERT_TRUE(sender->Flush().ok());

  ASSERT_EQ(numbers_.size(), 500U);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(numbers_[i], i + 1);
}

TEST_F(SenderTest, MessagesThatWaitShareARequest) {
  const auto sender = NewSender();

  SendFromCallback(*sender, 50);

  EXPECT_EQ(broker_.send_count(), 2U);
  EXPECT_EQ(broker_.WaitForSend(2).send().messages_size(), 50);
  EXPECT_EQ(broker_.WaitForSend(2).send().entity_path(), "orders");
}

TEST_F(SenderTest, NoRequestHoldsMoreMessagesThanItsLimit) {
  const auto sender = NewSender({.request_messages_max = 20});

  SendFromCallback(*sender, 50);

  EXPECT_EQ(broker_.send_count(), 4U);
  EXPECT_EQ(broker_.WaitForSend(2).send().messages_size(), 20);
  EXPECT_EQ(broker_.WaitForSend(4).send().messages_size(), 10);
}

TEST_F(SenderTest, NoRequestHoldsMoreBytesThanItsLimit) {
  const auto sender = NewSender({.request_bytes_max = 10});

  SendFromCallback(*sender, 4);

  EXPECT_EQ(broker_.WaitForSend(2).send().messages_size(), 3);
  EXPECT_EQ(broker_.WaitForSend(3).send().messages_size(), 1);
}

TEST_F(SenderTest, AFullWindowTakesNoMore) {
  broker_.HoldReceipts();
  const auto sender = NewSender({.window_messages = 2});
  sender->Send(WithBody("1"), Note());
  sender->Send(WithBody("2"), Note());

  Sender::Callback note = Note();
  EXPECT_FALSE(sender->TrySend(WithBody("3"), note));

  broker_.ReleaseReceipts();
  ASSERT_TRUE(sender->Flush().ok());
  EXPECT_TRUE(sender->TrySend(WithBody("3"), note));
  ASSERT_TRUE(sender->Flush().ok());
  EXPECT_THAT(numbers_, ElementsAre(1, 2, 3));
}

TEST_F(SenderTest, SendWaitsForRoomInTheWindow) {
  broker_.HoldReceipts();
  const auto sender = NewSender({.window_messages = 1});
  sender->Send(WithBody("1"), Note());
  std::thread second([&] { sender->Send(WithBody("2"), Note()); });

  broker_.ReleaseReceipts();
  second.join();

  ASSERT_TRUE(sender->Flush().ok());
  EXPECT_THAT(numbers_, ElementsAre(1, 2));
}

TEST_F(SenderTest, TheWindowIsBoundedInBytesToo) {
  broker_.HoldReceipts();
  const auto sender = NewSender({.window_bytes = 10});
  sender->Send(WithBody(std::string(20, 'x')), Note());

  Sender::Callback note = Note();
  EXPECT_FALSE(sender->TrySend(WithBody("y"), note));

  broker_.ReleaseReceipts();
  EXPECT_TRUE(sender->Flush().ok());
}

TEST_F(SenderTest, ARefusedMessageLeavesTheOthersAlone) {
  broker_.RefuseBody("bad");
  const auto sender = NewSender();
  for (const char* body : {"good", "bad", "good"}) sender->Send(WithBody(body), Note());

  ASSERT_TRUE(sender->Flush().ok());

  ASSERT_EQ(statuses_.size(), 3U);
  EXPECT_EQ(statuses_[1].code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(statuses_[1].outcome(), Outcome::kNotDone);
  EXPECT_THAT(numbers_, ElementsAre(1, 2));
}

TEST_F(SenderTest, ABrokenStreamLeavesTheOutcomeOfWhatWasSentUnknown) {
  broker_.HoldReceipts();
  const auto sender = NewSender();
  sender->Send(WithBody("1"), Note());
  broker_.WaitForSend(1);

  broker_.Break();

  EXPECT_FALSE(sender->Flush().ok());
  ASSERT_EQ(statuses_.size(), 1U);
  EXPECT_EQ(statuses_[0].outcome(), Outcome::kUnknown);
}

TEST_F(SenderTest, EveryMessageGetsAResultWhenTheStreamBreaks) {
  broker_.HoldReceipts();
  const auto sender = NewSender();
  for (int i = 0; i < 300; ++i) sender->Send(WithBody("x"), Note());

  broker_.Break();

  EXPECT_FALSE(sender->Flush().ok());
  EXPECT_EQ(statuses_.size(), 300U);
  EXPECT_EQ(numbers_.size(), 0U);
}

TEST_F(SenderTest, AfterTheStreamBrokeNothingIsDoneAnyMore) {
  broker_.HoldReceipts();
  const auto sender = NewSender();
  sender->Send(WithBody("1"), Note());
  broker_.Break();
  EXPECT_FALSE(sender->Flush().ok());
  statuses_.clear();

  sender->Send(WithBody("2"), Note());

  ASSERT_EQ(statuses_.size(), 1U);
  EXPECT_EQ(statuses_[0].outcome(), Outcome::kNotDone);
}

TEST_F(SenderTest, ASenderThatIsDestroyedGivesEveryMessageItsResult) {
  broker_.HoldReceipts();
  auto sender = NewSender();
  for (int i = 0; i < 10; ++i) sender->Send(WithBody("x"), Note());

  sender.reset();

  EXPECT_EQ(statuses_.size(), 10U);
}

TEST_F(SenderTest, ALargeBodyTravelsInChunks) {
  const std::string body((1 << 20) + 100, 'x');
  auto sender = NewSender();
  v1::Message message = WithBody(body);
  message.set_subject("large");

  sender->Send(std::move(message), Note());

  const v1::SendStreamRequest header = broker_.WaitForSend(1);
  EXPECT_EQ(header.header().body_size(), static_cast<std::int64_t>(body.size()));
  EXPECT_EQ(header.header().message().subject(), "large");
  EXPECT_TRUE(header.header().message().body().empty());
  std::string arrived;
  for (std::size_t i = 2; i <= 6; ++i) arrived += broker_.WaitForSend(i).chunk().data();
  EXPECT_EQ(arrived, body);
}

}  // namespace
}  // namespace wharf::client
