// Receivers of sessions: one, the next one, many.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/sessions/session_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SessionReceiverTest : public SessionFixture {};

// SES-4, SES-10
TEST_F(SessionReceiverTest, ItHearsOfItsSessionBeforeTheFirstMessage) {
  SendTo("a", 2);
  SendTo("b");

  const TestReceiver receiver = AttachFor(SessionChoice{.id = "a"});

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1", "2"));
}

TEST_F(SessionReceiverTest, OneThatIsHeldBySomeoneElseEndsTheReceiver) {  // SES-4
  AttachFor(SessionChoice{.id = "a"});

  const TestReceiver second = AttachFor(SessionChoice{.id = "a"});

  EXPECT_THAT(second.events(), ElementsAre("detached SessionCannotBeLocked"));
}

TEST_F(SessionReceiverTest, TheNextSessionIsGivenWhenAMessageComes) {  // SES-5
  const TestReceiver receiver = AttachFor(Next(seconds(20)));
  EXPECT_THAT(receiver.events(), IsEmpty());

  SendTo("a");

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1"));
}

TEST_F(SessionReceiverTest, WithoutANextSessionItEndsWhenItsTimeIsOver) {  // SES-5
  const TestReceiver receiver = AttachFor(Next(seconds(20)));

  engine_.Advance(seconds(20));

  EXPECT_THAT(receiver.events(), ElementsAre("detached ServiceTimeout"));
}

TEST_F(SessionReceiverTest, TheEndOfTheLockEndsItAndCounts) {  // CNT-8, SES-15
  SendTo("a", 2);
  const TestReceiver receiver = AttachFor(SessionChoice{.id = "a"}, 1);

  engine_.Advance(seconds(30));

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1", "detached SessionLockLost"));
  EXPECT_THAT(CountsOf("a"), ElementsAre(1, 0));
}

TEST_F(SessionReceiverTest, WhoLeavesGivesItsSessionsBackWithoutCounting) {  // CNT-9, SES-24
  SendTo("a", 2);
  SendTo("b");
  const TestReceiver receiver = AttachFor(ManySessions{.idle_timeout = seconds(10)});
  ASSERT_THAT(receiver.events(), ElementsAre("accepted a", "accepted b", "1", "2", "3"));

  Detach(receiver);

  EXPECT_THAT(CountsOf("a"), ElementsAre(0, 0));
  EXPECT_EQ(engine_.AcceptSession("jobs")->id, "a");
  EXPECT_EQ(engine_.AcceptSession("jobs")->id, "b");
}

TEST_F(SessionReceiverTest, OfManySessionsItHoldsSoManyAtATime) {  // SES-17
  for (const char* session : {"a", "b", "c"}) SendTo(session);

  const TestReceiver receiver =
      AttachFor(ManySessions{.concurrent_max = 2, .idle_timeout = seconds(10)});

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "accepted b", "1", "2"));
}

TEST_F(SessionReceiverTest, AfterItsTurnTheNextSessionComes) {
  SendTo("a", 3);
  SendTo("b");
  const TestReceiver receiver = AttachFor(
      ManySessions{.concurrent_max = 1, .messages_per_turn = 2, .idle_timeout = seconds(10)});
  ASSERT_THAT(receiver.events(), ElementsAre("accepted a", "1", "2"));

  ASSERT_TRUE(Complete(receiver, 0).ok());
  EXPECT_THAT(receiver.events(), SizeIs(3));
  ASSERT_TRUE(Complete(receiver, 1).ok());

  EXPECT_THAT(receiver.events(),
              ElementsAre("accepted a", "1", "2", "ended a Ok", "accepted a", "3"));
}

TEST_F(SessionReceiverTest, AnIdleSessionIsGivenBackSoLongAfterTheLastSettlement) {
  SendTo("a");
  const TestReceiver receiver =
      AttachFor(ManySessions{.concurrent_max = 1, .idle_timeout = seconds(5)});
  engine_.Advance(seconds(4));
  ASSERT_TRUE(Complete(receiver, 0).ok());

  engine_.Advance(seconds(4));
  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1"));
  engine_.Advance(seconds(1));

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1", "ended a Ok"));
}

