// Nothing is told before it is durable; and when it cannot be made durable, nobody guesses.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Status kDiskGone(ErrorCode::kServiceCommunicationProblem, "the disk is gone");

class CommitTest : public ReceiverFixture {
 protected:
  void Commit() {
    engine_.memory_log().Release();
    engine_.Run();
  }
  void Fail() {
    engine_.memory_log().Close(kDiskGone);
    engine_.Run();
  }
  Pending<SendReceipt> sent_;
};

TEST_F(CommitTest, ASendIsAnsweredAfterTheCommit) {  // SND-1
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();
  EXPECT_FALSE(sent_.result);

  Commit();

  ASSERT_TRUE(sent_.result && sent_.result->ok());
}

TEST_F(CommitTest, ADeliveryLeavesAfterTheCommitOfItsLock) {
  const TestReceiver receiver = AttachWith(1);
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();
  EXPECT_THAT(receiver.events(), IsEmpty());

  Commit();

  EXPECT_THAT(receiver.events(), ElementsAre("1"));
}

TEST_F(CommitTest, ASettlementIsAnsweredAfterTheCommit) {  // STL-9
  Send(3);
  const auto locked = *engine_.Receive("orders", 3);
  const Settlement settlements[] = {{.verb = SettleVerb::kComplete},
                                    {.verb = SettleVerb::kAbandon},
                                    {.verb = SettleVerb::kDeadLetter}};
  engine_.memory_log().Hold();
  Pending<SettleReceipt> settled[3];
  for (std::size_t i = 0; i < 3; ++i) {
    broker().Settle("orders", {locked[i].token}, settlements[i], settled[i].answer());
  }
  engine_.Run();
  for (const auto& pending : settled) EXPECT_FALSE(pending.result);

  Commit();

  for (const auto& pending : settled) {
    ASSERT_TRUE(pending.result && pending.result->ok());
    EXPECT_TRUE((**pending.result)[0].ok());
  }
}

TEST_F(CommitTest, ARenewalAndAnEntityAreAnsweredAfterTheCommit) {
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  engine_.memory_log().Hold();
  Pending<RenewReceipt> renewed;
  Pending<QueueSnapshot> created;
  Pending<QueueSnapshot> updated;
  Pending<std::monostate> deleted;
  broker().RenewLock("orders", {token}, renewed.answer());
  broker().CreateQueue({.name = "other"}, created.answer());
  broker().UpdateQueue({.name = "other", .max_delivery_count = 2}, updated.answer());
  broker().DeleteQueue("other", deleted.answer());
  engine_.Run();
  EXPECT_FALSE(renewed.result || created.result || updated.result || deleted.result);

  Commit();

  EXPECT_TRUE(renewed.result->ok() && created.result->ok() && updated.result->ok() &&
              deleted.result->ok());
}

