#include "broker/engine/shard_thread.h"

#include <semaphore>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kNoon = Timestamp(1'800'000'000s);

// A shard's thread, and how often its alarm has rung.
class ShardThreadTest : public ::testing::Test {
 protected:
  ShardThreadTest() {
    thread_.WakeAtAlarm([this] {
      ++rings_;
      rung_.release();
    });
  }

  void SetTo(Timestamp time) {
    thread_.Post([this, time] { thread_.Set(time); });
  }
  // The thread looks for alarms between what was posted.
  void LookOften(int times) {
    thread_.Post([this, times] {
      if (times > 0) LookOften(times - 1);
    });
  }

  ManualClock clock_{kNoon};
  std::counting_semaphore<> rung_{0};
  int rings_ = 0;
  ShardThread thread_{clock_};
};

TEST_F(ShardThreadTest, RingsWhenTheTimeHasCome) {
  SetTo(kNoon + 1ms);

  rung_.acquire();
}

TEST_F(ShardThreadTest, RingsAtOnceForATimeThatHasPassed) {
  SetTo(kNoon - 1h);

  rung_.acquire();
}

TEST_F(ShardThreadTest, RingsForTheLastTimeOnlyAndOnce) {
  SetTo(kNoon + 1h);
  SetTo(kNoon + 1ms);
  rung_.acquire();
  LookOften(100);

  thread_.Join();
  EXPECT_EQ(rings_, 1);
}

TEST_F(ShardThreadTest, DoesNotRingWhenItIsSetToNeverMeanwhile) {
  thread_.Post([this] {
    thread_.Set(kNoon - 1h);
    thread_.Set(kNever);
  });
  LookOften(100);

  thread_.Join();
  EXPECT_EQ(rings_, 0);
}

// More nanoseconds than 64 bits hold: a queue that may be idle for a thousand years.
TEST_F(ShardThreadTest, DoesNotRingForATimeThousandsOfYearsAhead) {
  for (const Timestamp far : {kNoon + 24h * 365 * 1000, kNever - 1us}) SetTo(far);
  LookOften(100);

  thread_.Join();
  EXPECT_EQ(rings_, 0);
}

TEST_F(ShardThreadTest, RingsAgainForTheSameTime) {
  SetTo(kNoon);
  rung_.acquire();
  SetTo(kNoon);
  rung_.acquire();
}

}  // namespace
}  // namespace wharf
