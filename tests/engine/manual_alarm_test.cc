#include "broker/engine/manual_alarm.h"

#include <gtest/gtest.h>

#include "tests/harness/manual_executor.h"

namespace wharf {
namespace {

using std::chrono::seconds;

class ManualAlarmTest : public ::testing::Test {
 protected:
  ManualAlarmTest() {
    alarm_.WakeAtAlarm([this] { ++wakes_; });
  }

  static constexpr Timestamp kNoon = Timestamp(seconds(1'800'000'000));
  ManualClock clock_{kNoon};
  ManualWork work_{1};
  ManualExecutor self_{work_, 0};
  ManualAlarm alarm_{clock_, self_};
  int wakes_ = 0;
};

TEST_F(ManualAlarmTest, WakesForWhatIsDueButNotInsideTheCall) {
  alarm_.Set(kNoon);
  EXPECT_EQ(wakes_, 0);

  work_.RunAll();

  EXPECT_EQ(wakes_, 1);
}

TEST_F(ManualAlarmTest, LeavesWhatIsNotDueToWhoAdvancesTheClock) {
  alarm_.Set(kNoon + Duration(1));
  alarm_.Set(kNever);
  clock_.Advance(seconds(1));
  work_.RunAll();

  EXPECT_EQ(wakes_, 0);
}

TEST_F(ManualAlarmTest, WakesOnceForManyAndThenAgain) {
  alarm_.Set(kNoon - seconds(1));
  alarm_.Set(kNoon);
  work_.RunAll();
  EXPECT_EQ(wakes_, 1);

  alarm_.Set(kNoon);
  work_.RunAll();
  EXPECT_EQ(wakes_, 2);
}

}  // namespace
}  // namespace wharf
