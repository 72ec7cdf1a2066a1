// Dead letters that are sent to another queue.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;

class RedriveTest : public ReceiverFixture {
 protected:
  RedriveTest() {
    EXPECT_TRUE(engine_.CreateQueue({.name = "failed"}).ok());
    EXPECT_TRUE(engine_.Send("failed", "x").ok());
    const auto received = engine_.Receive("failed");
    EXPECT_TRUE(engine_.DeadLetter("failed", received->at(0).token).ok());
  }
};

TEST_F(RedriveTest, WhoWaitsAtTheTargetGetsTheMessageAtOnce) {  // RDR-1
  const TestReceiver receiver = AttachWith(1);

  const auto job = engine_.BeginJob(
      {.verb = JobVerb::kRedrive, .path = "failed/$DeadLetterQueue", .target = "orders"});

  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_THAT(receiver.events(), ElementsAre("1"));
}

}  // namespace
}  // namespace wharf
