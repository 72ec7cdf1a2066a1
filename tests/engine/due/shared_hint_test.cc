// Messages that share the hint for their time to live: each expires at its time, whatever becomes
// of the others, and a time to live costs next to nothing.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class SharedHintTest : public ReceiverFixture {
 protected:
  explicit SharedHintTest(const ShardLimits& limits = {}) : ReceiverFixture(limits) {}

  void SendBrief(std::size_t count, const std::string& path = "orders",
                 Duration life = minutes(1)) {
    Message message = TenBytes();
    message.time_to_live = life;
    ASSERT_TRUE(engine_.Send(path, std::vector<Message>(count, message)).ok());
  }
  LaneCounters Main(const std::string& path = "orders") { return engine_.GetQueue(path)->main; }
  std::vector<DueHint> Hints(const std::string& path = "orders") {
    std::vector<DueHint> hints;
    const auto view = engine_.store().View();
    const EntityId id = engine_.GetQueue(path)->record.id;
    const auto rows = view->Scan(IdOf(Table::kDue), DueRange(id.bucket(), {}, kNever));
    for (; rows->valid(); rows->Next()) hints.push_back(*HintOfDueKey(rows->key()));
    return hints;
  }
  // Whatever the next start may rely on.
  void ExpectAccounts(const std::string& path = "orders") {
    const QueueSnapshot queue = *engine_.GetQueue(path);
    EXPECT_EQ(FindWrongCounters(engine_.store(), queue.record.id, LaneKind::kMain, queue.main), "");
    EXPECT_EQ(FindStrayPlaces(engine_.store(), queue), "");
  }
};

TEST_F(SharedHintTest, AQueueWithOneTimeToLiveHasTwoHints) {
  SendBrief(1000);

  EXPECT_EQ(Hints().size(), 2U);
  ExpectAccounts();
  engine_.Advance(minutes(1));
  EXPECT_EQ(Main().messages(), 0);
  EXPECT_EQ(Hints().size(), 0U);
}

