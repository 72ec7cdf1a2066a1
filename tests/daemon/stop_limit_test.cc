// A stop that stands still tells what it waited for, and ends the process.

#include "broker/daemon/process/stop_limit.h"

#include <chrono>
#include <future>
#include <memory>

#include <gtest/gtest.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A stop that never ends, with a disk that has been at a sync for so long.
void StandStill(Duration sync_age, bool expects_silence = false, bool forgets_disk = false) {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  const Duration standstill = milliseconds(1);
  const Duration whole = expects_silence ? Duration(seconds(1)) : Duration(hours(1));
  StopLimit limit(expects_silence ? whole : standstill, whole,
                  {.writes = [] { return 7; }, .age = [=] { return sync_age; }});
  if (expects_silence) limit.ExpectSilence();
  if (forgets_disk) limit.ForgetDisk();
  std::promise<void>().get_future().wait();
}

class StopLimitDeathTest : public testing::Test {
 protected:
  StopLimitDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(StopLimitDeathTest, ASyncThatHangsIsTheDisks) {
  EXPECT_EXIT(StandStill(seconds(4)), testing::ExitedWithCode(1),
              "wharfd ends: the disk does not answer, and the stop waits for it; what was");
}

// The log is asked no more when its end is waited for.
TEST_F(StopLimitDeathTest, ASyncThatHungWhenTheLogWentIsTheDisks) {
  EXPECT_EXIT(StandStill(seconds(4), false, true), testing::ExitedWithCode(1),
              "wharfd ends: the disk does not answer");
  EXPECT_EXIT(StandStill(Duration(0), false, true), testing::ExitedWithCode(1), "the disk answers");
}

TEST_F(StopLimitDeathTest, WithoutASyncTheDiskIsNotBlamed) {
  EXPECT_EXIT(StandStill(Duration(0)), testing::ExitedWithCode(1),
              "wharfd ends: the disk answers, but what was taken is not done, and the stop");
  EXPECT_EXIT(StandStill(milliseconds(3)), testing::ExitedWithCode(1), "the disk answers");
}

TEST_F(StopLimitDeathTest, WhatIsClosedInSilenceIsToldOf) {
  EXPECT_EXIT(StandStill(Duration(0), true), testing::ExitedWithCode(1),
              "wharfd ends: the tables were not closed in time");
}

}  // namespace
}  // namespace wharf
