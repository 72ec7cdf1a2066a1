// Sessions that links hold: nobody can come back to them with a token, so they are free when the
// broker starts again (SES-24).

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/sessions/session_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class SessionLinkTest : public SessionFixture {
 protected:
  static SessionChoice ByLink(std::optional<std::string> id) {
    return {.id = std::move(id), .wait = seconds(20), .held_by = HeldBy::kLink};
  }
};

TEST_F(SessionLinkTest, WhatALinkHeldIsFreeAfterARestartAndCountsNothing) {  // SES-24, CNT-10
  SendTo("a", 3);
  const TestReceiver holder = AttachFor(ByLink("a"), 2);
  ASSERT_THAT(holder.events(), ElementsAre("accepted a", "1", "2"));

  engine_.Restart();

  EXPECT_THAT(CountsOf("a"), ElementsAre(0, 0, 0));
  const TestReceiver next = AttachFor(ByLink("a"), 3);
  EXPECT_THAT(next.events(), ElementsAre("accepted a", "1", "2", "3"));
}

TEST_F(SessionLinkTest, SoIsTheNextOneThatALinkWasGiven) {  // SES-24
  SendTo("a");
  const TestReceiver holder = AttachFor(ByLink(std::nullopt));
  ASSERT_THAT(holder.events(), ElementsAre("accepted a", "1"));

  engine_.Restart();

  EXPECT_EQ(engine_.AcceptSession("jobs")->id, "a");
  EXPECT_THAT(CountsOf("a"), ElementsAre(0));
}

// Nobody was there who could have used its time.
TEST_F(SessionLinkTest, AlsoIfItsTimeIsOverWhenTheBrokerStarts) {  // SES-24
  SendTo("a", 2);
  AttachFor(ByLink("a"));

  engine_.Restart(seconds(60));

  EXPECT_THAT(CountsOf("a"), ElementsAre(0, 0));
}

// More than are given back in a turn: whoever comes meanwhile is let in.
TEST_F(SessionLinkTest, AreManyAtAStart) {
  constexpr int kSessions = 300;
  for (int i = 0; i < kSessions; ++i) {
    SendTo(std::to_string(i));
    AttachFor(ByLink(std::to_string(i)));
  }

  engine_.Crash();
  std::vector<Result<AcceptedSession>> accepted;
  for (int i = 0; i < kSessions; ++i) {
    broker().AcceptSession("jobs", {.id = std::to_string(i)},
                           [&](const Result<AcceptedSession>& got) { accepted.push_back(got); });
  }
  engine_.Run();

  ASSERT_THAT(accepted, SizeIs(kSessions));
  for (const Result<AcceptedSession>& got : accepted) {
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_THAT(CountsOf(got->id), Each(0));
  }
}

TEST_F(SessionLinkTest, OneWithATokenStaysHeldOverARestart) {  // SES-24
  SendTo("a", 2);
  const TestReceiver holder = AttachFor(SessionChoice{.id = "a"}, 1);
  ASSERT_THAT(holder.events(), ElementsAre("accepted a", "1"));

  engine_.Restart();

  EXPECT_EQ(engine_.AcceptSession("jobs", "a").status().code(), ErrorCode::kSessionCannotBeLocked);
  engine_.Advance(seconds(30));
  EXPECT_THAT(CountsOf("a"), ElementsAre(1, 0));
}

TEST_F(SessionLinkTest, WhileTheLinkIsThereTheEndOfTheLockCounts) {  // CNT-8, SES-15
  SendTo("a", 2);
  const TestReceiver holder = AttachFor(ByLink("a"), 1);

  engine_.Advance(seconds(30));

  EXPECT_THAT(holder.events(), ElementsAre("accepted a", "1", "detached SessionLockLost"));
  EXPECT_THAT(CountsOf("a"), ElementsAre(1, 0));
}

}  // namespace
}  // namespace wharf
