#include "broker/doors/common/call_gate.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "broker/access/token.h"
#include "tests/harness/engine_harness.h"

namespace wharf {
namespace {

constexpr Duration kPatience = std::chrono::seconds(60);

class CallGateTest : public ::testing::Test {
 protected:
  CallGateTest() { Open(); }

  void Open() {
    gate_.Open({engine_.broker().requests(), clock_, [] { return BrokerStatistics(); }});
  }
  CallGate::Ticket Enter() {
    return gate_.Enter([this] { ++cut_off_; });
  }
  // One that ends when the test wants it.
  std::unique_ptr<CallGate::Ticket> Keep() {
    return std::unique_ptr<CallGate::Ticket>(new CallGate::Ticket(Enter()));
  }

  const Status begin_{ErrorCode::kServiceCommunicationProblem, "not yet"};
  const Status end_{ErrorCode::kServiceCommunicationProblem, "it is over"};
  EngineHarness engine_;
  ClockControl clock_{engine_.broker().requests(), nullptr};
  CallGate gate_{begin_};
  int cut_off_ = 0;
};

TEST_F(CallGateTest, ACallIsShownTheBrokerThatThereIs) {
  CallGate::Ticket ticket = Enter();
  ASSERT_TRUE(ticket.is_valid());
  EXPECT_EQ(&ticket.broker().requests, &engine_.broker().requests());
}

TEST_F(CallGateTest, ACallIsRefusedForTheReasonThatThereIsNoBroker) {
  CallGate closed(begin_);
  CallGate::Ticket early = closed.Enter([] {});
  ASSERT_FALSE(early.is_valid());
  EXPECT_EQ(early.refusal().message(), "not yet");
  EXPECT_EQ(early.refusal().outcome(), Outcome::kNotDone);

  gate_.Close(end_);

  CallGate::Ticket late = Enter();
  ASSERT_FALSE(late.is_valid());
  EXPECT_EQ(late.refusal().message(), "it is over");
}

TEST_F(CallGateTest, ItOpensAgainForAnotherBroker) {
  gate_.Close(end_);
  EngineHarness other;
  ClockControl clock(other.broker().requests(), nullptr);

  gate_.Open({other.broker().requests(), clock, [] { return BrokerStatistics(); }});

  CallGate::Ticket ticket = Enter();
  ASSERT_TRUE(ticket.is_valid());
  EXPECT_EQ(&ticket.broker().requests, &other.broker().requests());
}

TEST_F(CallGateTest, WhileItIsClosedTheReasonMayChange) {  // ERR-26
  gate_.Close(end_);

  gate_.Refuse(Status::NotOwned("n2:5681", "n2 leads"));

  CallGate::Ticket late = Enter();
  ASSERT_FALSE(late.is_valid());
  EXPECT_EQ(late.refusal().leader(), "n2:5681");
}

TEST_F(CallGateTest, WhileItIsOpenAReasonToRefuseMeansNothing) {
  gate_.Refuse(Status::NotOwned("n2:5681", "n2 leads"));

  EXPECT_TRUE(Enter().is_valid());
  gate_.Close(end_);
  EXPECT_EQ(Enter().refusal().message(), "it is over");
}

TEST_F(CallGateTest, WhoeverWaitsIsToldToEndAndWhy) {
  Status told;
  CallGate::Ticket ticket = Enter();
  ticket.OnClose([&told](const Status& reason) { told = reason; });
  EXPECT_TRUE(told.ok());

  gate_.Close(end_);

  EXPECT_EQ(told.message(), "it is over");
}

TEST_F(CallGateTest, WhoeverBeginsToWaitBehindTheCloseIsToldAtOnce) {
  CallGate::Ticket ticket = Enter();
  gate_.Close(end_);

  Status told;
  ticket.OnClose([&told](const Status& reason) { told = reason; });

  EXPECT_EQ(told.message(), "it is over");
}

TEST_F(CallGateTest, WhatIsOverIsNotTold) {
  bool told = false;
  const auto tell = [&told](const Status&) { told = true; };
  {
    CallGate::Ticket ticket = Enter();
    ticket.OnClose(tell);
  }
  CallGate::Ticket given_back = Enter();
  given_back.GiveBack();
  given_back.OnClose(tell);

  gate_.Close(end_);

  EXPECT_FALSE(told);
}

TEST_F(CallGateTest, ACallMayEndWhenItIsTold) {
  std::unique_ptr<CallGate::Ticket> ticket = Keep();
  ticket->OnClose([&ticket](const Status&) { ticket.reset(); });

  gate_.Close(end_);

  EXPECT_TRUE(gate_.WaitUntilNone(Duration(0)));
}

TEST_F(CallGateTest, TheEndWaitsForTheLastCall) {
  std::unique_ptr<CallGate::Ticket> first = Keep();
  std::unique_ptr<CallGate::Ticket> second = Keep();
  gate_.Close(end_);
  EXPECT_FALSE(gate_.WaitUntilNone(Duration(0)));
  first.reset();
  EXPECT_FALSE(gate_.WaitUntilNone(Duration(0)));

  std::thread last([&second] { second->GiveBack(); });

  EXPECT_TRUE(gate_.WaitUntilNone(kPatience));
  last.join();
}

// As that of a stream which the broker still tells of something.
TEST_F(CallGateTest, ATicketThatWasGivenBackMayOutliveTheGate) {
  auto gate = std::make_unique<CallGate>(begin_);
  gate->Open({engine_.broker().requests(), clock_, [] { return BrokerStatistics(); }});
  CallGate::Ticket ticket = gate->Enter([] {});
  ticket.GiveBack();
  gate.reset();
}

TEST_F(CallGateTest, OnlyCallsThatAreLeftAreCutOff) {
  CallGate::Ticket left = Enter();
  CallGate::Ticket over = Enter();
  over.GiveBack();
  gate_.Close(end_);
  EXPECT_EQ(cut_off_, 0);

  gate_.CutOffAll();

  EXPECT_EQ(cut_off_, 1);
}

// --- where callers must prove who they are

class GuardedGateTest : public CallGateTest {
 protected:
  GuardedGateTest() {
    gate_.Close(end_);
    gate_.Open({engine_.broker().requests(), clock_, [] { return BrokerStatistics(); }, &guard_});
  }