TEST_F(SessionReceiverTest, AMessageThatComesMeanwhileKeepsAnIdleSession) {
  SendTo("a");
  const TestReceiver receiver =
      AttachFor(ManySessions{.concurrent_max = 1, .idle_timeout = seconds(5)});
  ASSERT_TRUE(Complete(receiver, 0).ok());
  engine_.Advance(seconds(4));
  SendTo("a");

  engine_.Advance(seconds(20));

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1", "2"));
}

TEST_F(SessionReceiverTest, APurgedSessionIsIdle) {
  SendTo("a", 2);
  const TestReceiver receiver =
      AttachFor(ManySessions{.concurrent_max = 1, .idle_timeout = seconds(5)}, 1);
  ASSERT_THAT(receiver.events(), ElementsAre("accepted a", "1"));

  ASSERT_TRUE(engine_.Purge("jobs").ok());
  engine_.Advance(seconds(5));

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1", "ended a Ok"));
}

TEST_F(SessionReceiverTest, OfManySessionsTheOthersGoOnWhenALockEnds) {  // SES-15
  SendTo("a");
  SendTo("b");
  const TestReceiver receiver = AttachFor(ManySessions{.idle_timeout = seconds(50)}, 100);
  ASSERT_THAT(receiver.events(), ElementsAre("accepted a", "accepted b", "1", "2"));
  engine_.Advance(seconds(20));
  ASSERT_TRUE(engine_.RenewSession("jobs", receiver.sink->sessions[1].token).ok());

  engine_.Advance(seconds(10));
  SendTo("b");

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "accepted b", "1", "2",
                                             "ended a SessionLockLost", "accepted a", "1", "3"));
}

// Each session gets its part of the credit.
TEST_F(SessionReceiverTest, ADeepSessionDoesNotTakeAllTheCredit) {
  SendTo("a");
  SendTo("b");
  const TestReceiver receiver = AttachFor(ManySessions{.idle_timeout = seconds(5)}, 2);
  SendTo("a", 1000);
  SendTo("b", 1000);

  Grant(receiver, 64);

  std::size_t of_a = 0;
  for (const Delivered& delivered : receiver.sink->deliveries) {
    if (delivered.message->facts.session_id == "a") ++of_a;
  }
  EXPECT_THAT(receiver.sink->deliveries, SizeIs(66));
  EXPECT_EQ(of_a, 33U);
}

TEST_F(SessionReceiverTest, TwoReceiversOfManyShareTheSessions) {
  const ManySessions many{.idle_timeout = seconds(5)};
  const TestReceiver first = AttachFor(many);
  const TestReceiver second = AttachFor(many);

  for (const char* session : {"a", "b", "c", "d"}) SendTo(session);

  EXPECT_THAT(first.sink->sessions, SizeIs(2));
  EXPECT_THAT(second.sink->sessions, SizeIs(2));
}

TEST_F(SessionReceiverTest, WhoDrainsHearsOfItBehindTheLastMessage) {
  SendTo("a", 2);
  const TestReceiver receiver = AttachFor(ManySessions{.idle_timeout = seconds(5)}, 10);

  Drain(receiver);
  SendTo("b");

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1", "2", "drained 8"));
}

TEST_F(SessionReceiverTest, WhoStoppedGetsNoMoreSessions) {
  SendTo("a");
  const TestReceiver receiver = AttachFor(ManySessions{.idle_timeout = seconds(5)});

  broker().Stop(receiver.id);
  engine_.Run();
  SendTo("b");

  EXPECT_THAT(receiver.events(), ElementsAre("accepted a", "1", "stopped"));
  EXPECT_TRUE(Complete(receiver, 0).ok());
}