TEST_F(CommitTest, ALookWaitsForWhatItSaw) {  // RTP-11
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();
  Pending<QueueSnapshot> looked;
  Pending<PeekPage> peeked;
  Pending<SendReceipt> refused;
  broker().GetQueue("orders", looked.answer());
  broker().Peek({"orders", SequenceNumber(), PeekFilter::kAll, 10, 1000}, peeked.answer());
  broker().Send("nowhere", {TenBytes()}, false, refused.answer());
  engine_.Run();
  EXPECT_FALSE(looked.result || peeked.result || refused.result);

  Commit();

  EXPECT_EQ((*looked.result)->main.messages(), 1);
  EXPECT_EQ((*peeked.result)->messages.size(), 1U);
  EXPECT_EQ(refused.result->status().code(), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(CommitTest, AnIdleLogHoldsUpNoLook) {
  engine_.memory_log().Hold();

  EXPECT_TRUE(engine_.GetQueue("orders").ok());
}

// A peek of an idle broker costs no second turn of its thread.
TEST_F(CommitTest, ALookOfAnIdleBrokerIsAnsweredInItsTurn) {
  Pending<QueueSnapshot> looked;
  broker().GetQueue("orders", looked.answer());

  ASSERT_TRUE(engine_.work().RunOne());

  EXPECT_EQ(engine_.shard().turns_in_flight(), 0U);
  engine_.Run();
  EXPECT_TRUE(looked.result && looked.result->ok());
}

// The log is idle, and its last commit waits for the shard's thread.
TEST_F(CommitTest, ALookDoesNotOvertakeWhatIsCommitted) {
  std::vector<std::string> order;
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false,
                [&order](const Result<SendReceipt>&) { order.emplace_back("send"); });
  engine_.Run();
  broker().GetQueue("orders",
                    [&order](const Result<QueueSnapshot>&) { order.emplace_back("look"); });

  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_THAT(order, ElementsAre("send", "look"));
}

// It was answered as long as nothing had to be written; another log may know better by then.
TEST_F(CommitTest, ALookIsNotAnsweredWhenTheLogIsNoLongerTheOne) {
  const TestReceiver receiver = AttachWith(1);
  engine_.memory_log().Close(kDiskGone);

  EXPECT_EQ(engine_.GetQueue("orders").status().code(), kDiskGone.code());

  EXPECT_THAT(receiver.events(), ElementsAre("detached ServiceCommunicationProblem"));
}

TEST_F(CommitTest, AnswersComeInTheOrderOfTheirCommits) {
  engine_.memory_log().Hold();
  Pending<SendReceipt> first;
  Pending<SendReceipt> second;
  broker().Send("orders", {TenBytes()}, false, first.answer());
  engine_.Run();
  broker().Send("orders", {TenBytes()}, false, second.answer());
  engine_.Run();

  engine_.memory_log().CommitHeld(1);
  engine_.Run();
  EXPECT_TRUE(first.result);
  EXPECT_FALSE(second.result);

  engine_.memory_log().CommitHeld(1);
  engine_.Run();
  EXPECT_TRUE(second.result);
}

TEST_F(CommitTest, TurnsUnderWayAreBounded) {
  engine_.memory_log().Hold();
  std::vector<Pending<SendReceipt>> sends(50);
  for (Pending<SendReceipt>& send : sends) {
    broker().Send("orders", {TenBytes()}, false, send.answer());
    engine_.Run();
  }
  EXPECT_EQ(engine_.shard().turns_in_flight(), ShardLimits().turns_in_flight_max);

  // What gathered meanwhile goes as one.
  Commit();
  for (const Pending<SendReceipt>& send : sends) EXPECT_TRUE(send.result && send.result->ok());
  EXPECT_LT(turns_.turns.size(), 15U);
}

TEST_F(CommitTest, AfterAFailedCommitTheOutcomeIsUnknown) {  // SND-2, ERR-13
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();

  Fail();

  ASSERT_TRUE(sent_.result);
  EXPECT_EQ(sent_.result->status().code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(sent_.result->status().outcome(), Outcome::kUnknown);
}

TEST_F(CommitTest, AfterAFailedCommitEverythingIsRefused) {
  Send(2);
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();
  Fail();

  const Status refusals[] = {
      engine_.Send("orders", "x").status(),
      engine_.Receive("orders").status(),
      engine_.Complete("orders", token),
      engine_.DeadLetter("orders", token),
      engine_.RenewLock("orders", token).status(),
      engine_.Peek("orders").status(),
      engine_.CreateQueue({.name = "other"}),
      engine_.UpdateQueue({.name = "orders"}),
      engine_.DeleteQueue("orders"),
      engine_.GetQueue("orders").status(),
      engine_
          .Await<QueuePage>(
              [&](Answer<QueuePage> answer) { broker().ListQueues("", 10, std::move(answer)); })
          .status(),
  };
  for (const Status& refused : refusals) {
    EXPECT_EQ(refused.code(), kDiskGone.code());
    EXPECT_EQ(refused.message(), kDiskGone.message());
    EXPECT_EQ(refused.outcome(), Outcome::kNotDone);
  }
}

TEST_F(CommitTest, AfterAFailedCommitReceiversEndAndNothingIsDelivered) {
  const TestReceiver receiver = AttachWith(5);
  Pending<std::vector<Delivered>> once;
  broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 1000, seconds(20)}, once.answer());
  engine_.Run();
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();

  Fail();

  EXPECT_THAT(receiver.events(), ElementsAre("detached ServiceCommunicationProblem"));
  ASSERT_TRUE(once.result);
  EXPECT_EQ(once.result->status().code(), kDiskGone.code());
}

// What it takes for good may be nowhere any more, and it has no settlements that were not done.
TEST_F(CommitTest, AStreamThatTakesMessagesForGoodIsInDoubtOfThoseItWasNotTold) {  // RCV-1
  const TestReceiver taking = Attach(ReceiveMode::kReceiveAndDelete);
  Grant(taking, 5);
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();

  Fail();

  EXPECT_THAT(taking.events(), ElementsAre("detached ServiceCommunicationProblem"));
  EXPECT_EQ(taking.sink->detached.outcome(), Outcome::kUnknown);
}

