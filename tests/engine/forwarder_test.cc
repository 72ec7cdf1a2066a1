// How messages get from queue to queue: in which turns, in which order, and from where.

#include <algorithm>
#include <map>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "broker/requests/clock_control.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/engine/bodies/large_fixture.h"
#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Windows that hold next to nothing, so that nearly everything is read from the store.
ShardLimits SmallWindows() {
  ShardLimits limits;
  limits.broker.queue.lane.window = {.messages_max = 16, .bytes_max = 4096, .content_ahead = 8};
  return limits;
}

// "orders" goes to "there", once Forward is called.
class ForwarderTest : public ReceiverFixture {
 protected:
  explicit ForwarderTest(const ShardLimits& limits = {}) : ReceiverFixture(limits) {
    Create({.name = "there"});
  }

  void Create(const QueueDescription& queue) { ASSERT_TRUE(engine_.CreateQueue(queue).ok()); }
  void Update(const QueueDescription& queue) { ASSERT_TRUE(engine_.UpdateQueue(queue).ok()); }
  void Forward(const std::string& from = "orders") {
    Update({.name = from, .forward_to = "there"});
  }
  void SendNumbered(std::size_t count, std::size_t body_bytes = 10,
                    const std::string& path = "orders") {
    std::vector<Message> messages(count);
    for (std::size_t i = 0; i < count; ++i) {
      messages[i].body = fmt::format("{}:{}", path, ++sent_[path]);
      messages[i].body.resize(std::max(body_bytes, messages[i].body.size()), ' ');
    }
    for (std::size_t at = 0; at < count; at += Broker::kItemsMax) {
      const auto first = messages.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last =
          messages.begin() + static_cast<std::ptrdiff_t>(std::min(at + Broker::kItemsMax, count));
      ASSERT_TRUE(engine_.Send(path, std::vector<Message>(first, last)).ok());
    }
  }
  // One answer has what is in memory.
  std::vector<Delivered> ReceiveAll(const std::string& path) {
    std::vector<Delivered> all;
    for (;;) {
      auto received = engine_.Receive(path, 1000);
      if (!received.ok() || received->empty()) return all;
      all.insert(all.end(), received->begin(), received->end());
    }
  }
  LaneCounters MainOf(const std::string& name) { return engine_.GetQueue(name)->main; }

  // The bodies of all messages of a queue, in their order.
  std::vector<std::string> BodiesOf(const std::string& path) {
    std::vector<std::string> bodies;
    for (std::uint64_t from = 0;;) {
      const auto page = engine_.Peek(path, from);
      if (!page.ok() || page->messages.empty()) return bodies;
      for (const PeekedMessage& peeked : page->messages) {
        const std::string& body = peeked.message->message.body;
        bodies.push_back(body.substr(0, body.find(' ')));
        from = peeked.message->number.value() + 1;
      }
    }
  }
  std::vector<std::string> Sent(const std::string& path = "orders") {
    std::vector<std::string> bodies;
    for (std::size_t i = 1; i <= sent_[path]; ++i) bodies.push_back(fmt::format("{}:{}", path, i));
    return bodies;
  }
  void ExpectRightAccounts() {
    for (const std::string name : {"orders", "there"}) {
      const QueueSnapshot queue = *engine_.GetQueue(name);
      const EntityId id = queue.record.id;
      EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kMain, queue.main), "");
      EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kDeadLetter, queue.dead_letter),
                "");
      EXPECT_EQ(FindStrayRows(engine_.store(), queue), "");
    }
  }
  // The most that one turn forwarded, in messages and in bytes.
  std::size_t MostInATurn(std::int64_t* bytes = nullptr) const {
    std::size_t most = 0;
    for (const Changes& changes : turns_.turns) {
      std::int64_t in_turn = 0;
      for (const Change& change : changes) {
        const auto* forwarded = std::get_if<MessageForwarded>(&change);
        if (forwarded != nullptr) in_turn += forwarded->message->facts.size;
      }
      if (bytes != nullptr) *bytes = std::max(*bytes, in_turn);
      most = std::max(most, TurnRecorder::CountIn<MessageForwarded>(changes));
    }
    return most;
  }

  std::map<std::string, std::size_t> sent_;
};

