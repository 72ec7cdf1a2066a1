// Several addresses, of which one leads: for calls, and for streams that are made anew.

#include "tools/client/endpoints.h"

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/fake_broker.h"
#include "tools/client/client.h"
#include "tools/client/reconnecting_receiver.h"
#include "tools/client/reconnecting_sender.h"

namespace wharf::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Nothing listens there.
constexpr char kNowhere[] = "127.0.0.1:1";

class EndpointsTest : public testing::Test {
 protected:
  Client& NewClient(const std::vector<std::string>& addresses, Duration patience = 30s) {
    std::string all;
    for (const std::string& each : addresses) all += (all.empty() ? "" : ",") + each;
    return client_.emplace(all,
                           ClientOptions{.has_own_connection = true, .leader_patience = patience});
  }
  Status Peek() { return client_->Peek(v1::PeekRequest()).status(); }
  Status Send(Repeat repeat, const std::string& id) {
    v1::SendRequest request;
    request.add_messages()->set_message_id(id);
    return client_->Send(request, repeat).status();
  }

  FakeBroker one_;
  FakeBroker two_;
  FakeBroker three_;
  std::optional<Client> client_;
};

// --- who leads

TEST_F(EndpointsTest, ACallFollowsToTheLeaderThatIsNamed) {  // ERR-26
  one_.Follow(two_.address());
  NewClient({one_.address()});

  EXPECT_TRUE(Peek().ok());
  EXPECT_TRUE(Peek().ok());

  EXPECT_EQ(one_.asked_count(), 1);
  EXPECT_EQ(two_.asked_count(), 2);
}

TEST_F(EndpointsTest, WhereNobodyIsNamedAllAreAsked) {
  one_.Follow("");
  two_.Follow("");
  NewClient({one_.address(), two_.address(), three_.address()});

  EXPECT_TRUE(Peek().ok());

  EXPECT_EQ(three_.asked_count(), 1);
}

TEST_F(EndpointsTest, TwoThatNameEachOtherAreLeftForTheThird) {
  one_.Follow(two_.address());
  two_.Follow(one_.address());
  NewClient({one_.address(), two_.address(), three_.address()});

  EXPECT_TRUE(Peek().ok());

  EXPECT_EQ(one_.asked_count(), 1);
  EXPECT_EQ(two_.asked_count(), 1);
}

TEST_F(EndpointsTest, TwoThatNameEachOtherForEverAreAskedNowAndThenUntilThePatienceIsOver) {
  one_.Follow(two_.address());
  two_.Follow(one_.address());
  NewClient({one_.address()}, 400ms);

  const Status status = Peek();

  EXPECT_EQ(status.code(), ErrorCode::kPartitionNotOwned);
  EXPECT_EQ(status.outcome(), Outcome::kNotDone);
  // The pauses are 50, 100, 200 ms and so on.
  EXPECT_LE(one_.asked_count(), 6);
  EXPECT_GE(one_.asked_count(), 2);
}

TEST_F(EndpointsTest, ALeaderThatIsNamedAndGoneIsLeftForOneThatWasGiven) {
  one_.Follow(kNowhere);
  NewClient({one_.address(), two_.address()});

  EXPECT_TRUE(Peek().ok());
}

// It was named once, and must not be asked for ever.
TEST_F(EndpointsTest, ALeaderThatWasNamedAndVanishesIsLeftForOneThatWasGiven) {
  one_.Follow(two_.address());
  NewClient({one_.address()});
  ASSERT_TRUE(Peek().ok());

  two_.Break();
  one_.Lead();

  EXPECT_TRUE(Peek().ok());
}

TEST_F(EndpointsTest, AnElectionIsWaitedFor) {
  one_.Follow("");
  two_.Follow(one_.address());
  NewClient({one_.address(), two_.address()});
  std::thread election([this] {
    two_.WaitForAsked(3);
    two_.Lead();
  });

  EXPECT_TRUE(Peek().ok());

  election.join();
}

TEST_F(EndpointsTest, OneThatCannotBeReachedIsLeftForTheNext) {
  NewClient({kNowhere, two_.address()});

  EXPECT_TRUE(Peek().ok());
}

