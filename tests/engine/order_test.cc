// Queues with levels or partitions, over the store: restarts, depth, numbers, jobs.

#include <set>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/engine_harness.h"
#include "tests/harness/track_accounts.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Numbers = std::vector<std::uint64_t>;

Message Prior(std::uint32_t priority, std::string body = "x") {
  CarriedProperties carried;
  carried.priority = priority;
  Message message;
  message.body = std::move(body);
  message.carried = std::make_shared<const CarriedProperties>(carried);
  return message;
}

Message Keyed(std::string key) {
  Message message;
  message.partition_key = std::move(key);
  return message;
}

class OrderTest : public ::testing::Test {
 protected:
  explicit OrderTest(QueueDescription queue) {
    queue.name = "orders";
    EXPECT_TRUE(engine_.CreateQueue(std::move(queue)).ok());
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  std::uint64_t Send(Message message, const std::string& to = "orders") {
    const auto sent = engine_.Send(to, {std::move(message)});
    return (*sent)[0]->number.value();
  }
  // Numbers of what comes, taken for good.
  Numbers TakeAll(const std::string& path = "orders") {
    Numbers numbers;
    for (;;) {
      const auto got = engine_.Receive(path, 100, ReceiveMode::kReceiveAndDelete);
      if (got->empty()) return numbers;
      for (const Delivered& each : *got) numbers.push_back(each.message->number.value());
    }
  }
  void CheckRows() { EXPECT_EQ(FindWrongTracks(engine_.store(), *engine_.GetQueue("orders")), ""); }
  std::size_t WindowBytes() {
    return (*engine_.shard().workers().catalog.Find("orders"))
        ->lane(LaneKind::kMain)
        .window_bytes();
  }

  EngineHarness engine_;
};

class PriorityTest : public OrderTest {
 protected:
  PriorityTest() : OrderTest({.max_delivery_count = 1, .enable_priority = true}) {}
};

TEST_F(PriorityTest, LevelsSurviveARestart) {  // PRI-1
  for (const std::uint32_t priority : {1, 9, 1, 5}) Send(Prior(priority));
  engine_.Restart();
  Send(Prior(7));

  EXPECT_THAT(TakeAll(), ElementsAre(2, 5, 4, 1, 3));
  CheckRows();
}

TEST_F(PriorityTest, AReceiverThatWaitsGetsAMessageInTheTurnOfItsSend) {  // PRI-1
  const auto first = Send(Prior(3));
  EXPECT_THAT(TakeAll(), ElementsAre(first));
  CheckRows();
}

TEST_F(PriorityTest, AfterSixteenTheOldestOfTheLowerComes) {  // PRI-2
  Send(Prior(0));
  for (int i = 0; i < 20; ++i) Send(Prior(9));

  const Numbers numbers = TakeAll();

  ASSERT_EQ(numbers.size(), 21U);
  EXPECT_EQ(numbers[15], 17U);
  EXPECT_EQ(numbers[16], 1U);
}

TEST_F(PriorityTest, DepthCostsNoMemoryAndALateUrgentMessageStillComesFirst) {  // PRI-1
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(
        engine_.Send("orders", std::vector<Message>(50, Prior(4, std::string(1000, 'x')))).ok());
  }
  EXPECT_LE(WindowBytes(), 8U * 1024 * 1024);
  const std::uint64_t urgent = Send(Prior(9));
  engine_.Restart();

  const auto got = engine_.Receive("orders", 2, ReceiveMode::kReceiveAndDelete);
  EXPECT_EQ((*got)[0].message->number.value(), urgent);
  Numbers rest = TakeAll();
  EXPECT_EQ(rest.back(), 10000U);
  EXPECT_TRUE(std::is_sorted(rest.begin(), rest.end()));
  CheckRows();
}

TEST_F(PriorityTest, WhatIsDelayedDeferredOrTakenByNumberLeavesItsLevelAndComesBackToIt) {
  // PRI-1, RTY-2, DFX-1, ONE-1
  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders", .enable_priority = true}).ok());
  for (const std::uint32_t priority : {2, 2, 8, 8}) Send(Prior(priority));
  const auto one = engine_.ReceiveOne("orders", 2);
  const auto both = engine_.Receive("orders", 2);
  ASSERT_TRUE(
      engine_
          .Settle("orders", (*both)[0].token, {.verb = SettleVerb::kAbandon, .delay = seconds(10)})
          .ok());
  ASSERT_TRUE(engine_.Defer("orders", (*both)[1].token).ok());
  ASSERT_TRUE(engine_.Release("orders", one->token).ok());
  CheckRows();
  engine_.Restart();

  const auto low = engine_.Receive("orders", 9);
  ASSERT_EQ(low->size(), 2U);
  EXPECT_EQ((*low)[0].message->number.value(), 1U);
  for (const Delivered& each : *low) ASSERT_TRUE(engine_.Release("orders", each.token).ok());

  engine_.Advance(seconds(11));
  ASSERT_TRUE(engine_.Undefer("orders", {4}).ok());
  EXPECT_THAT(TakeAll(), ElementsAre(3, 4, 1, 2));
  CheckRows();
}