TEST_F(ForwarderTest, AMessageIsSentForwardedAndDeliveredInOneTurn) {  // FWD-1
  Forward();
  const TestReceiver receiver = Attach(ReceiveMode::kPeekLock, "there");
  Grant(receiver, 5);
  turns_.turns.clear();

  Send();

  EXPECT_THAT(receiver.events(), ElementsAre("1"));
  const Changes& turn = turns_.turns.front();
  EXPECT_EQ(TurnRecorder::CountIn<MessageEnqueued>(turn), 1U);
  EXPECT_EQ(TurnRecorder::CountIn<MessageForwarded>(turn), 1U);
  EXPECT_EQ(TurnRecorder::CountIn<MessageLocked>(turn), 1U);
}

TEST_F(ForwarderTest, ABacklogIsForwardedInItsOrder) {  // FWD-7, FWD-8
  SendNumbered(20000, 100);

  Forward();

  EXPECT_EQ(BodiesOf("there"), Sent());
  EXPECT_EQ(MainOf("orders").messages(), 0);
  ExpectRightAccounts();
}

TEST_F(ForwarderTest, ATurnForwardsABoundedNumber) {
  SendNumbered(10000);

  Forward();

  EXPECT_EQ(turns_.Count<MessageForwarded>(), 10000U);
  EXPECT_LE(MostInATurn(), 4096U);
}

TEST_F(ForwarderTest, ATurnForwardsBoundedBytes) {
  SendNumbered(4000, 4000);

  Forward();

  std::int64_t bytes = 0;
  EXPECT_EQ(turns_.Count<MessageForwarded>(), 4000U);
  MostInATurn(&bytes);
  EXPECT_LE(bytes, 4 * 1024 * 1024 + 4000);
}

TEST_F(ForwarderTest, SourcesWithABacklogTakeTurns) {
  Create({.name = "other"});
  Update({.name = "there", .status = EntityStatus::kDisabled});
  for (const std::string name : {"orders", "other"}) {
    Update({.name = name, .forward_dead_lettered_messages_to = "there"});
    SendNumbered(2000, 10, name);
    const auto received = engine_.Receive(name, 2000);
    for (const Delivered& delivered : *received) {
      broker().Settle(name, {delivered.token}, {.verb = SettleVerb::kDeadLetter},
                      [](const Result<SettleReceipt>&) {});
    }
  }
  engine_.Run();

  Update({.name = "there"});

  const std::vector<std::string> there = BodiesOf("there");
  ASSERT_THAT(there, SizeIs(4000));
  const auto half = there.begin() + 2000;
  const auto of_other = std::count_if(there.begin(), half,
                                      [](const auto& body) { return body.starts_with("other"); });
  EXPECT_GT(of_other, 500);
  EXPECT_LT(of_other, 1500);
}

TEST_F(ForwarderTest, ARestartUnderWayLosesAndRepeatsNothing) {  // FWD-1
  SendNumbered(20000);
  broker().UpdateQueue({.name = "orders", .forward_to = "there"},
                       [](const Result<QueueSnapshot>&) {});
  turns_.turns.clear();
  engine_.work().RunUntil([this] { return turns_.Count<MessageForwarded>() > 5000; });

  engine_.Restart();

  EXPECT_EQ(BodiesOf("there"), Sent());
  EXPECT_EQ(MainOf("orders").messages(), 0);
  ExpectRightAccounts();
}

TEST_F(ForwarderTest, ReceiversEndWhenForwardingBegins) {  // RCV-5
  const TestReceiver receiver = AttachWith(5);
  const TestReceiver of_dead_letters = Attach(ReceiveMode::kPeekLock, "orders/$DeadLetterQueue");

  Forward();

  EXPECT_THAT(receiver.events(), ElementsAre("detached InvalidOperation"));
  EXPECT_THAT(of_dead_letters.events(), IsEmpty());

  Update({.name = "orders", .forward_dead_lettered_messages_to = "there"});
  EXPECT_THAT(of_dead_letters.events(), ElementsAre("detached InvalidOperation"));
}

TEST_F(ForwarderTest, ABodyOutlivesTheQueueThatItCameTo) {
  SendNumbered(1, 100000);
  Forward();
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  engine_.Restart();

  const auto received = engine_.Receive("there");

  ASSERT_THAT(*received, SizeIs(1));
  EXPECT_EQ((*received)[0].message->message.body.size(), 100000U);
  ASSERT_TRUE(engine_.Complete("there", (*received)[0].token).ok());
  const auto view = engine_.store().View();
  EXPECT_FALSE(view->Scan(IdOf(Table::kBodies), {"", std::string(40, '\xFF')})->valid());
}