TEST_F(SharedHintTest, NothingExpiresBeforeItsTime) {  // TTL-6
  SendBrief(10);
  engine_.Advance(milliseconds(900));
  SendBrief(10);
  engine_.Advance(minutes(1) - milliseconds(901));
  EXPECT_EQ(Main().messages(), 20);

  engine_.Advance(milliseconds(1));
  EXPECT_EQ(Main().messages(), 10);
  EXPECT_EQ(engine_.Receive("orders", 20)->size(), 10U);
  ExpectAccounts();
  engine_.Advance(minutes(2));
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(SharedHintTest, WhatIsConsumedLeavesItsHintToTheOthers) {
  SendBrief(10);
  ASSERT_EQ(engine_.Receive("orders", 10, ReceiveMode::kReceiveAndDelete)->size(), 10U);
  // That of the first was its own.
  EXPECT_EQ(Hints().size(), 1U);

  engine_.Advance(minutes(1));
  EXPECT_EQ(Hints().size(), 0U);
}

TEST_F(SharedHintTest, ARestartInTheMidstLosesNothing) {  // TTL-10
  SendBrief(10);
  engine_.Restart();
  SendBrief(10);
  engine_.Restart();
  SendBrief(1);
  ExpectAccounts();

  engine_.Advance(minutes(1));
  EXPECT_EQ(Main().messages(), 0);
  EXPECT_EQ(Hints().size(), 0U);
}

TEST_F(SharedHintTest, ARestartBetweenTwoLooksLosesNothing) {  // TTL-10
  SendBrief(5000 / 2);
  engine_.Advance(milliseconds(500));
  SendBrief(4000);
  engine_.Advance(minutes(1) - milliseconds(500));
  ASSERT_EQ(Main().messages(), 4000);
  engine_.Restart();
  ASSERT_EQ(Main().messages(), 4000);
  engine_.clock().Advance(milliseconds(500));
  engine_.shard().OnAlarm();
  engine_.work().RunUntil([this] { return turns_.Count<MessagesExpired>() > 3; });
  engine_.Restart();
  engine_.Run();

  EXPECT_EQ(Main().messages(), 0);
  EXPECT_EQ(Hints().size(), 0U);
}

TEST_F(SharedHintTest, MixedTimesToLiveExpireEachAtItsTime) {  // TTL-1
  for (int i = 0; i < 5; ++i) {
    for (const int life : {60, 30, 45}) SendBrief(10, "orders", seconds(life));
    engine_.Advance(milliseconds(100));
  }
  ExpectAccounts();
  EXPECT_EQ(Hints().size(), 6U);

  engine_.Advance(seconds(30));
  EXPECT_EQ(Main().messages(), 100);
  engine_.Advance(seconds(15));
  EXPECT_EQ(Main().messages(), 50);
  engine_.Advance(seconds(15));
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(SharedHintTest, OneThatExpiresSoonerIsGoneSooner) {  // TTL-1
  SendBrief(10);
  SendBrief(3, "orders", seconds(10));
  SendBrief(10);

  engine_.Advance(seconds(10));
  EXPECT_EQ(Main().messages(), 20);
  ExpectAccounts();
}

TEST_F(SharedHintTest, WhatIsLockedExpiresWhenItsLockEnds) {  // TTL-7
  SendBrief(20, "orders", seconds(10));
  const auto one = *engine_.ReceiveOne("orders", 5);

  engine_.Advance(seconds(10));
  EXPECT_EQ(Main().messages(), 1);
  EXPECT_EQ(Main().locked, 1);
  ExpectAccounts();
  ASSERT_TRUE(engine_.Abandon("orders", one.token).ok());
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(SharedHintTest, WhatCameBackExpiresWithTheOthers) {  // TTL-10
  SendBrief(20);
  ASSERT_TRUE(engine_.Abandon("orders", engine_.ReceiveOne("orders", 5)->token).ok());
  const auto delayed = *engine_.ReceiveOne("orders", 6);
  Settlement later{.verb = SettleVerb::kAbandon};
  later.delay = minutes(5);
  ASSERT_TRUE(engine_.Settle("orders", delayed.token, later).ok());
  ASSERT_EQ(Main().delayed, 1);
  ExpectAccounts();

  engine_.Advance(minutes(1));
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(SharedHintTest, WhatIsDeferredStays) {  // TTL-14
  SendBrief(20);
  ASSERT_TRUE(engine_.Defer("orders", engine_.ReceiveOne("orders", 5)->token).ok());
  ASSERT_TRUE(engine_.Defer("orders", engine_.ReceiveOne("orders", 6)->token).ok());
  ASSERT_TRUE(engine_.Undefer("orders", {6}).ok());
  ExpectAccounts();

  engine_.Advance(minutes(1));
  EXPECT_EQ(Main().messages(), 1);
  EXPECT_EQ(Main().deferred, 1);
  ExpectAccounts();
}

TEST_F(SharedHintTest, BehindAPurgeOthersExpireAtTheirTime) {  // PRG-1
  SendBrief(20);
  ASSERT_TRUE(engine_.Purge("orders").ok());
  SendBrief(20);
  ExpectAccounts();

  engine_.Advance(minutes(1));
  EXPECT_EQ(Main().messages(), 0);
  EXPECT_EQ(Hints().size(), 0U);
}

TEST_F(SharedHintTest, WhatBecomesADeadLetterExpiresOneByOne) {  // TTL-9
  QueueDescription queue = engine_.GetQueue("orders")->record.description;
  queue.dead_lettering_on_message_expiration = true;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  SendBrief(50);

  engine_.Advance(minutes(1));

  EXPECT_EQ(engine_.GetQueue("orders")->dead_letter.messages(), 50);
  EXPECT_EQ(Hints().size(), 0U);
}

TEST_F(SharedHintTest, WhatWasScheduledSharesFromItsActivationOn) {  // SCH-5
  Message message = TenBytes();
  message.time_to_live = minutes(1);
  message.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(20, message)).ok());
  engine_.Advance(minutes(1));

  EXPECT_EQ(Hints().size(), 2U);
  ExpectAccounts();
  engine_.Advance(minutes(1));
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(SharedHintTest, WhatIsForwardedSharesWhereItRests) {  // FWD-12
  ASSERT_TRUE(
      engine_.CreateQueue({.name = "rest", .default_message_time_to_live = seconds(30)}).ok());
  QueueDescription queue = engine_.GetQueue("orders")->record.description;
  queue.forward_to = "rest";
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  SendBrief(20);

  EXPECT_EQ(Main("rest").messages(), 20);
  EXPECT_EQ(Hints("rest").size(), 2U);
  ExpectAccounts("rest");
  engine_.Advance(seconds(30));
  EXPECT_EQ(Main("rest").messages(), 0);
}

TEST_F(SharedHintTest, EachSubscriptionSharesItsOwn) {  // TOP-1
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  for (const char* name : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
    ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = name}).ok());
  }
  SendBrief(20, "news");
  for (const char* name : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
    const QueueSnapshot copy = *engine_.Get(EntityKind::kSubscription, name);
    EXPECT_EQ(FindStrayPlaces(engine_.store(), copy), "");
  }
  engine_.Advance(minutes(1));

  for (const char* name : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
    EXPECT_EQ(engine_.Get(EntityKind::kSubscription, name)->main.messages(), 0);
  }
}

