// Calls that accept a session: how they wait, and what keeps them from it.

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "broker/engine/delivery/session_desk.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/engine/sessions/session_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

class SessionAcceptTest : public SessionFixture {
 protected:
  explicit SessionAcceptTest(const ShardLimits& limits = {}) : SessionFixture(limits) {}

  // Overwrites the row of a message, beneath the broker.
  void Damage(std::uint64_t number) {
    is_damaged_ = true;
    spdlog::set_level(spdlog::level::off);
    const EntityId id = engine_.GetQueue("jobs")->record.id;
    WriteBatch batch;
    batch.Put(IdOf(Table::kMessages), MessageKey({id, LaneKind::kMain}, SequenceNumber(number)),
              "damaged");
    engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  }
  void TearDown() override {
    SessionFixture::TearDown();
    spdlog::set_level(spdlog::level::info);
  }
};

TEST_F(SessionAcceptTest, AWaitIsServedWhenAMessageComes) {  // SES-5
  Pending<AcceptedSession> pending;
  AskNext(pending, seconds(20));
  engine_.Advance(seconds(10));
  EXPECT_FALSE(pending.result);

  SendTo("a");

  ASSERT_TRUE(pending.result && pending.result->ok());
  EXPECT_EQ((*pending.result)->id, "a");
}

TEST_F(SessionAcceptTest, WhoWaitsLongestIsServedFirst) {
  Pending<AcceptedSession> first;
  Pending<AcceptedSession> second;
  AskNext(first, seconds(20));
  AskNext(second, seconds(20));

  SendTo("a");

  EXPECT_TRUE(first.result);
  EXPECT_FALSE(second.result);
  engine_.Advance(seconds(20));
  ASSERT_TRUE(second.result);
  EXPECT_EQ(second.result->status().code(), ErrorCode::kServiceTimeout);
}

TEST_F(SessionAcceptTest, ACancelledWaitEndsAtOnceAndTakesNothing) {
  Pending<AcceptedSession> pending;
  const auto cancel = AskNext(pending, seconds(20));

  cancel();
  engine_.Run();
  SendTo("a");

  ASSERT_TRUE(pending.result);
  EXPECT_EQ(pending.result->status().code(), ErrorCode::kServiceTimeout);
  EXPECT_EQ(engine_.AcceptSession("jobs")->id, "a");
}

TEST_F(SessionAcceptTest, ClosingTheBrokerEndsWaits) {
  Pending<AcceptedSession> pending;
  AskNext(pending, seconds(20));
  const TestReceiver receiver = AttachFor(SessionChoice{.id = "a"});

  engine_.shard().Close(Status(ErrorCode::kServiceBusy, "the broker stops"));
  engine_.Run();

  ASSERT_TRUE(pending.result);
  EXPECT_FALSE(pending.result->ok());
  EXPECT_EQ(receiver.events().back().rfind("detached", 0), 0U);
  EXPECT_FALSE(engine_.AcceptSession("jobs", "b").ok());
}

// While the message of its last holder is read, to become a dead letter.
TEST_F(SessionAcceptTest, ASessionThatComesBackIsNotGivenByAQueueThatWasDisabledMeanwhile) {
  QueueDescription jobs = Jobs();
  jobs.max_delivery_count = 1;
  ASSERT_TRUE(engine_.UpdateQueue(jobs).ok());
  SendTo("a");
  const AcceptedSession held = *engine_.AcceptSession("jobs", "a");
  const TestReceiver receiver = AttachFor(SessionUse(held.token));
  ASSERT_EQ(receiver.sink->deliveries.size(), 1U);
  engine_.clock().Advance(seconds(30));
  Pending<AcceptedSession> again;
  Pending<QueueSnapshot> updated;
  broker().AcceptSession("jobs", {.id = "a"}, again.answer());
  jobs.status = EntityStatus::kReceiveDisabled;
  broker().UpdateQueue(jobs, updated.answer());
  engine_.Run();

  ASSERT_TRUE(updated.result->ok());
  ASSERT_TRUE(again.result);
  EXPECT_EQ(again.result->status().code(), ErrorCode::kMessagingEntityDisabled);
}

