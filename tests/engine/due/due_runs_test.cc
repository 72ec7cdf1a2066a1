// Messages that expire behind each other are counted out together, and nobody sees them any more,
// although their rows may still be there.

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/order/partition.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;

// Messages of one request.
constexpr std::size_t kRequestMax = 4000;

Message Brief() {
  Message message = TenBytes();
  message.time_to_live = minutes(1);
  return message;
}

class DueRunsTest : public ReceiverFixture {
 protected:
  explicit DueRunsTest(const ShardLimits& limits = {}) : ReceiverFixture(limits) {}

  void SendAll(std::vector<Message> messages, const std::string& path = "orders") {
    ASSERT_TRUE(engine_.Send(path, std::move(messages)).ok());
  }
  void SendBrief(std::size_t count, const std::string& path = "orders") {
    for (; count > kRequestMax; count -= kRequestMax) SendBrief(kRequestMax, path);
    SendAll(std::vector<Message>(count, Brief()), path);
  }
  void LetExpire() { engine_.Advance(minutes(2)); }

  LaneCounters Main(const std::string& path = "orders") { return engine_.GetQueue(path)->main; }
  std::vector<MessagesExpired> Runs() const {
    std::vector<MessagesExpired> runs;
    for (const Changes& changes : turns_.turns) {
      for (const Change& change : changes) {
        if (const auto* run = std::get_if<MessagesExpired>(&change)) runs.push_back(*run);
      }
    }
    return runs;
  }
  std::int64_t CountedOut() const {
    const std::vector<MessagesExpired> runs = Runs();
    return std::accumulate(runs.begin(), runs.end(), std::int64_t{0},
                           [](auto sum, const auto& run) { return sum + run.count; });
  }
  std::size_t SpansOf(const std::string& path = "orders") {
    const auto view = engine_.store().View();
    const auto rows = view->Scan(IdOf(Table::kSpans), ShelfRange(ShelfOf(path)));
    std::size_t spans = 0;
    for (; rows->valid(); rows->Next()) ++spans;
    return spans;
  }
  Shelf ShelfOf(const std::string& path) {
    const QueueSnapshot queue = *engine_.GetQueue(path);
    return {queue.record.id, LaneKind::kMain, queue.main.generation};
  }
  std::vector<std::uint64_t> Peeked(const std::string& path = "orders") {
    std::vector<std::uint64_t> numbers;
    const Result<PeekPage> page = engine_.Peek(path);
    for (const PeekedMessage& each : page->messages) {
      numbers.push_back(each.message->number.value());
    }
    return numbers;
  }
  std::vector<std::uint64_t> Received(std::size_t count) {
    std::vector<std::uint64_t> numbers;
    const auto received = engine_.Receive("orders", count, ReceiveMode::kReceiveAndDelete);
    for (const Delivered& each : *received) numbers.push_back(each.message->number.value());
    return numbers;
  }
};

using Numbers = std::vector<std::uint64_t>;

TEST_F(DueRunsTest, WhatExpiresIsOneSpanAndNobodySeesIt) {  // TTL-6, TTL-10
  SendBrief(5000);
  Send(2);

  LetExpire();

  EXPECT_EQ(CountedOut(), 5000);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
  EXPECT_EQ(SpansOf(), 1U);
  EXPECT_EQ(Main().messages(), 2);
  EXPECT_EQ(Main().cursor, SequenceNumber(5001));
  EXPECT_EQ(Peeked(), Numbers({5001, 5002}));
  EXPECT_EQ(Received(10), Numbers({5001, 5002}));
}

TEST_F(DueRunsTest, NobodySeesItAfterARestart) {  // TTL-6
  SendBrief(100);
  Send(1);
  LetExpire();

  engine_.Restart();

  EXPECT_EQ(Main().messages(), 1);
  EXPECT_EQ(Peeked(), Numbers({101}));
  EXPECT_EQ(engine_.ReceiveOne("orders", 50).status().code(), ErrorCode::kMessageNotFound);
  EXPECT_TRUE(engine_.Check("orders")->differences.empty());
  EXPECT_EQ(Received(10), Numbers({101}));
}

