// reliability 38

#include "storage/base/broker_clock.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/heard_log.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Timestamp kNoon = Timestamp(1'800'000'000s);

// The clocks of a machine, moved by hand.
class Machine {
 public:
  BrokerClock::Sources sources() {
    return {.wall = [this] { return wall; },
            .monotonic = [this] { return monotonic; },
            .awake = [this] { return awake; }};
  }

  void Pass(Duration span) {
    Sleep(span);
    awake += span;
  }
  // Suspended.
  void Sleep(Duration span) {
    wall += span;
    monotonic += span;
  }

  Timestamp wall = kNoon;
  Duration monotonic = 1000s;
  Duration awake = 900s;

 private:
  QuietLog quiet_;  // Jumps are reported.
};

TEST(BrokerClockTest, StartsAtTheWallClockIfTheStoreIsOlder) {
  Machine machine;

  EXPECT_EQ(BrokerClock(machine.sources(), kNoon - 1h).Now(), kNoon);
}

TEST(BrokerClockTest, StartsAtTheLastCommittedTimeIfTheWallClockIsBehind) {
  Machine machine;

  EXPECT_EQ(BrokerClock(machine.sources(), kNoon + 1h).Now(), kNoon + 1h);
}

// Another machine told the time until now, and its clock went an hour before or behind ours:
// nothing expires at once, and no lock lasts longer.
TEST(BrokerClockTest, GoesOnFromAnInstantWhateverTheWallClockSays) {
  for (const Duration difference : {Duration(1h), Duration(-1h)}) {
    Machine machine;
    BrokerClock clock(machine.sources(), BrokerClock::GoesOnFrom{kNoon + difference});

    EXPECT_EQ(clock.Now(), kNoon + difference);
    machine.Pass(10s);

    const Duration steered = difference > 0s ? -5ms : 5ms;  // 500 ppm of ten seconds.
    EXPECT_EQ(clock.Now(), kNoon + difference + 10s + steered);
    EXPECT_EQ(clock.Lead(), difference + steered);
  }
}

TEST(BrokerClockTest, RunsWithTheMonotonicClock) {
  Machine machine;
  BrokerClock clock(machine.sources(), kNoon);

  machine.Pass(90s);

  EXPECT_EQ(clock.Now(), kNoon + 90s);
  EXPECT_EQ(clock.Lead(), 0s);
}

TEST(BrokerClockTest, JumpsOfTheWallClockAreNotFollowed) {
  for (const Duration jump : {Duration(1h), Duration(-1h), Duration(87600h), Duration(-87600h)}) {
    Machine machine;
    BrokerClock clock(machine.sources(), kNoon);

    machine.wall += jump;
    EXPECT_EQ(clock.Now(), kNoon);
    machine.Pass(10s);

    const Duration steered = jump > 0s ? 5ms : -5ms;  // 500 ppm of ten seconds.
    EXPECT_EQ(clock.Now(), kNoon + 10s + steered);
    EXPECT_EQ(clock.Lead(), steered - jump);
  }
}

TEST(BrokerClockTest, SmallDifferencesAreSteeredAwayAndThenStay) {
  Machine machine;
  BrokerClock clock(machine.sources(), kNoon);
  machine.wall += 1ms;

  machine.Pass(1s);
  EXPECT_EQ(clock.Now(), machine.wall - 500us);
  machine.Pass(1s);
  EXPECT_EQ(clock.Now(), machine.wall);
  machine.Pass(1s);
  EXPECT_EQ(clock.Now(), machine.wall);
}

// Who asks every 300 us gets as near to the wall clock as who asks every second.
TEST(BrokerClockTest, StepsThatAreTooShortToSteerAddUp) {
  Machine machine;
  BrokerClock clock(machine.sources(), kNoon);
  machine.wall += 1s;

  for (int i = 0; i < 10'000; ++i) {
    machine.Pass(300us);
    clock.Now();
  }

  EXPECT_EQ(clock.Lead(), -1s + 1500us);  // 500 ppm of three seconds.
}

TEST(BrokerClockTest, GoesOnWhileTheMachineIsSuspendedAndSaysSo) {
  Machine machine;
  BrokerClock clock(machine.sources(), kNoon);
  const HeardLog log;

  machine.Pass(1h);
  EXPECT_EQ(clock.Now(), kNoon + 1h);
  EXPECT_THAT(log.lines(), IsEmpty());
  machine.Sleep(8h);
  EXPECT_EQ(clock.Now(), kNoon + 9h);
  machine.Pass(1h);
  EXPECT_EQ(clock.Now(), kNoon + 10h);

  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("suspended for 28800 s")));
  EXPECT_EQ(clock.Lead(), 0s);
}

// The one clock was read before it was held up, and the other behind.
TEST(BrokerClockTest, AThreadThatIsHeldUpIsNoSuspend) {
  Machine machine;
  BrokerClock clock(machine.sources(), kNoon);
  const HeardLog log;

  machine.awake += 5s;
  clock.Now();
  machine.wall += 5s;
  machine.monotonic += 5s;
  clock.Now();

  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST(BrokerClockTest, StandsStillIfTheMonotonicClockDoes) {
  Machine machine;
  BrokerClock clock(machine.sources(), kNoon);

  machine.monotonic -= 1s;

  EXPECT_EQ(clock.Now(), kNoon);
}

TEST(BrokerClockTest, NeverGoesBackWhateverTheWallClockDoes) {
  const std::uint64_t seed = 20261121;
  const SeedNote note("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Machine machine;
  BrokerClock clock(machine.sources(), kNoon);

  Timestamp before = clock.Now();
  for (int i = 0; i < 100'000; ++i) {
    const Duration passed(random() % 20'000);
    machine.monotonic += passed;
    machine.wall += Duration(static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000);
    const Timestamp now = clock.Now();
    // And what the steps before were too short for.
    ASSERT_GE(now - before, passed - passed / 2000 - 1us);
    ASSERT_LE(now - before, passed + passed / 2000 + 1us);
    ASSERT_LE(abs((now - kNoon) - (machine.monotonic - 1000s)), (machine.monotonic - 1000s) / 2000);
    before = now;
  }
}

TEST(BrokerClockTest, WallClockMoreThanAYearAheadIsRefused) {
  const Duration year = 24h * 365;

  EXPECT_TRUE(BrokerClock::CheckStart(kNoon, kNoon).ok());
  EXPECT_TRUE(BrokerClock::CheckStart(kNoon, kNoon + 10 * year).ok());
  EXPECT_TRUE(BrokerClock::CheckStart(kNoon + year, kNoon).ok());
  const Status refused = BrokerClock::CheckStart(kNoon + year + 1us, kNoon);
  EXPECT_THAT(refused.message(), HasSubstr("--accept-clock"));
}

TEST(BrokerClockTest, NewStoreAcceptsAnyWallClock) {
  EXPECT_TRUE(BrokerClock::CheckStart(kNoon, Timestamp()).ok());
}

TEST(BrokerClockTest, SystemClocksAreThere) {
  BrokerClock clock(BrokerClock::SystemSources(), Timestamp());

  const Timestamp before = clock.Now();

  EXPECT_GT(before, kNoon - 24h * 3650);
  EXPECT_GE(clock.Now(), before);
}

}  // namespace
}  // namespace wharf