TEST_F(SharedHintTest, OfTwoQueuesEachSharesItsOwn) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
  for (int i = 0; i < 20; ++i) {
    SendBrief(2, "bills", seconds(30));
    SendBrief(2);
  }
  ExpectAccounts("bills");
  ExpectAccounts();

  engine_.Advance(seconds(30));
  EXPECT_EQ(Main("bills").messages(), 0);
  EXPECT_EQ(Main().messages(), 40);
  ASSERT_TRUE(engine_.DeleteQueue("bills").ok());
  engine_.Advance(seconds(30));
  EXPECT_EQ(Main().messages(), 0);
}

// One that expires takes its whole session with it.
TEST_F(SharedHintTest, OfSessionsEachMessageHasItsOwn) {  // TTS-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "sessions", .requires_session = true}).ok());
  Message message = TenBytes();
  message.session_id = "a";
  message.time_to_live = minutes(1);
  ASSERT_TRUE(engine_.Send("sessions", std::vector<Message>(20, message)).ok());

  EXPECT_EQ(Hints("sessions").size(), 20U);
  engine_.Advance(minutes(1));
  EXPECT_EQ(Main("sessions").messages(), 0);
}

TEST_F(SharedHintTest, PartitionsAndLevelsShare) {  // PAR-4, PRI-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  ASSERT_TRUE(engine_.CreateQueue({.name = "levels", .enable_priority = true}).ok());
  SendBrief(1600, "parts");
  SendBrief(100, "levels");
  EXPECT_EQ(Hints("parts").size(), 32U);
  EXPECT_EQ(Hints("levels").size(), 2U);
  for (const char* name : {"parts", "levels"}) ExpectAccounts(name);

  engine_.Advance(minutes(1));
  for (const char* name : {"parts", "levels"}) EXPECT_EQ(Main(name).messages(), 0);
}

// How much the log is given, by messages with a time to live and without.
class HintBytesTest : public SharedHintTest {
 protected:
  explicit HintBytesTest(const ShardLimits& limits = {}) : SharedHintTest(limits) {}

  static constexpr std::size_t kMessages = 100'000;
  static constexpr std::size_t kTogether = 1000;

  std::uint64_t Bytes() { return engine_.memory_log().stats().bytes; }
  // As a queue that is busy gets them.
  std::uint64_t BytesOfSends(std::optional<Duration> life) {
    const std::uint64_t before = Bytes();
    Message message = TenBytes();
    message.time_to_live = life;
    for (std::size_t sent = 0; sent < kMessages; sent += kTogether) {
      EXPECT_TRUE(engine_.Send("orders", std::vector<Message>(kTogether, message)).ok());
      engine_.Advance(milliseconds(20));
    }
    return Bytes() - before;
  }
};

TEST_F(HintBytesTest, ATimeToLiveCostsASendWhatItSaysItself) {
  const std::uint64_t without = BytesOfSends(std::nullopt);
  const std::uint64_t with = BytesOfSends(minutes(1));

  // The time to live, and when it is over, are part of the message.
  EXPECT_LE(with, without + kMessages * 5);
}

TEST_F(HintBytesTest, WhatExpiresCostsNextToNothing) {
  BytesOfSends(minutes(1));
  const std::uint64_t before = Bytes();

  engine_.Advance(minutes(1));

  ASSERT_EQ(Main().messages(), 0);
  EXPECT_LE(Bytes() - before, kMessages);
}

// As ten million messages, a lane of which has many more exceptions than its spans may have.
class ScatteredBytesTest : public HintBytesTest {
 protected:
  ScatteredBytesTest() : HintBytesTest(Limits()) {}

  static constexpr std::size_t kExceptionsMax = 512;

 private:
  static ShardLimits Limits() {
    ShardLimits limits;
    limits.broker.queue.lane.spans.run.exceptions_max = 128;
    limits.broker.queue.lane.spans.exceptions_in_all_max = kExceptionsMax;
    return limits;
  }
};

// Of each hundred one is locked, and one is deferred.
TEST_F(ScatteredBytesTest, WhatExpiresAmongWhatLivesOnCostsLittleMore) {  // TTL-7, TTL-14
  BytesOfSends(seconds(20));
  for (std::uint64_t number = 50; number <= kMessages; number += 50) {
    const auto received = engine_.ReceiveOne("orders", number);
    ASSERT_TRUE(received.ok()) << received.status().ToString();
    if (number % 100 == 0) {
      ASSERT_TRUE(engine_.Defer("orders", received->token).ok());
    }
  }
  const std::uint64_t before = Bytes();

  engine_.Advance(seconds(23));

  ASSERT_EQ(Main().messages(), kMessages / 50);
  ASSERT_EQ(Main().locked, Main().deferred);
  EXPECT_GT(turns_.Count<SpanForgotten>(), 10U);
  EXPECT_LE(Bytes() - before, kMessages * 2);
}

}  // namespace
}  // namespace wharf