// A run that ends before the others has numbers on both sides of what is scheduled.
TEST_F(DueRunsTest, WhatIsScheduledBetweenThemKeepsItsOrder) {  // SCH-7
  const auto scheduled = [this](std::chrono::seconds after, const std::string& body) {
    Message message = TenBytes();
    message.body = body;
    message.scheduled_enqueue_time = engine_.clock().Now() + after;
    return message;
  };
  SendBrief(8);
  SendAll({scheduled(minutes(1) + std::chrono::seconds(1), "first")});
  SendBrief(8);
  Send(20);
  SendBrief(8);
  SendAll({scheduled(minutes(1) + std::chrono::seconds(2), "second")});

  LetExpire();

  ASSERT_EQ(CountedOut(), 24);
  const auto received = engine_.Receive("orders", 100, ReceiveMode::kReceiveAndDelete);
  ASSERT_EQ(received->size(), 22U);
  EXPECT_EQ((*received)[20].message->message.body, "first");
  EXPECT_EQ((*received)[21].message->message.body, "second");
}

// As many are due as one step takes, several times over.
TEST_F(DueRunsTest, ExpiryGoesOnAfterARestart) {  // TTL-6
  SendBrief(9000);
  engine_.clock().Advance(minutes(2));
  engine_.shard().OnAlarm();
  engine_.work().RunUntil([this] { return turns_.Count<MessagesExpired>() > 0; });
  ASSERT_LT(CountedOut(), 9000);

  engine_.Restart();
  engine_.Run();

  EXPECT_EQ(Main().messages(), 0);
  EXPECT_EQ(SpansOf(), 1U);
}

TEST_F(DueRunsTest, HeadsThatExpiredAreOneSpan) {  // TTL-6
  TestReceiver receiver = Attach();
  SendBrief(4000);
  Send(1);
  engine_.clock().Advance(minutes(2));

  Grant(receiver, 1);

  EXPECT_EQ(receiver.sink->deliveries.at(0).message->number, SequenceNumber(4001));
  EXPECT_EQ(CountedOut(), 4000);
  // Of the sweeper or of the receiver, whose turn comes first.
  EXPECT_LE(Runs().size(), 3U);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
  EXPECT_EQ(SpansOf(), 1U);
}

TEST_F(DueRunsTest, AFewGoOneByOne) {
  SendBrief(7);
  Send(1);

  LetExpire();

  EXPECT_EQ(turns_.Count<MessageRemoved>(), 7U);
  EXPECT_EQ(SpansOf(), 0U);
}

TEST_F(DueRunsTest, MixedTimesGoOneByOne) {
  std::vector<Message> messages;
  for (int i = 0; i < 1000; ++i) messages.push_back(i % 20 == 0 ? Brief() : TenBytes());
  SendAll(std::move(messages));

  LetExpire();

  EXPECT_EQ(turns_.Count<MessagesExpired>(), 0U);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 50U);
  EXPECT_EQ(Main().messages(), 950);
}

// Those that live on are exceptions, until they go, too.
TEST_F(DueRunsTest, WhatLivesLongerAmongThemIsStillDelivered) {
  std::vector<Message> messages(100, Brief());
  for (const std::size_t longer : {10, 11, 50}) messages[longer - 1].time_to_live = minutes(10);
  SendAll(std::move(messages));

  LetExpire();

  EXPECT_EQ(SpansOf(), 1U);
  EXPECT_EQ(Peeked(), Numbers({10, 11, 50}));
  EXPECT_EQ(Received(2), Numbers({10, 11}));
  engine_.Advance(minutes(10));
  EXPECT_EQ(Main().messages(), 0);
  EXPECT_EQ(Peeked(), Numbers());
}

TEST_F(DueRunsTest, WhatLivedLongerExpiresUnderTheSameSpan) {
  std::vector<Message> messages;
  for (int i = 0; i < 60; ++i) {
    messages.push_back(Brief());
    if (i % 2 == 0) messages.back().time_to_live = minutes(10);
  }
  SendAll(std::move(messages));
  LetExpire();
  ASSERT_EQ(Main().messages(), 30);

  engine_.Advance(minutes(10));

  EXPECT_EQ(Main().messages(), 0);
  EXPECT_EQ(SpansOf(), 1U);
  EXPECT_EQ(CountedOut(), 60);
}