TEST_F(EndpointsTest, TheOnlyOneThatCannotBeReachedIsToldAtOnce) {
  NewClient({kNowhere}, 1h);

  const Status status = Peek();

  EXPECT_EQ(status.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(status.outcome(), Outcome::kNotDone);
}

TEST_F(EndpointsTest, AnAddressThatMayNotBeFollowedIsNotAsked) {
  one_.Follow(two_.address());
  Target target(one_.address());
  target.may_follow = [](const std::string&) { return false; };
  client_.emplace(target, ClientOptions{.leader_patience = 100ms});

  EXPECT_EQ(Peek().code(), ErrorCode::kPartitionNotOwned);

  EXPECT_EQ(two_.asked_count(), 0);
}

TEST_F(EndpointsTest, AnAddressThatWasGivenMayAlwaysBeFollowed) {
  one_.Follow(three_.address());
  Target target(one_.address() + "," + two_.address() + "," + three_.address());
  target.may_follow = [](const std::string&) { return false; };
  client_.emplace(target);

  EXPECT_TRUE(Peek().ok());

  EXPECT_EQ(two_.asked_count(), 0);
}

TEST_F(EndpointsTest, ToConnectIsToFindTheLeader) {
  one_.Follow("");
  NewClient({one_.address(), two_.address()});
  ASSERT_TRUE(client_->Connect(30s).ok());
  const int asked = one_.asked_count();

  EXPECT_TRUE(Peek().ok());

  EXPECT_EQ(one_.asked_count(), asked);
}

TEST_F(EndpointsTest, WhereNobodyLeadsToConnectTakesThePatienceAndSaysSo) {
  one_.Follow("");
  two_.Follow("");
  NewClient({one_.address(), two_.address()});

  EXPECT_EQ(client_->Connect(200ms).code(), ErrorCode::kPartitionNotOwned);

  EXPECT_TRUE(client_->ConnectToAny(30s).ok());
}

// --- what is done twice

TEST_F(EndpointsTest, AQuestionWithoutAnAnswerIsAskedElsewhere) {
  NewClient({one_.address(), two_.address()});
  one_.LoseAnswer();

  EXPECT_TRUE(Peek().ok());

  EXPECT_EQ(one_.asked_count() + two_.asked_count(), 2);
}

TEST_F(EndpointsTest, ASendWithoutAnAnswerIsForTheCallerToKnow) {
  NewClient({one_.address(), two_.address()});

  for (const auto& [repeat, id] :
       {std::pair(Repeat::kIfNotDone, "m-1"), std::pair(Repeat::kAlsoIfUnknown, "")}) {
    client_->Connect(30s).ok();
    const int before = one_.asked_count() + two_.asked_count();
    one_.LoseAnswer();
    two_.LoseAnswer();

    EXPECT_EQ(Send(repeat, id).outcome(), Outcome::kUnknown);

    EXPECT_EQ(one_.asked_count() + two_.asked_count(), before + 1);
  }
}

TEST_F(EndpointsTest, ASendOfMessagesWithIdsIsRepeatedIfThatIsAskedFor) {
  NewClient({one_.address(), two_.address()});
  one_.LoseAnswer();

  EXPECT_TRUE(Send(Repeat::kAlsoIfUnknown, "m-1").ok());
}

TEST_F(EndpointsTest, WhatIsAddedToATransactionCountsEachTimeAndIsNotRepeated) {
  NewClient({one_.address(), two_.address()});
  one_.LoseAnswer();
  v1::SendRequest request;
  request.set_transaction_id("t-1");
  request.add_messages()->set_message_id("m-1");

  EXPECT_EQ(client_->Send(request, Repeat::kAlsoIfUnknown).status().outcome(), Outcome::kUnknown);
}

TEST_F(EndpointsTest, ATransactionIsRepeatedIfItHasAnId) {
  NewClient({one_.address(), two_.address()});
  v1::RunTransactionRequest request;
  one_.LoseAnswer();
  EXPECT_EQ(client_->transactions().Run(request).status().outcome(), Outcome::kUnknown);

  two_.LoseAnswer();
  request.set_transaction_id("t-1");
  EXPECT_TRUE(client_->transactions().Run(request).ok());
}

// Nobody who was asked again in vain knows what became of it.
TEST_F(EndpointsTest, WhatMayHaveBeenDoneStaysUnknownWhereNobodyLeadsAnyMore) {
  two_.Follow("");
  NewClient({one_.address(), two_.address()}, 200ms);
  v1::RunTransactionRequest request;
  request.set_transaction_id("t-1");
  one_.LoseAnswerAndLead();

  const Status status = client_->transactions().Run(request).status();

  EXPECT_EQ(status.outcome(), Outcome::kUnknown);
  EXPECT_THAT(status.message(), testing::HasSubstr("broke; asked again: another one leads"));
  EXPECT_GE(two_.asked_count(), 1);
}

TEST_F(EndpointsTest, WhatWasNeverDoneIsKnownNotToBe) {
  one_.Follow("");
  two_.Follow("");
  NewClient({one_.address(), two_.address()}, 200ms);
  v1::RunTransactionRequest request;
  request.set_transaction_id("t-1");

  EXPECT_EQ(client_->transactions().Run(request).status().outcome(), Outcome::kNotDone);
}

// --- streams

class EndpointsOfStreamsTest : public EndpointsTest {
 protected:
  ReconnectingSender& NewSender(Duration patience, SenderOptions options = {}) {
    return sender_.emplace(
        *client_, "orders", options,
        ReconnectOptions{.patience = patience, .on_lost = [this](const Status&) { ++lost_; }});
  }
  void SendStreamed(const std::string& body, const std::string& id = "") {
    v1::Message message;
    message.set_body(body);
    message.set_message_id(id);
    sender_->Send(std::move(message), [this](const Result<SendReceipt>& receipt) {
      statuses_.push_back(receipt.status());
    });
  }

  std::atomic<int> lost_ = 0;
  // Read after Flush.
  std::vector<Status> statuses_;
  std::optional<ReconnectingSender> sender_;
};

TEST_F(EndpointsOfStreamsTest, ASenderGoesOnWithTheNextLeaderInItsOrder) {
  NewClient({one_.address()});
  one_.HoldReceipts();
  NewSender(30s);
  for (int i = 1; i <= 300; ++i) SendStreamed(std::to_string(i));
  one_.WaitForSend(1);

  one_.Follow(two_.address());
  one_.ReleaseReceipts();

  ASSERT_TRUE(sender_->Flush().ok());
  ASSERT_EQ(statuses_.size(), 300U);
  for (const Status& each : statuses_) EXPECT_TRUE(each.ok()) << each.message();
  int next = 1;
  for (std::size_t i = 1; next <= 300; ++i) {
    const v1::SendStreamRequest request = two_.WaitForSend(i);
    for (const v1::Message& each : request.send().messages()) {
      EXPECT_EQ(each.body(), std::to_string(next++));
    }
  }
}

// Nothing was lost, so there is nothing to tell.
TEST_F(EndpointsTest, AStreamThatWasEndedHereIsNoReasonToAskAnother) {
  NewClient({one_.address(), two_.address()});
  client_->CreateSender("orders").reset();
  client_->CreateReceiver("orders").reset();

  EXPECT_TRUE(Peek().ok());

  EXPECT_EQ(two_.asked_count(), 0);
}

TEST_F(EndpointsOfStreamsTest, ANodeThatDoesNotLeadIsLeftAlsoWithoutPatienceForLosses) {
  one_.Follow(two_.address());
  NewClient({one_.address()});
  NewSender(0s);

  SendStreamed("1");

  EXPECT_TRUE(sender_->Flush().ok());
  EXPECT_THAT(statuses_, ElementsAre(Status()));
  EXPECT_EQ(lost_, 0);
}

TEST_F(EndpointsOfStreamsTest, ASenderWhoseLeaderVanishesGoesOnWithAnother) {
  NewClient({one_.address(), two_.address()});
  NewSender(30s);
  SendStreamed("1");
  ASSERT_TRUE(sender_->Flush().ok());

  one_.Break();
  SendStreamed("2", "m-2");
  static_cast<void>(sender_->Flush());
  SendStreamed("3");

  EXPECT_TRUE(sender_->Flush().ok());
  EXPECT_TRUE(statuses_.back().ok());
  EXPECT_GE(two_.send_count(), 1U);
}

TEST_F(EndpointsOfStreamsTest, WhatMayHaveBeenStoredIsSentAgainIfItHasAnIdAndThatIsAskedFor) {
  NewClient({one_.address(), two_.address()});
  one_.HoldReceipts();
  NewSender(30s, {.returns_unknown = true});
  SendStreamed("1", "m-1");
  one_.WaitForSend(1);
  SendStreamed("2");
  one_.Break();
  one_.ReleaseReceipts();

  static_cast<void>(sender_->Flush());

  ASSERT_EQ(statuses_.size(), 2U);
  EXPECT_EQ(two_.WaitForSend(1).send().messages(0).message_id(), "m-1");
}

TEST_F(EndpointsOfStreamsTest, WhatMayHaveBeenStoredOnceIsUnknownUntilItHasAReceipt) {
  NewClient({one_.address()});
  one_.HoldReceipts();
  NewSender(200ms, {.returns_unknown = true});
  SendStreamed("1", "m-1");
  one_.WaitForSend(1);

  one_.Break();

  EXPECT_FALSE(sender_->Flush().ok());
  ASSERT_EQ(statuses_.size(), 1U);
  EXPECT_EQ(statuses_[0].outcome(), Outcome::kUnknown);
}

TEST_F(EndpointsOfStreamsTest, AReceiverGoesOnWithTheNextLeader) {
  one_.Follow(two_.address());
  two_.AddMessages(2);
  NewClient({one_.address()});
  ReconnectingReceiver receiver(*client_, "orders", {.messages_max = 2}, {.patience = 30s}, {});

  std::size_t count = 0;
  while (count < 2) {
    const auto messages = receiver.Receive(2, 30s);
    ASSERT_TRUE(messages.ok()) << messages.status().message();
    count += messages->size();
  }

  EXPECT_EQ(count, 2U);
}

}  // namespace
}  // namespace wharf::client