TEST_F(SessionReceiverTest, ADeletedQueueEndsReceiversAndWaits) {
  SendTo("a", 2);
  const TestReceiver holder = AttachFor(SessionChoice{.id = "a"});
  const TestReceiver waiting = AttachFor(ManySessions{.idle_timeout = seconds(5)});
  Pending<AcceptedSession> pending;
  AskNext(pending, seconds(20));

  ASSERT_TRUE(engine_.DeleteQueue("jobs").ok());
  ASSERT_TRUE(engine_.CreateQueue(Jobs()).ok());

  EXPECT_EQ(holder.events().back(), "detached MessagingEntityNotFound");
  EXPECT_EQ(waiting.events().back(), "detached MessagingEntityNotFound");
  ASSERT_TRUE(pending.result);
  EXPECT_EQ(pending.result->status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(engine_.AcceptSession("jobs").status().code(), ErrorCode::kServiceTimeout);
  EXPECT_TRUE(engine_.AcceptSession("jobs", "a").ok());
}

TEST_F(SessionReceiverTest, ADisabledQueueEndsReceiversAndWaitsAndSessionsComeBack) {
  SendTo("a", 2);
  const TestReceiver holder = AttachFor(SessionChoice{.id = "a"});
  Pending<AcceptedSession> pending;
  AskNext(pending, seconds(20));
  QueueDescription disabled = Jobs();
  disabled.status = EntityStatus::kReceiveDisabled;

  ASSERT_TRUE(engine_.UpdateQueue(disabled).ok());

  EXPECT_EQ(holder.events().back(), "detached MessagingEntityDisabled");
  ASSERT_TRUE(pending.result);
  EXPECT_EQ(pending.result->status().code(), ErrorCode::kMessagingEntityDisabled);
  EXPECT_EQ(engine_.AcceptSession("jobs", "a").status().code(),
            ErrorCode::kMessagingEntityDisabled);
  ASSERT_TRUE(engine_.UpdateQueue(Jobs()).ok());
  EXPECT_TRUE(engine_.AcceptSession("jobs", "a").ok());
  EXPECT_THAT(CountsOf("a"), ElementsAre(0, 0));
}

// More than one turn takes back, and more than one read brings.
TEST_F(SessionReceiverTest, ThousandsOfMessagesComeBackInSeveralTurns) {  // CNT-8, MAX-2
  QueueDescription once = Jobs();
  once.max_delivery_count = 1;
  ASSERT_TRUE(engine_.UpdateQueue(once).ok());
  SendTo("a", 2500);
  const TestReceiver receiver = AttachFor(SessionChoice{.id = "a"}, 2400);
  for (std::size_t written = 0; written < receiver.sink->deliveries.size();) {
    const std::size_t more = receiver.sink->deliveries.size() - written;
    written += more;
    broker().NoteWritten(receiver.id, more, 1 << 20);
    engine_.Run();
  }
  ASSERT_THAT(receiver.sink->deliveries, SizeIs(2400));

  engine_.Advance(seconds(30));

  EXPECT_EQ(receiver.events().back(), "detached SessionLockLost");
  EXPECT_EQ(engine_.GetQueue("jobs")->dead_letter.messages(), 2400);
  EXPECT_EQ(engine_.GetQueue("jobs")->main.locked, 0);
  EXPECT_EQ(engine_.AcceptSession("jobs")->id, "a");
}

// Ten times as many as end in a turn.
TEST_F(SessionReceiverTest, ThousandsThatReceiveFromOneSessionEndInSeveralTurns) {
  constexpr std::size_t kReceivers = 10 * Turn::kEndingsMax;
  SendTo("a");
  const AcceptedSession session = *engine_.AcceptSession("jobs", "a");
  std::size_t ended = 0;
  std::vector<std::shared_ptr<CountingSink>> sinks;
  for (std::size_t i = 0; i < kReceivers; ++i) {
    sinks.push_back(std::make_shared<CountingSink>(ended));
    broker().Attach({"jobs", ReceiveMode::kPeekLock, session.token}, sinks.back(),
                    [](const Result<AttachedReceiver>& attached) {
                      EXPECT_TRUE(attached.ok()) << attached.status().ToString();
                    });
  }
  engine_.Run();
  ASSERT_EQ(ended, 0U);

  broker().ReleaseSession("jobs", session.token, [](const Result<std::monostate>&) {});

  EXPECT_EQ(MostHeardAtOnce(ended), Turn::kEndingsMax);
  EXPECT_EQ(ended, kReceivers);
  for (const auto& sink : sinks) EXPECT_EQ(sink->times(), 1);
}

}  // namespace
}  // namespace wharf