TEST_F(DueRunsTest, WhatIsLockedOrDeferredAmongThemStays) {  // TTL-7, TTL-14
  SendBrief(100);
  const auto one = *engine_.ReceiveOne("orders", 30);
  const auto other = *engine_.ReceiveOne("orders", 60);
  ASSERT_TRUE(engine_.Defer("orders", other.token).ok());
  ASSERT_TRUE(engine_.RenewLock("orders", one.token).ok());
  engine_.Advance(std::chrono::seconds(25));
  ASSERT_TRUE(engine_.RenewLock("orders", one.token).ok());
  engine_.Advance(std::chrono::seconds(25));
  ASSERT_TRUE(engine_.RenewLock("orders", one.token).ok());

  engine_.Advance(std::chrono::seconds(20));

  EXPECT_EQ(Main().locked, 1);
  EXPECT_EQ(Main().deferred, 1);
  EXPECT_EQ(Main().messages(), 2);
  EXPECT_EQ(Peeked(), Numbers({30, 60}));
  EXPECT_TRUE(engine_.Complete("orders", one.token).ok());
  EXPECT_EQ(engine_.ReceiveDeferred("orders", {60}).status().code(), ErrorCode::kMessageNotFound);
  EXPECT_EQ(Main().messages(), 0);
}

// What was deferred a year ago lies in the midst of what expires today.
TEST_F(DueRunsTest, AroundADeferredMessageSpansGrowTogether) {
  SendBrief(20);
  const auto deferred = *engine_.ReceiveOne("orders", 20);
  ASSERT_TRUE(engine_.Defer("orders", deferred.token).ok());
  LetExpire();
  SendBrief(20);
  LetExpire();

  EXPECT_EQ(SpansOf(), 1U);
  EXPECT_EQ(Runs().back().span->exceptions, std::vector{SequenceNumber(20)});
  EXPECT_EQ(Main().deferred, 1);
}

TEST_F(DueRunsTest, ABodyOfItsOwnIsNoPartOfARun) {
  std::vector<Message> messages(40, Brief());
  messages[15].body = std::string(100'000, 'x');
  SendAll(std::move(messages));

  LetExpire();

  EXPECT_EQ(CountedOut(), 39);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 1U);
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(DueRunsTest, WhatBecomesADeadLetterGoesOneByOne) {  // TTL-9
  QueueDescription queue = engine_.GetQueue("orders")->record.description;
  queue.dead_lettering_on_message_expiration = true;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  SendBrief(50);

  LetExpire();

  EXPECT_EQ(turns_.Count<MessagesExpired>(), 0U);
  EXPECT_EQ(engine_.GetQueue("orders")->dead_letter.messages(), 50);
}

TEST_F(DueRunsTest, OfSessionsEachGoesByItself) {  // TTS-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "sessions", .requires_session = true}).ok());
  std::vector<Message> messages(50, Brief());
  for (Message& message : messages) message.session_id = "a";
  SendAll(std::move(messages), "sessions");

  LetExpire();

  EXPECT_EQ(turns_.Count<MessagesExpired>(), 0U);
  EXPECT_EQ(Main("sessions").messages(), 0);
}

TEST_F(DueRunsTest, ARunLiesWithinOnePartition) {  // PAR-4
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  SendBrief(1600, "parts");
  SendAll({TenBytes()}, "parts");

  LetExpire();

  EXPECT_EQ(CountedOut(), 1600);
  EXPECT_EQ(SpansOf("parts"), kPartitions);
  for (const MessagesExpired& run : Runs()) {
    EXPECT_EQ(PartitionOf(run.span->first), PartitionOf(run.span->last));
  }
  EXPECT_EQ(Peeked("parts").size(), 1U);
  EXPECT_EQ(engine_.Receive("parts", 10)->size(), 1U);
}

// What is sent one by one goes round them, so that neighbours in time stand in different ones.
TEST_F(DueRunsTest, PartitionsThatExpireByTurnsHaveRuns) {  // PAR-4
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  for (std::size_t i = 0; i < 10U * kPartitions; ++i) {
    SendAll({Brief()}, "parts");
    engine_.clock().Advance(std::chrono::milliseconds(1));
  }

  LetExpire();

  EXPECT_EQ(CountedOut(), 10 * kPartitions);
  EXPECT_EQ(SpansOf("parts"), kPartitions);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
}

TEST_F(DueRunsTest, HeadsOfPartitionsThatExpiredAreRuns) {  // PAR-4
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  const TestReceiver receiver = Attach(ReceiveMode::kPeekLock, "parts");
  SendBrief(1600, "parts");
  SendAll({TenBytes()}, "parts");
  engine_.clock().Advance(minutes(2));

  Grant(receiver, 1);

  EXPECT_EQ(receiver.sink->deliveries.size(), 1U);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
  EXPECT_EQ(CountedOut(), 1600);
}

TEST_F(DueRunsTest, LevelsExpireTogether) {  // PRI-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "levels", .enable_priority = true}).ok());
  std::vector<Message> messages(300, Brief());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    CarriedProperties carried;
    carried.priority = static_cast<std::uint32_t>(i % 10);
    messages[i].carried = std::make_shared<const CarriedProperties>(std::move(carried));
  }
  messages[100].time_to_live = minutes(10);
  SendAll(std::move(messages), "levels");

  LetExpire();

  EXPECT_EQ(CountedOut(), 299);
  EXPECT_EQ(SpansOf("levels"), 1U);
  EXPECT_EQ(Peeked("levels"), Numbers({101}));
  EXPECT_EQ(engine_.Receive("levels", 10)->size(), 1U);
}