  std::string Token(const std::string& key) const {
    return access::MakeToken("sb://h/", "root", key, now_ + std::chrono::seconds(60));
  }
  void Publish(const access::AccessRule& rule) {
    guard_.Publish(std::make_shared<const access::Book>(access::Book().With("", rule)));
  }

  const std::string one_ = std::string(40, '1');
  const std::string two_ = std::string(40, '2');
  const access::AccessRule rule_{"root", access::Right::kManage, one_, two_, Timestamp()};
  Timestamp now_ = Timestamp(std::chrono::seconds(1000));
  access::Guard guard_{std::make_shared<const access::Book>(access::Book().With("", rule_)),
                       [this] { return now_; }};
};

TEST_F(GuardedGateTest, ACallProvesWhoItsCallerIs) {
  CallGate::Ticket good = Enter();
  CallGate::Ticket bad = Enter();
  CallGate::Ticket nobody = Enter();

  EXPECT_TRUE(good.Prove(Token(one_)).ok());
  EXPECT_NE(good.permit(), nullptr);
  EXPECT_EQ(bad.Prove(Token(std::string(40, '3'))).code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(bad.permit(), nullptr);
  EXPECT_EQ(nobody.Prove("").code(), ErrorCode::kUnauthorized);
}

TEST_F(GuardedGateTest, WhatAReplacedKeyProvedIsToldToEndOnce) {
  std::vector<Status> first;
  std::vector<Status> second;
  CallGate::Ticket by_one = Enter();
  CallGate::Ticket by_two = Enter();
  ASSERT_TRUE(by_one.Prove(Token(one_)).ok());
  ASSERT_TRUE(by_two.Prove(Token(two_)).ok());
  by_one.OnClose([&first](const Status& reason) { first.push_back(reason); });
  by_two.OnClose([&second](const Status& reason) { second.push_back(reason); });
  gate_.EndLapsed();
  ASSERT_TRUE(first.empty());

  Publish(rule_.WithKey(access::KeySlot::kPrimary, std::string(40, '3')));
  gate_.EndLapsed();
  gate_.EndLapsed();

  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first.front().code(), ErrorCode::kUnauthorized);
  EXPECT_TRUE(second.empty());
}

// Its client reads nothing, so that it cannot come to its end.
TEST_F(GuardedGateTest, WhoDoesNotEndWhenItIsToldIsCutOff) {
  CallGate::Ticket lapsed = Enter();
  CallGate::Ticket good = Enter();
  ASSERT_TRUE(lapsed.Prove(Token(one_)).ok());
  ASSERT_TRUE(good.Prove(Token(two_)).ok());
  lapsed.OnClose([](const Status&) {});
  good.OnClose([](const Status&) {});
  Publish(rule_.WithKey(access::KeySlot::kPrimary, std::string(40, '3')));
  gate_.EndLapsed();
  for (Duration waited = CallGate::kLapsePace; waited < CallGate::kLapseGrace;
       waited += CallGate::kLapsePace) {
    gate_.EndLapsed();
    ASSERT_EQ(cut_off_, 0);
  }

  gate_.EndLapsed();
  EXPECT_EQ(cut_off_, 1);
  gate_.EndLapsed();
  EXPECT_EQ(cut_off_, 1);
}

// It may lapse before it can be told.
TEST_F(GuardedGateTest, WhoBeginsToWaitWhenItsTokenHasLapsedIsToldNext) {
  Status told;
  CallGate::Ticket ticket = Enter();
  ASSERT_TRUE(ticket.Prove(Token(one_)).ok());
  now_ += std::chrono::seconds(60);
  gate_.EndLapsed();

  ticket.OnClose([&told](const Status& reason) { told = reason; });
  gate_.EndLapsed();

  EXPECT_EQ(told.code(), ErrorCode::kUnauthorized);
}

}  // namespace
}  // namespace wharf