TEST_F(ForwarderTest, DuplicatesAreFoundAmongSendsAndForwards) {  // DUP-9
  Create({.name = "unique", .requires_duplicate_detection = true});
  Update({.name = "orders", .forward_to = "unique"});
  const auto named = [](std::size_t i) {
    Message message = TenBytes();
    message.message_id = fmt::format("id{}", i % 700);
    return message;
  };
  for (std::size_t i = 0; i < 3000; ++i) {
    broker().Send(i % 3 == 0 ? "unique" : "orders", {named(i)}, false,
                  [](const Result<SendReceipt>&) {});
  }
  engine_.Run();

  EXPECT_EQ(MainOf("orders").messages(), 0);
  EXPECT_EQ(MainOf("unique").messages(), 700);
}

TEST_F(ForwarderTest, WhatIsLookedUpForOneTargetIsNotSentToAnother) {  // DUP-9
  Create({.name = "unique", .requires_duplicate_detection = true});
  Create({.name = "second", .requires_duplicate_detection = true});
  Message named = TenBytes();
  named.message_id = "a";
  ASSERT_TRUE(engine_.Send("second", {named}).ok());
  ASSERT_TRUE(engine_.Send("orders", {named}).ok());
  broker().UpdateQueue({.name = "orders", .forward_to = "unique"},
                       [](const Result<QueueSnapshot>&) {});
  broker().UpdateQueue({.name = "orders", .forward_to = "second"},
                       [](const Result<QueueSnapshot>&) {});
  engine_.Run();

  EXPECT_EQ(MainOf("unique").messages(), 0);
  EXPECT_EQ(MainOf("second").messages(), 1);
  EXPECT_EQ(MainOf("orders").messages(), 0);
}

TEST_F(ForwarderTest, WhatCameWhileOthersAreLookedUpIsLookedUpToo) {  // DUP-9
  Create({.name = "unique", .requires_duplicate_detection = true});
  Update({.name = "orders", .forward_to = "unique"});
  Message known = TenBytes();
  known.message_id = "known";
  Message fresh = TenBytes();
  fresh.message_id = "new";
  ASSERT_TRUE(engine_.Send("unique", {known}).ok());
  engine_.memory_log().Hold();
  Pending<SendReceipt> first;
  Pending<SendReceipt> second;

  broker().Send("orders", {fresh}, false, first.answer());
  engine_.Run();
  broker().Send("orders", {known}, false, second.answer());
  engine_.Run();
  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_TRUE(first.result->ok() && second.result->ok());
  EXPECT_EQ(MainOf("orders").messages(), 0);
  EXPECT_EQ(MainOf("unique").messages(), 2);
}

TEST_F(ForwarderTest, ALaneRestsLongerAndLongerAndAtMostAMinute) {  // FWD-15
  Update({.name = "orders", .forward_dead_lettered_messages_to = "there"});
  Update({.name = "there", .max_size_in_megabytes = 1});
  ASSERT_TRUE(engine_.Send("there", std::string(1024 * 1024, 'x')).ok());
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  ASSERT_TRUE(engine_.DeadLetter("orders", token).ok());
  EXPECT_EQ(turns_.Count<MessageForwarded>(), 0U);
  for (int i = 0; i < 600; ++i) engine_.Advance(seconds(1));
  ASSERT_THAT(*engine_.Receive("there", 1, ReceiveMode::kReceiveAndDelete), SizeIs(1));

  engine_.Advance(minutes(1));

  EXPECT_EQ(turns_.Count<MessageForwarded>(), 1U);
}

TEST_F(ForwarderTest, AnAdvancedClockLeavesNothingUnforwarded) {
  Forward();
  ClockControl control(broker().requests(), &engine_.clock());
  Message message = TenBytes();
  message.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(4000, message)).ok());

  std::int64_t there = 0;
  control.Advance(minutes(2), {}, [&](const Result<Timestamp>& time) {
    EXPECT_TRUE(time.ok());
    there = engine_.shard()
                .workers()
                .finder.Resolve("there")
                ->queue->lane(LaneKind::kMain)
                .counters()
                .messages();
  });
  engine_.Run();

  EXPECT_EQ(there, 4000);
}