// A shelf comes again after 64 purges.
TEST_F(DueRunsTest, WhatStandsOnTheShelfLaterIsUnderNoSpan) {  // PRG-1
  SendBrief(100);
  LetExpire();
  ASSERT_EQ(SpansOf(), 1U);
  const std::uint8_t generation = Main().generation;
  for (int i = 0; i < kShelfGenerations; ++i) ASSERT_TRUE(engine_.Purge("orders").ok());
  ASSERT_EQ(Main().generation, generation);

  EXPECT_EQ(SpansOf(), 0U);
  SendBrief(50);
  EXPECT_EQ(Peeked().size(), 50U);
  EXPECT_EQ(Received(5).size(), 5U);
  LetExpire();
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(DueRunsTest, APurgeForgetsSpansAtOnce) {  // PRG-1
  SendBrief(100);
  LetExpire();

  ASSERT_TRUE(engine_.Purge("orders").ok());
  SendBrief(20);
  LetExpire();

  EXPECT_EQ(Runs().back().span->first, SequenceNumber(101));
  engine_.Restart();
  EXPECT_EQ(Main().messages(), 0);
}

TEST_F(DueRunsTest, OfADeletedQueueNothingIsLeft) {
  SendBrief(100);
  LetExpire();
  const Shelf shelf = ShelfOf("orders");

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  const auto view = engine_.store().View();
  EXPECT_FALSE(view->Scan(IdOf(Table::kSpans), ShelfRange(shelf))->valid());
  EXPECT_FALSE(view->Scan(IdOf(Table::kMessages), ShelfRange(shelf))->valid());
}

// Nothing else is left of it: a hint that somebody was faster is dropped.
TEST_F(DueRunsTest, HintsGoWithTheirMessages) {
  SendBrief(3000);
  LetExpire();

  const auto view = engine_.store().View();
  const KeyRange all = DueRange(ShelfOf("orders").entity.bucket(), {}, kNever);
  EXPECT_FALSE(view->Scan(IdOf(Table::kDue), all)->valid());
}

// A request by number reads it first, and it expires meanwhile.
TEST_F(DueRunsTest, WhatIsAskedForByNumberIsNotThereAnyMore) {  // ONE-1
  SendBrief(100);
  engine_.clock().Advance(minutes(2));
  Pending<std::vector<Delivered>> asked;
  broker().ReceiveOne({"orders", ReceiveMode::kPeekLock}, SequenceNumber(50), asked.answer());
  engine_.shard().OnAlarm();
  engine_.Run();

  EXPECT_EQ(asked.result->status().code(), ErrorCode::kMessageNotFound);
  EXPECT_EQ(Main().messages(), 0);
}

// A trickle behind what expired before.
TEST_F(DueRunsTest, WhatExpiresAloneBehindOthersMakesTheirSpanLonger) {  // TTL-6
  SendBrief(20);
  LetExpire();
  for (int i = 0; i < 5; ++i) {
    SendBrief(1);
    LetExpire();
  }

  EXPECT_EQ(CountedOut(), 25);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
  EXPECT_EQ(SpansOf(), 1U);
}

// A lane that is always at its bounds.
class FewSpansTest : public DueRunsTest {
 protected:
  FewSpansTest() : DueRunsTest(Limits()) {}

  static constexpr std::size_t kSpansMax = 4;
  static constexpr int kRounds = 20;

  // What expires, and what does not: one is deferred, and the others are received.
  void AlternateManyTimes(const std::string& path = "orders") {
    for (int round = 0; round < kRounds; ++round) {
      SendBrief(20, path);
      LetExpire();
      SendAll(std::vector<Message>(12, TenBytes()), path);
      const auto got = engine_.Receive(path, 12);
      ASSERT_EQ(got->size(), 12U);
      for (std::size_t i = 0; i < got->size(); ++i) {
        const LockToken& token = (*got)[i].token;
        ASSERT_TRUE((i == 5 ? engine_.Defer(path, token) : engine_.Complete(path, token)).ok());
      }
    }
  }
  std::size_t Rows(Table table, const std::string& path = "orders") {
    const auto view = engine_.store().View();
    const auto rows = view->Scan(IdOf(table), ShelfRange(ShelfOf(path)));
    std::size_t count = 0;
    for (; rows->valid(); rows->Next()) ++count;
    return count;
  }

 private:
  static ShardLimits Limits() {
    ShardLimits limits;
    limits.broker.queue.lane.spans.spans_max = kSpansMax;
    return limits;
  }
};

// As of receivers that are a little too slow.
TEST_F(FewSpansTest, NothingGoesOneByOneHoweverOftenExpiryIsInterrupted) {  // TTL-6
  AlternateManyTimes();

  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
  EXPECT_EQ(CountedOut(), 20 * kRounds);
  EXPECT_LE(SpansOf(), kSpansMax);
  EXPECT_LE(Rows(Table::kMessages), 20 * kSpansMax + kRounds);
  EXPECT_EQ(Main().deferred, kRounds);
  EXPECT_EQ(Peeked().size(), static_cast<std::size_t>(kRounds));
}

TEST_F(FewSpansTest, WhatLiesBesideSpansThatWereGivenUpIsStillThere) {  // TTL-14
  AlternateManyTimes();
  engine_.Restart();

  for (int round = 0; round < kRounds; ++round) {
    const auto number = static_cast<std::uint64_t>(32 * round + 26);
    EXPECT_TRUE(engine_.ReceiveDeferred("orders", {number}).ok()) << number;
  }
  EXPECT_TRUE(engine_.Check("orders")->differences.empty());
}

TEST_F(FewSpansTest, PartitionsGiveUpTheirsToo) {  // PAR-4
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  for (int round = 0; round < kRounds; ++round) {
    Message message = Brief();
    message.partition_key = "key";
    SendAll(std::vector<Message>(20, message), "parts");
    LetExpire();
    message.time_to_live.reset();
    SendAll(std::vector<Message>(12, message), "parts");
    ASSERT_EQ(engine_.Receive("parts", 12, ReceiveMode::kReceiveAndDelete)->size(), 12U);
  }

  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
  EXPECT_LE(SpansOf("parts"), kSpansMax);
  EXPECT_LE(Rows(Table::kMessages, "parts"), 20 * kSpansMax);
  EXPECT_LE(Rows(Table::kOrder, "parts"), 20 * kSpansMax);
}

TEST_F(DueRunsTest, OfSeveralQueuesEachHasItsRuns) {
  for (const char* name : {"a", "b"}) ASSERT_TRUE(engine_.CreateQueue({.name = name}).ok());
  for (int i = 0; i < 20; ++i) {
    SendBrief(5, "a");
    SendBrief(5, "b");
  }

  LetExpire();

  EXPECT_EQ(CountedOut(), 200);
  EXPECT_EQ(turns_.Count<MessageRemoved>(), 0U);
  EXPECT_EQ(Main("a").messages() + Main("b").messages(), 0);
}

}  // namespace
}  // namespace wharf