TEST_F(CommitTest, AStreamThatWasToldOfAllThatItTookIsInNoDoubt) {  // RCV-1
  const TestReceiver taking = Attach(ReceiveMode::kReceiveAndDelete);
  Grant(taking, 5);
  Send(2);

  engine_.memory_log().Close(kDiskGone);
  EXPECT_FALSE(engine_.GetQueue("orders").ok());

  EXPECT_THAT(taking.events(), ElementsAre("1", "2", "detached ServiceCommunicationProblem"));
  EXPECT_EQ(taking.sink->detached.outcome(), Outcome::kNotDone);
}

// It called itself not done, though the disk may have kept the messages of its first turn deleted.
TEST_F(CommitTest, ADeletionOfManyTurnsThatIsCutOffIsInDoubt) {
  Send(2000);
  Pending<std::int64_t> deleted;
  engine_.memory_log().Hold();
  broker().DeleteOldest("orders", 2000, kNever, deleted.answer());
  engine_.Run();
  ASSERT_GT(turns_.Count<MessageRemoved>(), 0U);
  ASSERT_LT(turns_.Count<MessageRemoved>(), 2000U);

  Fail();

  ASSERT_TRUE(deleted.result && !deleted.result->ok());
  EXPECT_EQ(deleted.result->status().outcome(), Outcome::kUnknown);
}

// A closed shard asked for its alarm again and again, for a lock that nothing can end any more.
TEST_F(CommitTest, AfterAFailedCommitTimeGoesOnWithoutIt) {
  Send();
  ASSERT_EQ(engine_.Receive("orders")->size(), 1U);
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent_.answer());
  engine_.Run();
  Fail();
  const std::size_t turns = turns_.turns.size();

  engine_.Advance(seconds(60));

  EXPECT_EQ(turns_.turns.size(), turns);
}

// It was: what memory has and the store has not was read again and again, to be forwarded.
TEST_F(CommitTest, AfterAFailedCommitNothingIsReadToBeForwarded) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "there"}).ok());
  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .forward_dead_lettered_messages_to = "there"}).ok());
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  Pending<SettleReceipt> settled;
  engine_.memory_log().Hold();
  broker().Settle("orders", {token}, {.verb = SettleVerb::kDeadLetter}, settled.answer());
  engine_.Run();
  ASSERT_EQ(turns_.Count<MessageDeadLettered>(), 1U);

  Fail();

  EXPECT_EQ(turns_.Count<MessageForwarded>(), 0U);
}

// Of what was on its way the store has the beginning, and all that was answered.
void CrashWithSendsOnTheirWay(std::uint64_t seed) {
  const SeedNote note(fmt::format("seed {}", seed));
  SeededRandom random(seed);
  EngineHarness engine({.seed = seed});
  ASSERT_TRUE(engine.CreateQueue({.name = "orders"}).ok());
  std::size_t answered = 0;
  for (int body = 0; body < 5; ++body) {
    std::vector<Message> messages(1);
    messages[0].body = fmt::format("{}", body);
    engine.broker().Send("orders", std::move(messages), false,
                         [&answered](const Result<SendReceipt>&) { ++answered; });
    for (std::uint64_t steps = random.Next() % 6; steps > 0; --steps) engine.Step();
  }

  engine.Restart();

  const auto page = engine.Peek("orders");
  ASSERT_TRUE(page.ok());
  EXPECT_GE(page->messages.size(), answered);
  for (std::size_t i = 0; i < page->messages.size(); ++i) {
    EXPECT_EQ(page->messages[i].message->message.body, fmt::format("{}", i));
  }
}

TEST(CrashTest, WhatIsLostIsTheEndOfWhatWasOnItsWay) {  // SND-1
  for (std::uint64_t seed = 1; seed <= 100; ++seed) CrashWithSendsOnTheirWay(seed);
}

TEST(CrashTest, TheTimeDoesNotGoBackWithTheWallClock) {
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue({.name = "orders"}).ok());
  engine.Advance(seconds(100));
  ASSERT_TRUE(engine.Send("orders", "body").ok());
  const Timestamp sent_at = engine.clock().Now();

  engine.Restart(-seconds(3600));

  EXPECT_EQ(engine.clock().Now(), sent_at);
}

// Remembers what is told of batches.
struct ToldTimes final : CommitLog::ApplyListener {
  void OnApplied(BatchNotes notes) override { times.push_back(notes.time.value_or(Timestamp())); }
  std::vector<Timestamp> times;
};