// As many as may wait for the next one; and they give their places back.
TEST_F(SessionAcceptTest, SoManyCallsWaitForANamedSessionThatIsOnItsWayBack) {  // ERR-10
  QueueDescription jobs = Jobs();
  jobs.max_delivery_count = 1;
  ASSERT_TRUE(engine_.UpdateQueue(jobs).ok());
  for (int round = 0; round < 2; ++round) {
    SendTo("a");
    const AcceptedSession held = *engine_.AcceptSession("jobs", "a");
    ASSERT_EQ(engine_.Receive("jobs", 1, ReceiveMode::kPeekLock, held.token)->size(), 1U);
    engine_.clock().Advance(seconds(30));
    std::map<ErrorCode, std::size_t> heard;
    std::size_t told = 0;
    std::optional<LockToken> token;
    // Its message must be read, to become a dead letter, and nothing is read behind this commit.
    engine_.memory_log().Hold();
    broker().Send("orders", {TenBytes()}, false, [](const Result<SendReceipt>&) {});
    for (std::size_t i = 0; i < SessionDesk::kCallsWaitingMax + 3; ++i) {
      broker().AcceptSession("jobs", {.id = "a"}, [&](const Result<AcceptedSession>& accepted) {
        ++heard[accepted.status().code()];
        ++told;
        if (accepted.ok()) token = accepted->token;
      });
    }
    engine_.Run();
    EXPECT_EQ(told, 0U);
    engine_.memory_log().Release();

    EXPECT_LE(MostHeardAtOnce(told), Turn::kEndingsMax + 3);
    EXPECT_EQ(heard[ErrorCode::kServiceBusy], 3U);
    EXPECT_EQ(heard[ErrorCode::kOk], 1U);
    EXPECT_EQ(heard[ErrorCode::kSessionCannotBeLocked], SessionDesk::kCallsWaitingMax - 1);
    ASSERT_TRUE(token);
    ASSERT_TRUE(engine_.ReleaseSession("jobs", *token).ok());
  }
}

TEST_F(SessionAcceptTest, SoManyCallsWaitForTheNextSession) {
  std::size_t refused = 0;
  for (std::size_t i = 0; i < SessionDesk::kCallsWaitingMax + 2; ++i) {
    broker().AcceptSession("jobs", Next(seconds(20)), [&](const Result<AcceptedSession>& accepted) {
      if (accepted.status().code() == ErrorCode::kQuotaExceeded) ++refused;
    });
  }
  engine_.Run();

  EXPECT_EQ(refused, 2U);
  EXPECT_TRUE(engine_.AcceptSession("jobs", "a").ok());
  engine_.Advance(seconds(20));
}

// Ten times as many calls wait as end in a turn.
class ManyCallsTest : public SessionAcceptTest {
 protected:
  static constexpr std::size_t kCalls = 10 * Turn::kEndingsMax;

  void AskMany(const SessionChoice& choice) {
    for (std::size_t i = 0; i < kCalls; ++i) {
      cancels_.push_back(
          broker().AcceptSession("jobs", choice, [this](const Result<AcceptedSession>& accepted) {
            ++heard_;
            ++codes_[accepted.status().code()];
          }));
    }
    engine_.Run();
    ASSERT_EQ(heard_, 0U);
  }
  void ExpectAllHeard(ErrorCode code) {
    EXPECT_EQ(heard_, kCalls);
    EXPECT_EQ(codes_[code], kCalls);
  }

  std::vector<Broker::Cancel> cancels_;
  std::size_t heard_ = 0;
  std::map<ErrorCode, std::size_t> codes_;
};

TEST_F(ManyCallsTest, WhoseWaitIsOverHearInSeveralTurns) {
  AskMany(Next(seconds(20)));
  engine_.clock().Advance(seconds(20));

  EXPECT_LE(MostHeardAtOnce(heard_), Turn::kEndingsMax);
  ExpectAllHeard(ErrorCode::kServiceTimeout);
}