TEST_F(PriorityTest, DeadLettersRestInPlainOrderAndGoBackToTheirLevel) {  // PRI-1, RDR-1
  Send(Prior(1));
  Send(Prior(9));
  const auto received = engine_.Receive("orders", 2);
  for (const Delivered& each : *received) ASSERT_TRUE(engine_.Abandon("orders", each.token).ok());
  CheckRows();

  const auto dead = engine_.Receive("orders/$DeadLetterQueue", 2);
  EXPECT_EQ((*dead)[0].message->number.value(), 1U);
  for (const Delivered& each : *dead) {
    ASSERT_TRUE(engine_.Release("orders/$DeadLetterQueue", each.token).ok());
  }
  ASSERT_TRUE(
      engine_.BeginJob({.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue"}).ok());

  EXPECT_THAT(TakeAll(), ElementsAre(4, 3));
  CheckRows();
}

TEST_F(PriorityTest, WhatComesFromElsewhereWithTooHighAPriorityIsFirst) {  // PRI-1, RDR-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "plain"}).ok());
  Send(Prior(9));
  Send(Prior(200), "plain");
  const auto received = engine_.Receive("plain");
  ASSERT_TRUE(engine_.DeadLetter("plain", (*received)[0].token).ok());

  ASSERT_TRUE(
      engine_
          .BeginJob(
              {.verb = JobVerb::kRedrive, .path = "plain/$DeadLetterQueue", .target = "orders"})
          .ok());

  EXPECT_THAT(TakeAll(), ElementsAre(1, 2));
}

TEST_F(PriorityTest, ASubscriptionMayHaveLevels) {  // PRI-1
  constexpr const char* kPath = "topic/Subscriptions/urgent";
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "topic"}).ok());
  ASSERT_TRUE(
      engine_.Create(EntityKind::kSubscription, {.name = kPath, .enable_priority = true}).ok());
  for (const std::uint32_t priority : {1, 9, 200, 4}) Send(Prior(priority), "topic");
  engine_.Restart();

  EXPECT_THAT(TakeAll(kPath), ElementsAre(2, 3, 4, 1));
}

TEST_F(PriorityTest, ExpiryAndPurgeReachEveryLevel) {  // TTL-6, PRG-1
  Message brief = Prior(9);
  brief.time_to_live = seconds(5);
  Send(brief);
  Send(Prior(1));
  engine_.Advance(seconds(6));
  EXPECT_THAT(TakeAll(), ElementsAre(2));

  for (const std::uint32_t priority : {0, 4, 9}) Send(Prior(priority));
  EXPECT_EQ(*engine_.Purge("orders"), 3);
  EXPECT_THAT(TakeAll(), IsEmpty());
  Send(Prior(2));
  engine_.Restart();
  EXPECT_THAT(TakeAll(), ElementsAre(6));
  CheckRows();
}

TEST_F(PriorityTest, APeekIsInTheOrderOfNumbers) {  // PRI-1, PEEK-3
  for (const std::uint32_t priority : {0, 9, 4}) Send(Prior(priority));
  const auto page = engine_.Peek("orders");
  ASSERT_EQ(page->messages.size(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(page->messages[i].message->number.value(), i + 1);
}

class PartitionedTest : public OrderTest {
 protected:
  PartitionedTest() : OrderTest({.enable_partitioning = true}) {}
};

TEST_F(PartitionedTest, EachPartitionCountsOnAfterARestart) {  // PAR-3, SEQ-2
  for (int i = 0; i < 20; ++i) Send(Message());
  engine_.Restart();

  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 28; ++i) numbers.insert(Send(Message()));

  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    const std::uint64_t first = FirstNumberOf(partition).value();
    EXPECT_EQ(numbers.count(first), 0U);
    EXPECT_EQ(numbers.count(first + 2), partition < 12 ? 1U : 0U) << int{partition};
  }
}