TEST(AppliedTest, WhoAppliesATurnHearsItsTime) {
  ToldTimes told;
  EngineHarness engine({.applied = &told});
  ASSERT_TRUE(engine.CreateQueue({.name = "orders"}).ok());
  engine.Advance(seconds(100));
  const Timestamp now = engine.clock().Now();
  bool is_told = false;
  engine.broker().Send("orders", {TenBytes()}, false, [&](const Result<SendReceipt>& receipt) {
    EXPECT_TRUE(receipt.ok());
    is_told = told.times.back() == now;
  });
  engine.Run();
  EXPECT_TRUE(is_told);

  const std::size_t times = told.times.size();
  ASSERT_TRUE(engine.GetQueue("orders").ok());
  EXPECT_EQ(told.times.size(), times);
}

ShardLimits OneTurnAtATime() {
  ShardLimits limits;
  limits.turns_in_flight_max = 1;
  return limits;
}

// A window of a few messages, so that a receive of more has to read and comes in several turns.
class SmallWindowTest : public ReceiverFixture {
 protected:
  SmallWindowTest() : ReceiverFixture(SmallWindow()) {}

  // Of more than the window holds; nothing of it is durable yet.
  void BeginReceive(ReceiveMode mode, Pending<std::vector<Delivered>>& once) {
    Send(100);
    engine_.memory_log().Hold();
    broker().ReceiveOnce({"orders", mode, 100, 1 << 20, Duration(0)}, once.answer());
    engine_.Run();
  }

 private:
  static ShardLimits SmallWindow() {
    ShardLimits limits;
    limits.broker.queue.lane.window = {.messages_max = 16, .bytes_max = 4096, .content_ahead = 8};
    return limits;
  }
};

// It called itself not done, though the disk may have kept what it took, and nobody will ever see
// that.
TEST_F(SmallWindowTest, AReceiveForGoodThatIsCutOffIsInDoubt) {  // RCV-1, STA-5
  Pending<std::vector<Delivered>> once;
  BeginReceive(ReceiveMode::kReceiveAndDelete, once);
  ASSERT_GT(turns_.Count<MessageConsumed>(), 0U);

  engine_.memory_log().Close(kDiskGone);
  engine_.Run();

  ASSERT_TRUE(once.result && !once.result->ok());
  EXPECT_EQ(once.result->status().outcome(), Outcome::kUnknown);
}

// It was answered with what it took in its first turns, and what it took in its last was never seen
// by anybody: leadership had ended, and the next leader had it removed.
TEST_F(SmallWindowTest, NothingIsTakenForGoodBeyondWhatIsAnswered) {  // RCV-1, STA-5
  Pending<std::vector<Delivered>> once;
  BeginReceive(ReceiveMode::kReceiveAndDelete, once);

  engine_.memory_log().CommitHeld();
  engine_.Run();
  engine_.memory_log().Close(kDiskGone);
  engine_.Run();

  ASSERT_TRUE(once.result && once.result->ok());
  EXPECT_THAT(**once.result, SizeIs(turns_.Count<MessageConsumed>()));
}

// Leadership is handed over between two of its turns: what it was given is durable, and the next
// leader knows of the locks.
TEST_F(SmallWindowTest, AReceiveOfManyTurnsThatHasAllItWasGivenIsAnswered) {  // STA-5
  Pending<std::vector<Delivered>> once;
  BeginReceive(ReceiveMode::kPeekLock, once);
  const std::size_t given = turns_.Count<MessageLocked>();
  ASSERT_GT(given, 0U);
  ASSERT_LT(given, 100U);
  engine_.memory_log().CommitHeld();

  engine_.memory_log().Close(kDiskGone);
  engine_.Run();

  ASSERT_TRUE(once.result && once.result->ok());
  EXPECT_EQ(once.result->value().size(), given);
}

class OneTurnTest : public ReceiverFixture {
 protected:
  OneTurnTest() : ReceiverFixture(OneTurnAtATime()) {}
};

TEST_F(OneTurnTest, WhatBecomesDueWhileNoTurnMayBeginIsDoneInTheNext) {  // LCK-6
  Send();
  ASSERT_TRUE(engine_.Receive("orders").ok());
  Pending<SendReceipt> sent;
  engine_.memory_log().Hold();
  broker().Send("orders", {TenBytes()}, false, sent.answer());
  engine_.Run();
  engine_.Advance(seconds(30));
  EXPECT_EQ(turns_.Count<MessageReturned>(), 0U);

  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_EQ(turns_.Count<MessageReturned>(), 1U);
}

}  // namespace
}  // namespace wharf