TEST_F(ForwarderTest, WhatCannotBeReadHoldsUpNothing) {
  Create({.name = "other"});
  SendNumbered(2);
  const EntityId id = engine_.GetQueue("orders")->record.id;
  is_damaged_ = true;
  WriteBatch batch;
  batch.Put(IdOf(Table::kMessages), MessageKey({id, LaneKind::kMain}, SequenceNumber(1)),
            "damaged");
  engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  engine_.Restart();
  spdlog::set_level(spdlog::level::off);

  Forward("orders");
  Forward("other");
  SendNumbered(2, 10, "other");
  engine_.Advance(minutes(5));

  spdlog::set_level(spdlog::level::info);
  EXPECT_EQ(MainOf("orders").messages(), 1);
  EXPECT_EQ(MainOf("orders").quarantined, 1);
  EXPECT_EQ(MainOf("there").messages(), 3);
}

class SmallWindowsTest : public ForwarderTest {
 protected:
  SmallWindowsTest() : ForwarderTest(SmallWindows()) {}
};

TEST_F(SmallWindowsTest, WhatIsNotInMemoryIsRead) {  // FWD-8
  Forward();
  SendNumbered(1000);
  SendNumbered(500, 5000);
  SendNumbered(500);

  EXPECT_EQ(BodiesOf("there"), Sent());
  EXPECT_EQ(MainOf("orders").messages(), 0);
}

TEST_F(SmallWindowsTest, ManySourcesWithABacklogAllGetTheirTurn) {
  constexpr std::size_t kSources = 100;
  for (std::size_t i = 0; i < kSources; ++i) {
    const std::string name = fmt::format("s{}", i);
    Create({.name = name});
    SendNumbered(100, 10, name);
  }
  engine_.Restart();
  for (std::size_t i = 0; i < kSources; ++i) {
    broker().UpdateQueue({.name = fmt::format("s{}", i), .forward_to = "there"},
                         [](const Result<QueueSnapshot>&) {});
  }
  engine_.Run();

  EXPECT_EQ(MainOf("there").messages(), 100 * 100);
  ClockControl control(broker().requests(), &engine_.clock());
  EXPECT_TRUE(engine_
                  .Await<Timestamp>([&](Answer<Timestamp> answer) {
                    control.Advance(seconds(1), {}, std::move(answer));
                  })
                  .ok());
}

TEST_F(SmallWindowsTest, DuplicatesAreFoundAlsoThere) {  // DUP-9
  Create({.name = "unique", .requires_duplicate_detection = true});
  std::vector<Message> messages(1000, TenBytes());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    messages[i].message_id = fmt::format("id{}", i % 300);
  }
  ASSERT_TRUE(engine_.Send("orders", messages).ok());

  Update({.name = "orders", .forward_to = "unique"});

  EXPECT_EQ(MainOf("unique").messages(), 300);
  EXPECT_EQ(MainOf("orders").messages(), 0);
}

// There is never room for a window beyond the turn that needs it.
ShardLimits NoRoom() {
  ShardLimits limits;
  limits.windows_bytes_max = 1;
  return limits;
}

class NoRoomTest : public ForwarderTest {
 protected:
  NoRoomTest() : ForwarderTest(NoRoom()) {}
};

TEST_F(NoRoomTest, WhatWaitsForALookUpStaysInMemory) {  // DUP-9
  Create({.name = "unique", .requires_duplicate_detection = true});
  std::vector<Message> messages(100, TenBytes());
  for (std::size_t i = 0; i < messages.size(); ++i) messages[i].message_id = fmt::format("id{}", i);
  ASSERT_TRUE(engine_.Send("orders", messages).ok());

  Update({.name = "orders", .forward_to = "unique"});

  EXPECT_EQ(MainOf("unique").messages(), 100);
}

// First their rows are read, then their content.
TEST_F(NoRoomTest, WhatWasReturnedIsReadForIt) {  // FWD-1
  Send(10);
  const TestReceiver receiver = AttachWith(10);
  for (std::size_t i = 0; i < 10; ++i) {
    broker().Settle("orders", {receiver.token(i)}, {.verb = SettleVerb::kAbandon},
                    [](const Result<SettleReceipt>&) {});
  }
  engine_.Run();

  Update({.name = "orders", .forward_to = "there"});

  EXPECT_EQ(MainOf("there").messages(), 10);
}

