// Who holds a session, as the list of sessions tells it: whoever accepted it, or came with its
// token last.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/engine/sessions/session_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;

const std::string kUnknown = "unknown";
const std::string kNobody = "nobody";

class SessionHolderTest : public SessionFixture {
 protected:
  Requests& requests() { return broker().requests(); }

  Result<AcceptedSession> AcceptAs(const std::string& peer, std::optional<std::string> session) {
    std::shared_ptr<WaitHandle> wait;
    return engine_.Await<AcceptedSession>([&](Answer<AcceptedSession> answer) {
      wait = requests().Wait({.peer = peer},
                             AcceptSessionRequest{{"jobs"}, {.id = std::move(session)}},
                             std::move(answer));
    });
  }
  HolderId AttachAs(const std::string& peer, SessionUse use) {
    const auto attached = engine_.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
      broker().Attach({"jobs", ReceiveMode::kPeekLock, std::move(use), peer},
                      std::make_shared<RecordingSink>(), std::move(answer));
    });
    EXPECT_TRUE(attached.ok()) << attached.status().ToString();
    broker().Grant(attached->id, {10, std::nullopt});
    engine_.Run();
    return attached->id;
  }
  void RenewAs(const std::string& peer, const LockToken& token) {
    const auto renewed = engine_.Await<Timestamp>([&](Answer<Timestamp> answer) {
      requests().Ask({.peer = peer}, RenewSessionRequest{{"jobs"}, token}, std::move(answer));
    });
    EXPECT_TRUE(renewed.ok()) << renewed.status().ToString();
  }
  std::string HolderOf(const std::string& session) {
    const Result<SessionPage> page =
        engine_.ListSessions(ListSessionsRequest{.entity = {"jobs"}, .count_max = 250});
    for (const SessionInfo& each : page->sessions) {
      if (each.id != session) continue;
      if (each.locked_until == kNever) return kNobody;
      return each.holder == nullptr ? kUnknown : each.holder->peer;
    }
    return "not there";
  }
};

TEST_F(SessionHolderTest, IsWhoAcceptedIt) {
  SendTo("red");
  SendTo("blue");
  SendTo("green");

  ASSERT_TRUE(AcceptAs("first", "blue").ok());
  ASSERT_EQ(AcceptAs("second", std::nullopt)->id, "red");

  EXPECT_EQ(HolderOf("blue"), "first");
  EXPECT_EQ(HolderOf("red"), "second");
  EXPECT_EQ(HolderOf("green"), kNobody);
}

// Of one connection each call may prove another rule.
TEST_F(SessionHolderTest, IsWhoeverItsTokenIsShownBy) {
  SendTo("red");
  const LockToken token = AcceptAs("one", "red")->token;
  const auto renewed_by = [&](access::Permit permit) {
    const auto renewed = engine_.Await<Timestamp>([&](Answer<Timestamp> answer) {
      requests().Ask({.peer = "one", .permit = std::make_shared<access::Permit>(std::move(permit))},
                     RenewSessionRequest{{"jobs"}, token}, std::move(answer));
    });
    EXPECT_TRUE(renewed.ok());
    const Result<SessionPage> page =
        engine_.ListSessions(ListSessionsRequest{.entity = {"jobs"}, .count_max = 250});
    return page->sessions.at(0).holder->identity;
  };

  EXPECT_EQ(renewed_by({.path = "jobs", .rule = "reader"}), "jobs#reader");
  EXPECT_EQ(renewed_by({.path = "jobs", .rule = "other"}), "jobs#other");
  EXPECT_EQ(renewed_by({.rule = "other"}), "#other");
  EXPECT_EQ(renewed_by({.rule = "other", .client = "CN=shop"}), "CN=shop");
  EXPECT_EQ(renewed_by({}), "");
}

TEST_F(SessionHolderTest, IsTheReceiverThatWasSeated) {
  AttachAs("named", SessionChoice{.id = "blue"});
  AttachAs("next", Next(seconds(10)));
  AttachAs("many", ManySessions{});
  SendTo("red");
  SendTo("green");

  EXPECT_EQ(HolderOf("blue"), "named");
  EXPECT_EQ(HolderOf("red"), "next");
  EXPECT_EQ(HolderOf("green"), "many");
}

TEST_F(SessionHolderTest, IsACallThatWaited) {
  Pending<AcceptedSession> pending;
  const auto wait = requests().Wait(
      {.peer = "patient"}, AcceptSessionRequest{{"jobs"}, Next(seconds(10))}, pending.answer());
  engine_.Run();
  SendTo("red");

  EXPECT_EQ(HolderOf("red"), "patient");
}

TEST_F(SessionHolderTest, IsTheNextOneWhenItWasTakenAway) {
  ASSERT_TRUE(AcceptAs("first", "red").ok());
  ASSERT_TRUE(engine_.ForceReleaseSession("jobs", "red").ok());
  ASSERT_TRUE(AcceptAs("second", "red").ok());

  EXPECT_EQ(HolderOf("red"), "second");
}

// Of one that is on its way back when it is accepted, too.
TEST_F(SessionHolderTest, IsTheNextOneWhenTheLockIsOver) {
  SendTo("red");
  AttachAs("first", SessionChoice{.id = "red"});
  engine_.clock().Advance(seconds(31));
  ASSERT_TRUE(AcceptAs("second", "red").ok());

  EXPECT_EQ(HolderOf("red"), "second");
}

// The lock outlives a restart, the connection does not: who holds it is known when it comes back.
TEST_F(SessionHolderTest, IsNotKnownAfterARestartUntilItComes) {
  const LockToken red = AcceptAs("before", "red")->token;
  const LockToken blue = AcceptAs("before", "blue")->token;
  const LockToken green = AcceptAs("before", "green")->token;
  ASSERT_TRUE(AcceptAs("before", "grey").ok());
  SendTo("blue");

  engine_.Restart();
  EXPECT_EQ(HolderOf("red"), kUnknown);

  RenewAs("renews", red);
  AttachAs("resumes", green);
  const auto received = engine_.Await<std::vector<Delivered>>([&](auto answer) {
    broker().ReceiveOnce(
        {.path = "jobs", .bytes_max = 1 << 20, .session = blue, .peer = "receives"},
        std::move(answer));
  });
  ASSERT_TRUE(received.ok());

  EXPECT_EQ(HolderOf("red"), "renews");
  EXPECT_EQ(HolderOf("green"), "resumes");
  EXPECT_EQ(HolderOf("blue"), "receives");
  EXPECT_EQ(HolderOf("grey"), kUnknown);
}

TEST_F(SessionHolderTest, IsNotWhoComesWithATokenThatIsVoid) {
  const LockToken before = AcceptAs("before", "red")->token;
  ASSERT_TRUE(engine_.ForceReleaseSession("jobs", "red").ok());
  ASSERT_TRUE(AcceptAs("now", "red").ok());

  const auto renewed = engine_.Await<Timestamp>([&](Answer<Timestamp> answer) {
    requests().Ask({.peer = "before"}, RenewSessionRequest{{"jobs"}, before}, std::move(answer));
  });

  EXPECT_EQ(renewed.status().code(), ErrorCode::kSessionLockLost);
  EXPECT_EQ(HolderOf("red"), "now");
}

}  // namespace
}  // namespace wharf