TEST_F(ManyCallsTest, ThatAreCancelledTogetherHearInSeveralTurns) {
  AskMany(Next(seconds(20)));
  for (const Broker::Cancel& cancel : cancels_) cancel();

  EXPECT_LE(MostHeardAtOnce(heard_), Turn::kEndingsMax);
  ExpectAllHeard(ErrorCode::kServiceTimeout);
}

TEST_F(ManyCallsTest, WhoseQueueIsDeletedHearInSeveralTurns) {
  AskMany(Next(seconds(20)));
  broker().DeleteQueue("jobs", [](const Result<std::monostate>&) {});

  EXPECT_EQ(MostHeardAtOnce(heard_), Turn::kEndingsMax);
  ExpectAllHeard(ErrorCode::kMessagingEntityNotFound);
}

// They are refused, also where a session comes meanwhile; new ones are not.
TEST_F(ManyCallsTest, WhoseQueueIsDisabledForAMomentHearSo) {
  AskMany(Next(seconds(20)));
  QueueDescription disabled = Jobs();
  disabled.status = EntityStatus::kReceiveDisabled;
  broker().Update(EntityKind::kQueue, disabled, [](const Result<QueueSnapshot>&) {});
  broker().Update(EntityKind::kQueue, Jobs(), [](const Result<QueueSnapshot>&) {});
  Pending<AcceptedSession> next;
  const auto cancel = broker().AcceptSession("jobs", Next(seconds(20)), next.answer());
  SendTo("a");

  ExpectAllHeard(ErrorCode::kMessagingEntityDisabled);
  ASSERT_TRUE(next.result && next.result->ok());
  EXPECT_EQ((*next.result)->id, "a");
}

TEST_F(ManyCallsTest, WhenTheBrokerStopsAllHear) {
  AskMany(Next(seconds(20)));
  broker().DeleteQueue("jobs", [](const Result<std::monostate>&) {});
  engine_.work().RunUntil([this] { return heard_ > 0; });
  ASSERT_LT(heard_, kCalls);
  engine_.shard().Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"});
  engine_.Run();

  EXPECT_EQ(heard_, kCalls);
}

TEST_F(SessionAcceptTest, AReceiverMustSayHowItUsesSessions) {  // SES-4
  Pending<AttachedReceiver> attached;
  broker().Attach({"jobs", ReceiveMode::kPeekLock}, std::make_shared<RecordingSink>(),
                  attached.answer());
  engine_.Run();

  EXPECT_EQ(attached.result->status().code(), ErrorCode::kInvalidOperation);
}

class ManyHeldSessionsTest : public SessionAcceptTest {
 protected:
  // More than one page of the list looks at; and one that nobody holds.
  ManyHeldSessionsTest() {
    for (int i = 0; i < 2500; ++i) {
      ids_.push_back(fmt::format("s{:04}", i));
      EXPECT_TRUE(engine_.AcceptSession("jobs", ids_.back()).ok());
    }
    ids_.emplace_back("s1234a");
    SendTo(ids_.back());
    std::sort(ids_.begin(), ids_.end());
  }

  // Page by page.
  std::vector<std::string> List(std::optional<Timestamp> state_updated_since = {}) {
    std::vector<std::string> listed;
    ListSessionsRequest request{.entity = {"jobs"}, .count_max = 250};
    request.state_updated_since = state_updated_since;
    for (int pages = 0; pages < 100; ++pages) {
      const Result<SessionPage> page = engine_.ListSessions(request);
      EXPECT_TRUE(page.ok());
      for (const SessionInfo& session : page->sessions) listed.push_back(session.id);
      if (!page->next_after) return listed;
      request.after = page->next_after;
    }
    ADD_FAILURE() << "the pages have no end";
    return listed;
  }

  std::vector<std::string> ids_;
};