TEST_F(SmallWindowsTest, PartitionsAndLevelsAreReadToo) {  // PAR-4, PRI-1
  Create({.name = "parts", .enable_partitioning = true});
  Create({.name = "levels", .enable_priority = true});
  for (const char* source : {"parts", "levels"}) {
    SendNumbered(500, 10, source);
    QueueDescription forwarding = engine_.GetQueue(source)->record.description;
    forwarding.forward_to = "there";
    Update(forwarding);
    EXPECT_EQ(MainOf(source).messages(), 0);
  }

  EXPECT_EQ(MainOf("there").messages(), 1000);
}

TEST_F(SmallWindowsTest, DeadLettersThatStayDoNotHoldUpOthers) {  // FWD-16
  Create({.name = "errors"});
  Create({.name = "c", .forward_to = "there"});
  Create({.name = "b", .forward_to = "c"});
  Create({.name = "a", .forward_to = "b"});
  Create({.name = "over", .forward_to = "a"});
  SendNumbered(300, 10, "over");
  SendNumbered(300, 10, "there");
  Update({.name = "there", .forward_dead_lettered_messages_to = "errors"});
  for (const Delivered& delivered : ReceiveAll("there")) {
    ASSERT_TRUE(engine_.DeadLetter("there", delivered.token).ok());
  }

  EXPECT_EQ(engine_.GetQueue("there")->dead_letter.messages(), 300);
  EXPECT_EQ(BodiesOf("errors"), Sent("there"));
  engine_.Restart();
  EXPECT_EQ(engine_.GetQueue("there")->dead_letter.messages(), 300);

  Update({.name = "there"});
  EXPECT_THAT(ReceiveAll("there/$DeadLetterQueue"), SizeIs(300));
}

class LargeForwardTest : public LargeFixture {};

TEST_F(LargeForwardTest, ALargeBodyStaysWhereItIsAndLeavesFromThere) {
  QueueDescription there = LargeQueue();
  there.name = "there";
  ASSERT_TRUE(engine_.CreateQueue(there).ok());
  QueueDescription here = LargeQueue();
  here.forward_to = "there";
  ASSERT_TRUE(engine_.UpdateQueue(here).ok());

  SendLarge();

  EXPECT_EQ(engine_.GetQueue("orders")->main.bytes, 0);
  EXPECT_EQ(LooseBodies(), 0U);
  const TestReceiver receiver = Attach(ReceiveMode::kPeekLock, "there");
  Grant(receiver, 1);
  ASSERT_THAT(receiver.sink->deliveries, SizeIs(1));
  EXPECT_EQ(*ReadBody(*receiver.sink->deliveries[0].message->facts.body_ref), LargeBody());
  ASSERT_TRUE(engine_.Complete("there", receiver.token(0)).ok());
  EXPECT_EQ(BodyRows(), 0U);
}

TEST_F(LargeForwardTest, OneThatIsTooLargeForTheTargetIsDeadLettered) {  // FWD-13
  ASSERT_TRUE(engine_.CreateQueue({.name = "there"}).ok());
  QueueDescription here = LargeQueue();
  here.forward_to = "there";
  ASSERT_TRUE(engine_.UpdateQueue(here).ok());

  SendLarge();

  EXPECT_EQ(engine_.GetQueue("orders")->dead_letter.messages(), 1);
  EXPECT_EQ(engine_.GetQueue("there")->main.messages(), 0);
}

TEST_F(LargeForwardTest, TheBodyOfADuplicateIsDropped) {  // DUP-9
  QueueDescription there = LargeQueue();
  there.name = "there";
  there.requires_duplicate_detection = true;
  ASSERT_TRUE(engine_.CreateQueue(there).ok());
  QueueDescription here = LargeQueue();
  here.forward_to = "there";
  ASSERT_TRUE(engine_.UpdateQueue(here).ok());
  Message named;
  named.message_id = "a";

  SendLarge(named);
  SendLarge(named);

  EXPECT_EQ(engine_.GetQueue("there")->main.messages(), 1);
  EXPECT_EQ(BodyRows(), 5U);
}

}  // namespace
}  // namespace wharf
