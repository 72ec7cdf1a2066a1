// Reasons to stop, for one broker of a process after the other.

#include "broker/daemon/process/stop_signal.h"

#include <csignal>

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(StopSignalTest, AFolderThatIsToBeOpenedAnewIsAReason) {
  StopSignal stop;
  stop.Begin();
  stop.OnReopen();

  EXPECT_TRUE(stop.Wait().ok());
  EXPECT_TRUE(stop.begins_again());
}

// Or whoever asked the process to end would wait for ever.
TEST(StopSignalTest, ASignalBetweenTwoBrokersEndsTheSecond) {
  StopSignal stop;
  stop.Begin();
  stop.OnReopen();
  ASSERT_TRUE(stop.Wait().ok());

  std::raise(SIGTERM);
  stop.Begin();

  EXPECT_TRUE(stop.Wait().ok());
  EXPECT_FALSE(stop.begins_again());
}

TEST(StopSignalTest, NoBrokerBeginsBehindASignal) {
  StopSignal stop;
  stop.Begin();
  stop.OnHangUp([] { ADD_FAILURE() << "what it would reload is gone"; });
  stop.OnReopen();
  ASSERT_TRUE(stop.Wait().ok());
  std::raise(SIGHUP);
  EXPECT_FALSE(stop.HasCome());

  std::raise(SIGTERM);

  EXPECT_TRUE(stop.HasCome());
}

TEST(StopSignalTest, WhatWasSaidOfABrokerThatIsGoneEndsNone) {
  StopSignal stop;
  stop.Begin();
  stop.OnReopen();
  ASSERT_TRUE(stop.Wait().ok());
  stop.OnClosed({ErrorCode::kGeneralError, "its log closes as well"});
  stop.OnReopen();

  stop.Begin();
  std::raise(SIGTERM);

  EXPECT_TRUE(stop.Wait().ok());
  EXPECT_FALSE(stop.begins_again());
}

}  // namespace
}  // namespace wharf
