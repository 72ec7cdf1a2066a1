#include "broker/doors/grpc/services/open_calls.h"

#include <chrono>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr Duration kPatience = std::chrono::seconds(60);

// One that ends when the test wants it.
std::unique_ptr<OpenCalls::Ticket> Enter(OpenCalls& calls) {
  return std::unique_ptr<OpenCalls::Ticket>(new OpenCalls::Ticket(calls.Enter()));
}

TEST(OpenCallsTest, ACallThatBeginsAfterTheStopIsRefusedWithNothingDone) {
  OpenCalls calls;
  EXPECT_TRUE(calls.Enter().is_valid());

  calls.Stop();

  EXPECT_FALSE(calls.Enter().is_valid());
  EXPECT_EQ(OpenCalls::Refusal().code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(OpenCalls::Refusal().outcome(), Outcome::kNotDone);
}

TEST(OpenCallsTest, WhoeverWaitsIsToldToEnd) {
  OpenCalls calls;
  int told = 0;
  OpenCalls::Ticket ticket = calls.Enter();
  ticket.OnStop([&told] { ++told; });
  EXPECT_EQ(told, 0);

  calls.Stop();

  EXPECT_EQ(told, 1);
}

TEST(OpenCallsTest, WhoeverBeginsToWaitDuringTheStopIsToldAtOnce) {
  OpenCalls calls;
  OpenCalls::Ticket ticket = calls.Enter();
  calls.Stop();

  bool told = false;
  ticket.OnStop([&told] { told = true; });

  EXPECT_TRUE(told);
}

TEST(OpenCallsTest, WhatIsOverIsNotTold) {
  OpenCalls calls;
  bool told = false;
  {
    OpenCalls::Ticket ticket = calls.Enter();
    ticket.OnStop([&told] { told = true; });
  }

  calls.Stop();

  EXPECT_FALSE(told);
}

TEST(OpenCallsTest, ACallMayEndWhenItIsTold) {
  OpenCalls calls;
  std::unique_ptr<OpenCalls::Ticket> ticket = Enter(calls);
  ticket->OnStop([&ticket] { ticket.reset(); });

  calls.Stop();

  EXPECT_TRUE(calls.WaitUntilNone(Duration(0)));
}

TEST(OpenCallsTest, TheStopWaitsForTheLastCall) {
  OpenCalls calls;
  std::unique_ptr<OpenCalls::Ticket> first = Enter(calls);
  std::unique_ptr<OpenCalls::Ticket> second = Enter(calls);
  calls.Stop();
  EXPECT_FALSE(calls.WaitUntilNone(Duration(0)));
  first.reset();
  EXPECT_FALSE(calls.WaitUntilNone(Duration(0)));

  std::thread last([&second] { second.reset(); });

  EXPECT_TRUE(calls.WaitUntilNone(kPatience));
  last.join();
}

}  // namespace
}  // namespace wharf
