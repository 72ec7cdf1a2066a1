#include "replication/peers/streams/redial_pause.h"

#include <set>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::milliseconds;

class RedialPauseTest : public ::testing::Test {
 protected:
  SeededRandom random_{1};
  RedialPause pause_{{.first = milliseconds(100), .longest = milliseconds(5000)}, random_};
};

TEST_F(RedialPauseTest, GrowsToItsBoundAndNotBeyond) {
  for (const int due : {100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000}) {
    const Duration pause = pause_.Next();
    EXPECT_LE(pause, milliseconds(due));
    EXPECT_GE(pause, milliseconds(due) * 3 / 4);
  }
}

TEST_F(RedialPauseTest, AfterASuccessItBeginsAnew) {
  for (int i = 0; i < 5; ++i) pause_.Next();

  pause_.Reset();

  EXPECT_LE(pause_.Next(), milliseconds(100));
}

TEST_F(RedialPauseTest, TwoNodesAreNotInStep) {
  SeededRandom other(2);
  RedialPause theirs({.first = milliseconds(100), .longest = milliseconds(5000)}, other);

  std::set<Duration> pauses;
  for (int i = 0; i < 8; ++i) {
    pauses.insert(pause_.Next());
    pauses.insert(theirs.Next());
  }

  EXPECT_EQ(pauses.size(), 16u);
}

}  // namespace
}  // namespace wharf