TEST_F(ManyHeldSessionsTest, AreListedPageByPage) {  // SLS-1
  EXPECT_EQ(List(), ids_);
}

TEST_F(ManyHeldSessionsTest, OneOfThemIsFoundByItsState) {  // SLS-1
  ASSERT_TRUE(engine_.ForceReleaseSession("jobs", "s2400").ok());
  const LockToken token = engine_.AcceptSession("jobs", "s2400")->token;
  ASSERT_TRUE(engine_.SetSessionState("jobs", token, "state").ok());

  EXPECT_THAT(List(engine_.clock().Now()), ElementsAre("s2400"));
}

class OneHeldSessionTest : public SessionAcceptTest {
 protected:
  static ShardLimits OneHeld() {
    ShardLimits limits;
    limits.broker.queue.held_sessions_max = 1;
    return limits;
  }
  OneHeldSessionTest() : SessionAcceptTest(OneHeld()) {}
};

TEST_F(OneHeldSessionTest, AWaitEndsInTimeThoughNoMoreSessionsMayBeHeld) {  // SES-5
  SendTo("a");
  SendTo("b");
  const AcceptedSession held = *engine_.AcceptSession("jobs");
  Pending<AcceptedSession> pending;
  AskNext(pending, seconds(20));

  engine_.Advance(seconds(20));

  ASSERT_TRUE(pending.result);
  EXPECT_EQ(pending.result->status().code(), ErrorCode::kServiceTimeout);
}

// SES-6
TEST_F(SessionAcceptTest, ASessionWhoseFirstMessageWentIsOfferedFromItsNextOne) {
  SendTo("a", 2);
  ASSERT_TRUE(engine_.DeleteOldest("jobs", 1).ok());

  const Result<AcceptedSession> next = engine_.AcceptSession("jobs");

  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_EQ(next->id, "a");
}

TEST_F(OneHeldSessionTest, AWaitIsServedWhenOneComesBack) {
  SendTo("a");
  SendTo("b");
  const AcceptedSession held = *engine_.AcceptSession("jobs");
  ASSERT_TRUE(engine_.Receive("jobs", 9, ReceiveMode::kReceiveAndDelete, held.token).ok());
  Pending<AcceptedSession> pending;
  AskNext(pending, seconds(20));
  EXPECT_FALSE(pending.result);

  ASSERT_TRUE(engine_.ReleaseSession("jobs", held.token).ok());

  ASSERT_TRUE(pending.result && pending.result->ok());
  EXPECT_EQ((*pending.result)->id, "b");
}

TEST_F(SessionAcceptTest, ASessionWhoseMessageCannotBeReadIsFreeAgain) {
  QueueDescription once = Jobs();
  once.max_delivery_count = 1;
  ASSERT_TRUE(engine_.UpdateQueue(once).ok());
  SendTo("a", 2);
  const AcceptedSession held = *engine_.AcceptSession("jobs", "a");
  ASSERT_EQ(engine_.Receive("jobs", 1, ReceiveMode::kPeekLock, held.token)->size(), 1U);
  Damage(1);

  engine_.Advance(seconds(30));

  EXPECT_EQ(engine_.RenewSession("jobs", held.token).status().code(), ErrorCode::kSessionLockLost);
  const Result<AcceptedSession> again = engine_.AcceptSession("jobs", "a");
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(engine_.GetQueue("jobs")->main.quarantined, 1);
  EXPECT_EQ(engine_.Receive("jobs", 9, ReceiveMode::kPeekLock, again->token)->size(), 1U);
}

TEST_F(SessionAcceptTest, ASessionOfWhichNothingCanBeReadIsNotOffered) {
  SendTo("a");
  Damage(1);
  engine_.Restart();

  EXPECT_EQ(engine_.AcceptSession("jobs").status().code(), ErrorCode::kServiceTimeout);
  EXPECT_EQ(engine_.GetQueue("jobs")->main.quarantined, 1);
  EXPECT_TRUE(engine_.AcceptSession("jobs", "b").ok());
}

}  // namespace
}  // namespace wharf
