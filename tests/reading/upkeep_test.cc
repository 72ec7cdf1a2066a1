// What is told of a batch that was applied: the time goes to what drops garbage, space to the
// thread for compactions.

#include "broker/reading/upkeep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/records.h"
#include "storage/memory/memory_store.h"
#include "tests/harness/held_executor.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::SizeIs;

constexpr Timestamp kNow{std::chrono::hours(24 * 365 * 50)};

class UpkeepTest : public ::testing::Test {
 protected:
  bool IsForgotten(Timestamp forget_after) {
    return garbage_.IsForgotten(EncodeDuplicate({SequenceNumber(1), forget_after}));
  }

  MemoryStore store_;
  HeldExecutor awaited_;
  HeldExecutor background_;
  HeldExecutor compactions_;
  const Readers readers_{store_, {awaited_, background_, compactions_}};
  Garbage garbage_;
  Upkeep upkeep_{garbage_, readers_};
};

TEST_F(UpkeepTest, TheTimeOfWhatIsAppliedDecidesWhatIsGarbage) {  // DUP-5
  EXPECT_FALSE(IsForgotten(kNow));

  upkeep_.OnApplied({.time = kNow, .freed = {}});
  EXPECT_TRUE(IsForgotten(kNow));
  EXPECT_FALSE(IsForgotten(kNow + seconds(1)));

  // A batch that says no time leaves it as it was.
  upkeep_.OnApplied({});
  EXPECT_TRUE(IsForgotten(kNow));
}

TEST_F(UpkeepTest, SpaceIsGivenBackOnTheThreadForCompactions) {
  upkeep_.OnApplied({.time = kNow, .freed = {}});
  EXPECT_THAT(compactions_.works, SizeIs(0));

  upkeep_.OnApplied({.time = {}, .freed = {{TableId(1), {"a", "b"}}}});
  EXPECT_THAT(compactions_.works, SizeIs(1));
  EXPECT_THAT(awaited_.works, SizeIs(0));
  EXPECT_THAT(background_.works, SizeIs(0));
}

}  // namespace
}  // namespace wharf