TEST_F(PartitionedTest, EachKeyComesInOrderOverARestart) {  // PAR-2, PAR-4
  std::map<std::string, Numbers> sent;
  for (int i = 0; i < 300; ++i) {
    const std::string key = fmt::format("customer-{}", i % 30);
    sent[key].push_back(Send(Keyed(key)));
  }
  engine_.Restart();

  std::map<std::string, Numbers> received;
  for (;;) {
    const auto got = engine_.Receive("orders", 100, ReceiveMode::kReceiveAndDelete);
    if (got->empty()) break;
    for (const Delivered& each : *got) {
      received[*each.message->message.partition_key].push_back(each.message->number.value());
    }
  }

  EXPECT_EQ(received, sent);
  CheckRows();
}

TEST_F(PartitionedTest, NoPartitionWaitsForAnother) {  // PAR-4
  for (int i = 0; i < 100; ++i) Send(Keyed("a"));
  const std::uint64_t other = Send(Keyed("customer-7"));

  const auto got = engine_.Receive("orders", 2);

  EXPECT_EQ((*got)[1].message->number.value(), other);
}

TEST_F(PartitionedTest,
       PeekAndDeleteGoThroughOnePartitionAfterTheOther) {  // PEEK-3, PEEK-10, BDL-8
  for (int i = 0; i < 32; ++i) Send(Message());

  const auto page = engine_.Peek("orders", 0, 5);
  ASSERT_EQ(page->messages.size(), 5U);
  EXPECT_EQ(page->messages[2].message->number, FirstNumberOf(1));
  EXPECT_EQ(page->next, FirstNumberOf(2).Next());
  EXPECT_EQ(engine_.Peek("orders", page->next->value())->messages.size(), 27U);

  engine_.Advance(seconds(1));
  EXPECT_EQ(*engine_.DeleteOldest("orders", 30), 30);
  EXPECT_THAT(TakeAll(), ElementsAre(FirstNumberOf(15).value(), FirstNumberOf(15).value() + 1));
  CheckRows();
}

TEST_F(PartitionedTest, AnIdIsADuplicateWithinItsPartitionKeyAfterARestart) {  // DUP-3, DUP-13
  ASSERT_TRUE(
      engine_
          .CreateQueue(
              {.name = "unique", .requires_duplicate_detection = true, .enable_partitioning = true})
          .ok());
  Message message = Keyed("a");
  message.message_id = "id";
  const std::uint64_t first = Send(message, "unique");
  engine_.Restart();

  const auto again = engine_.Send("unique", {message});
  EXPECT_TRUE((*again)[0]->is_duplicate);
  EXPECT_EQ((*again)[0]->number.value(), first);
  message.partition_key = "b";
  EXPECT_FALSE((*engine_.Send("unique", {message}))[0]->is_duplicate);
}

TEST_F(PartitionedTest, AScheduledMessageEntersThePartitionOfItsKey) {  // SCH-5, PAR-1
  Message message = Keyed("customer-7");
  message.scheduled_enqueue_time = engine_.clock().Now() + seconds(10);
  EXPECT_EQ(Send(message), 1U);
  engine_.Restart();
  engine_.Advance(seconds(11));

  EXPECT_THAT(TakeAll(), ElementsAre(FirstNumberOf(PartitionOfKey("customer-7")).value()));
  CheckRows();
}

TEST_F(PartitionedTest, AJobLeavesWhatCameAfterItBegan) {  // PAR-7, JOB-1
  for (int i = 0; i < 16; ++i) Send(Message());
  const auto job =
      engine_.BeginJob({.verb = JobVerb::kDeleteMessages, .path = "orders", .rate_max = 10});
  engine_.Advance(seconds(1));
  for (int i = 0; i < 16; ++i) Send(Message());
  for (int i = 0; i < 30; ++i) engine_.Advance(seconds(1));

  const auto ended = engine_.GetJob(job->id);
  EXPECT_EQ(ended->state, JobState::kCompleted);
  EXPECT_EQ(ended->done, 16);
  EXPECT_EQ(TakeAll().size(), 16U);
}

TEST_F(PartitionedTest, APurgeLeavesNothingAndNumbersGoOn) {  // PRG-1, SEQ-2
  for (int i = 0; i < 32; ++i) Send(Message());
  EXPECT_EQ(*engine_.Purge("orders"), 32);
  EXPECT_THAT(TakeAll(), IsEmpty());
  engine_.Restart();
  EXPECT_EQ(Send(Keyed("a")), FirstNumberOf(PartitionOfKey("a")).value() + 2);
  EXPECT_EQ(TakeAll().size(), 1U);
  CheckRows();
}

}  // namespace
}  // namespace wharf
