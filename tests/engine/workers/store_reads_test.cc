// Reads behind a turn: when they begin, and how many of those that nobody waits for.

#include "broker/engine/turn/store_reads.h"

#include <gmock/gmock.h>

#include "tests/engine/workers/worker_fixture.h"
#include "tests/harness/held_executor.h"

namespace wharf {
namespace {

using ::testing::SizeIs;

class StoreReadsTest : public WorkerFixture {
 protected:
  void ReadAfter(Turn& turn, Urgency urgency) {
    store_reads_.ReadAfter(
        turn, urgency, [this](const StoreView&) -> Task { return [this](Turn&) { ++planned_; }; });
  }
  void PlanNext() {
    Plan([&](Turn& turn) {
      Task task = std::move(tasks_.tasks.front());
      tasks_.tasks.pop_front();
      std::move(task)(turn);
    });
  }

  HeldExecutor awaited_;
  HeldExecutor background_;
  const Readers readers_{store_, {awaited_, background_}};
  StoreReads store_reads_{readers_, tasks_};
  int planned_ = 0;
};

TEST_F(StoreReadsTest, NothingIsReadBeforeTheTurnIsCommitted) {
  Plan([&](Turn& turn) {
    ReadAfter(turn, Urgency::kAwaited);
    ReadAfter(turn, Urgency::kBackground);
    EXPECT_THAT(awaited_.works, SizeIs(0));
    EXPECT_THAT(background_.works, SizeIs(0));
  });
  EXPECT_THAT(awaited_.works, SizeIs(1));
  EXPECT_THAT(background_.works, SizeIs(1));
}

// Who waits for it must hear why nothing comes.
TEST_F(StoreReadsTest, AlsoBehindATurnThatFailed) {
  Turn turn(now());
  ReadAfter(turn, Urgency::kAwaited);
  turn.Publish({ErrorCode::kGeneralError, "the disk is gone"});
  EXPECT_THAT(awaited_.works, SizeIs(1));
}

TEST_F(StoreReadsTest, OfWhatNobodyWaitsForAFewAreUnderWayUntilTheyArePlanned) {
  Plan([&](Turn& turn) {
    for (std::size_t i = 0; i < StoreReads::kBackgroundMax + 2; ++i) {
      ReadAfter(turn, Urgency::kBackground);
    }
    ReadAfter(turn, Urgency::kAwaited);
  });
  ASSERT_THAT(background_.works, SizeIs(StoreReads::kBackgroundMax));
  EXPECT_THAT(awaited_.works, SizeIs(1));

  // What was read is still in memory until it is planned.
  background_.RunOne();
  EXPECT_THAT(background_.works, SizeIs(StoreReads::kBackgroundMax - 1));
  PlanNext();
  EXPECT_THAT(background_.works, SizeIs(StoreReads::kBackgroundMax));

  while (!background_.works.empty()) {
    background_.RunOne();
    PlanNext();
  }
  EXPECT_EQ(planned_, static_cast<int>(StoreReads::kBackgroundMax) + 2);
}

}  // namespace
}  // namespace wharf
