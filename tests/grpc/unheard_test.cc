// What goes back because nobody hears of it: in requests as large as they may be, each for itself.

#include "broker/doors/common/unheard.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/requests/check.h"

namespace wharf {
namespace {

// Hands each request of the list to Self::Take.
template <typename Self, typename Base, typename List>
class HandsEach;
template <typename Self, typename Base>
class HandsEach<Self, Base, TypeList<>> : public Base {};
template <typename Self, typename Base, typename Request, typename... Others>
class HandsEach<Self, Base, TypeList<Request, Others...>>
    : public HandsEach<Self, Base, TypeList<Others...>> {
 public:
  using HandsEach<Self, Base, TypeList<Others...>>::Ask;
  void Ask(Caller caller, Request request, AnswerTo<Request> answer) override {
    static_cast<Self*>(this)->Take(std::move(caller), std::move(request), std::move(answer));
  }
};

// Keeps what a door asks back, and answers when the test says how. Nothing else may be asked.
class KeptRequests final : public HandsEach<KeptRequests, Requests, RequestList> {
 public:
  void Take(Caller caller, SettleRequest request, AnswerTo<SettleRequest> answer) {
    callers.push_back(std::move(caller));
    settles.push_back(std::move(request));
    settle_answers.push_back(std::move(answer));
  }
  void Take(Caller caller, ReleaseSessionRequest request, AnswerTo<ReleaseSessionRequest> answer) {
    callers.push_back(std::move(caller));
    sessions.push_back(std::move(request));
    session_answers.push_back(std::move(answer));
  }
  template <typename Request>
  void Take(const Caller&, Request, const AnswerTo<Request>&) {
    ADD_FAILURE() << "something else was asked";
  }

  std::shared_ptr<WaitHandle> Wait(Caller, ReceiveRequest, AnswerTo<ReceiveRequest>) override {
    return Fail<WaitHandle>();
  }
  std::shared_ptr<WaitHandle> Wait(Caller, AcceptSessionRequest,
                                   AnswerTo<AcceptSessionRequest>) override {
    return Fail<WaitHandle>();
  }
  std::shared_ptr<WaitHandle> Wait(Caller, AwaitClosedRequest,
                                   AnswerTo<AwaitClosedRequest>) override {
    return Fail<WaitHandle>();
  }
  std::shared_ptr<ReceiverHandle> Attach(Caller, AttachRequest, std::shared_ptr<DeliverySink>,
                                         wharf::Answer<Attached>) override {
    return Fail<ReceiverHandle>();
  }
  std::shared_ptr<UploadHandle> Upload(Caller, UploadRequest, std::function<void()>,
                                       wharf::Answer<SendOutcome>) override {
    return Fail<UploadHandle>();
  }
  Status Allow(const Caller&, const AskClock&) override { return {}; }
  Status Allow(const Caller&, const MoveClock&) override { return {}; }
  Status Allow(const Caller&, const AskStatistics&) override { return {}; }
  Status Allow(const Caller&, const ManageConnections&) override { return {}; }
  EntityRef Find(std::string path) const override { return {std::move(path)}; }

  std::vector<Caller> callers;
  std::vector<SettleRequest> settles;
  std::vector<wharf::Answer<SettleReceipt>> settle_answers;
  std::vector<ReleaseSessionRequest> sessions;
  std::vector<wharf::Answer<std::monostate>> session_answers;

 private:
  template <typename Handle>
  static std::shared_ptr<Handle> Fail() {
    ADD_FAILURE() << "something was opened";
    return nullptr;
  }
};

TokenList Tokens(std::size_t count) {
  TokenList tokens;
  for (std::size_t i = 1; i <= count; ++i) tokens.emplace_back(LockToken(i, i));
  return tokens;
}

class UnheardTest : public ::testing::Test {
 protected:
  void Release(const TokenList& tokens) {
    ReleaseUnheard(requests_, {.peer = "10.0.0.1:7"}, {"orders"}, tokens);
  }

  KeptRequests requests_;
};

TEST_F(UnheardTest, MessagesAreReleasedWhereTheyWereLocked) {  // LCK-14
  Release(Tokens(3));

  ASSERT_EQ(requests_.settles.size(), 1U);
  const SettleRequest& request = requests_.settles.front();
  EXPECT_EQ(request.entity.path, "orders");
  EXPECT_EQ(request.settlement.verb, SettleVerb::kRelease);
  EXPECT_EQ(requests_.callers.front().peer, "10.0.0.1:7");
  ASSERT_EQ(request.tokens.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(*request.tokens[i], LockToken(i + 1, i + 1));
}

// A stream may end with as many unheard as its connection may lock. Each request is one that the
// broker takes, and none of the tokens is left out.
TEST_F(UnheardTest, ManyMessagesAreSeveralRequestsThatAreNotTooLarge) {
  const TokenList all = Tokens(2 * kItemsMax + 1);
  Release(all);

  TokenList released;
  for (const SettleRequest& request : requests_.settles) {
    EXPECT_TRUE(Check(request).ok()) << request.tokens.size();
    released.insert(released.end(), request.tokens.begin(), request.tokens.end());
  }
  EXPECT_EQ(requests_.settles.size(), 3U);
  ASSERT_EQ(released.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(*released[i], *all[i]) << i;
}

TEST_F(UnheardTest, AsManyAsOneRequestTakesAreOne) {
  Release(Tokens(kItemsMax));
  EXPECT_EQ(requests_.settles.size(), 1U);
}

// The broker would refuse a request without any.
TEST_F(UnheardTest, NoMessagesAreNoRequest) {
  Release({});
  EXPECT_TRUE(requests_.settles.empty());
}

TEST_F(UnheardTest, ASessionIsReleasedWhereItWasAccepted) {
  ReleaseUnheardSession(requests_, {.peer = "10.0.0.1:7"}, {"jobs"}, LockToken(3, 4));

  ASSERT_EQ(requests_.sessions.size(), 1U);
  EXPECT_EQ(requests_.sessions.front().entity.path, "jobs");
  EXPECT_EQ(requests_.sessions.front().session, LockToken(3, 4));
  EXPECT_EQ(requests_.callers.front().peer, "10.0.0.1:7");
}

// Whoever would hear of it is gone; the locks end by themselves.
TEST_F(UnheardTest, WhatIsRefusedIsToldToNobodyAndNotAskedAgain) {
  Release(Tokens(kItemsMax + 1));
  ReleaseUnheardSession(requests_, {}, {"jobs"}, LockToken(3, 4));
  ASSERT_EQ(requests_.settles.size(), 2U);
  const Status busy(ErrorCode::kServiceBusy, "the broker has more requests waiting than it takes");

  for (auto& answer : requests_.settle_answers) std::move(answer)(busy);
  for (auto& answer : requests_.session_answers) std::move(answer)(busy);

  EXPECT_EQ(requests_.settles.size(), 2U);
  EXPECT_EQ(requests_.sessions.size(), 1U);
}

}  // namespace
}  // namespace wharf
