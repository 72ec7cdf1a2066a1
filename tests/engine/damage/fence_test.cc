// An entity whose rows do not agree is out of use until it was recounted; all others go on.

#include <functional>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "broker/core/entities/bucket.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "tests/engine/sessions/session_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kFencedCode = ErrorCode::kMessagingEntityDisabled;

class FenceTest : public SessionFixture {
 protected:
  FenceTest() {
    is_damaged_ = true;
    spdlog::set_level(spdlog::level::off);
    EXPECT_TRUE(engine_.CreateQueue({.name = "other"}).ok());
  }
  ~FenceTest() override { spdlog::set_level(spdlog::level::info); }

  EntityId IdOf(const std::string& queue) { return engine_.GetQueue(queue)->record.id; }
  Shelf ShelfOf(const std::string& queue) { return Shelf(IdOf(queue), LaneKind::kMain); }

  // Beneath the broker.
  void Write(const std::function<void(WriteBatch&)>& write) {
    WriteBatch batch;
    write(batch);
    engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
    engine_.Run();
  }
  void ChangeCounters(const std::string& queue, const std::function<void(LaneCounters&)>& change,
                      LaneKind kind = LaneKind::kMain) {
    const std::string key = CountersKey({IdOf(queue), kind});
    const auto row = engine_.store().View()->Get(wharf::IdOf(Table::kCounters), key);
    LaneCounters counters = *row && row->has_value() ? *DecodeCounters(**row) : LaneCounters();
    change(counters);
    Write([&](WriteBatch& batch) {
      batch.Put(wharf::IdOf(Table::kCounters), key, EncodeCounters(counters));
    });
    engine_.Restart();
  }
  void LoseLocks(const std::string& queue = "orders") {
    ChangeCounters(queue, [](LaneCounters& counters) { counters.locked += 2; });
  }
  void DropMessage(const std::string& queue, std::uint64_t number) {
    Write([&](WriteBatch& batch) {
      batch.SingleDelete(wharf::IdOf(Table::kMessages),
                         MessageKey(ShelfOf(queue), SequenceNumber(number)));
    });
  }
  // Messages that came back: they wait in `delivery`.
  void SendAndAbandon(std::size_t count) {
    Send(count);
    const auto received = engine_.Receive("orders", count);
    for (const Delivered& each : *received) {
      ASSERT_TRUE(engine_.Abandon("orders", each.token).ok());
    }
  }

  std::string FenceOf(const std::string& queue) { return engine_.GetQueue(queue)->fence; }
  void Repair(const std::string& path) {
    const Result<RecountReport> report = engine_.Check(path, true);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_TRUE(report->is_repaired) << report->fence;
    EXPECT_THAT(engine_.Check(path)->differences, IsEmpty());
  }
  // The numbers of what one call receives.
  std::vector<std::uint64_t> TakeSome(const std::string& queue = "orders") {
    std::vector<std::uint64_t> numbers;
    const auto received = engine_.Receive(queue, 100, ReceiveMode::kReceiveAndDelete);
    EXPECT_TRUE(received.ok()) << received.status().ToString();
    if (!received.ok()) return numbers;
    for (const Delivered& each : *received) numbers.push_back(each.message->number.value());
    return numbers;
  }
  // Of all that can be received.
  std::vector<std::uint64_t> Numbers(const std::string& queue = "orders") {
    std::vector<std::uint64_t> numbers;
    for (auto some = TakeSome(queue); !some.empty(); some = TakeSome(queue)) {
      numbers.insert(numbers.end(), some.begin(), some.end());
    }
    return numbers;
  }
  void ExpectAllInOrder() { EXPECT_EQ(engine_.FindWrong(), ""); }
};

// What the differences are called, with counted and found.
std::vector<std::string> Lines(const RecountReport& report) {
  std::vector<std::string> lines;
  for (const RecountDifference& each : report.differences) {
    lines.push_back(fmt::format("{}{} {} {}", each.lane == LaneKind::kDeadLetter ? "dead " : "",
                                each.what, each.counted, each.found));
  }
  return lines;
}

TEST_F(FenceTest, LocksThatAreCountedAndNotThereFenceTheirQueueAlone) {
  Send(3);

  LoseLocks();

  EXPECT_EQ(engine_.started().code(), ErrorCode::kOk);
  EXPECT_EQ(FenceOf("orders"), "2 locks are counted, and there are 0");
  EXPECT_EQ(engine_.Send("orders", "x").status().code(), kFencedCode);
  EXPECT_EQ(engine_.Receive("orders").status().code(), kFencedCode);
  EXPECT_EQ(engine_.Peek("orders").status().code(), kFencedCode);
  EXPECT_EQ(engine_.Purge("orders").status().code(), kFencedCode);
  EXPECT_EQ(engine_.Complete("orders", LockToken()).code(), kFencedCode);
  EXPECT_EQ(engine_.UpdateQueue({.name = "orders"}).code(), kFencedCode);
  EXPECT_EQ(engine_.BeginJob({.path = "orders"}).status().code(), kFencedCode);
  EXPECT_THAT(engine_.Send("orders", "x").status().message(),
              HasSubstr("'wharf check queue orders --repair' recounts it"));
  EXPECT_TRUE(engine_.Send("other", "x").ok());
  EXPECT_THAT(Numbers("other"), ElementsAre(1));
}

TEST_F(FenceTest, ACheckTellsAndARepairMends) {
  Send(3);
  LoseLocks();

  const Result<RecountReport> found = engine_.Check("orders");

  EXPECT_THAT(Lines(*found), ElementsAre("locked_message_count 2 0"));
  EXPECT_EQ(found->messages, 3);
  EXPECT_EQ(found->fence, FenceOf("orders"));
  EXPECT_FALSE(found->is_repaired);
  Repair("orders");
  EXPECT_EQ(FenceOf("orders"), "");
  Send();
  EXPECT_THAT(Numbers(), ElementsAre(1, 2, 3, 4));
  ExpectAllInOrder();
}

TEST_F(FenceTest, ARepairOfWhatAgreesChangesNothing) {
  Send(3);
  ASSERT_TRUE(engine_.Receive("orders").ok());
  turns_.turns.clear();

  const Result<RecountReport> report = engine_.Check("orders", true);

  EXPECT_THAT(report->differences, IsEmpty());
  EXPECT_FALSE(report->is_repaired);
  EXPECT_EQ(turns_.Count<EntityFenced>() + turns_.Count<RowsMended>(), 0U);
  EXPECT_EQ(turns_.Count<CountersChanged>(), 0U);
  ExpectAllInOrder();
}

TEST_F(FenceTest, ACheckIsRightWhileMessagesComeAndGo) {
  Send(1000);
  Pending<RecountReport> pending;
  broker().Check("orders", false, pending.answer());

  while (!pending.result) {
    broker().Send("orders", {TenBytes()}, false, [](auto) {});
    broker().ReceiveOnce({"orders", ReceiveMode::kReceiveAndDelete, 2}, [](auto) {});
    engine_.Step();
  }
  engine_.Run();

  EXPECT_THAT((*pending.result)->differences, IsEmpty());
  ExpectAllInOrder();
}

TEST_F(FenceTest, CountersThatCannotBeReadAreCountedAnew) {
  SendAndAbandon(2);
  Send(2);
  const std::string key = CountersKey({IdOf("orders"), LaneKind::kMain});
  Write([&](WriteBatch& batch) { batch.Put(wharf::IdOf(Table::kCounters), key, "damaged"); });
  engine_.Restart();
  ASSERT_EQ(FenceOf("orders"), "the row of its counters cannot be read");

  Repair("orders");

  // Nobody knows which numbers were given to messages that are gone.
  EXPECT_GT(engine_.Send("orders", "x")->value(), 1'000'000U);
  EXPECT_THAT(Numbers(), SizeIs(5));
  ExpectAllInOrder();
}

TEST_F(FenceTest, AReturnedMessageThatIsNotThereIsInQuarantineAlone) {
  SendAndAbandon(3);
  DropMessage("orders", 2);
  engine_.Restart();

  const TestReceiver receiver = AttachWith(5);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "3"));
  EXPECT_EQ(FenceOf("orders"), "");
  EXPECT_EQ(engine_.GetQueue("orders")->main.quarantined, 1);
  EXPECT_TRUE(engine_.SettleOne("orders", 2, {.verb = SettleVerb::kComplete}).ok());
  ExpectAllInOrder();
}

// Another message, so that its end does not make the lane an empty one.
TEST_F(FenceTest, WhatARepairFoundInQuarantineAloneIsRemovedWithItsBody) {
  ASSERT_TRUE(engine_.Send("orders", std::string(5000, 'x')).ok());
  ASSERT_TRUE(engine_.Abandon("orders", engine_.Receive("orders")->front().token).ok());
  Send();
  DropMessage("orders", 1);
  engine_.Restart();
  ASSERT_THAT(Numbers(), ElementsAre(2));
  Send();
  LoseLocks();
  Repair("orders");
  EXPECT_EQ(engine_.GetQueue("orders")->main.separate_bodies, 1);

  EXPECT_TRUE(engine_.SettleOne("orders", 1, {.verb = SettleVerb::kComplete}).ok());

  EXPECT_EQ(FenceOf("orders"), "");
  EXPECT_EQ(engine_.GetQueue("orders")->main.separate_bodies, 0);
  ExpectAllInOrder();
}

TEST_F(FenceTest, ALockedMessageThatIsNotThereIsInQuarantineWhenItIsToBeMoved) {
  QueueDescription once{.name = "orders", .lock_duration = seconds(30), .max_delivery_count = 1};
  ASSERT_TRUE(engine_.UpdateQueue(once).ok());
  Send(2);
  ASSERT_TRUE(engine_.Receive("orders", 1).ok());
  DropMessage("orders", 1);

  engine_.Advance(seconds(30));

  EXPECT_EQ(FenceOf("orders"), "");
  EXPECT_EQ(engine_.GetQueue("orders")->main.quarantined, 1);
  EXPECT_TRUE(engine_.SettleOne("orders", 1, {.verb = SettleVerb::kComplete}).ok());
  EXPECT_THAT(Numbers(), ElementsAre(2));
  ExpectAllInOrder();
}

TEST_F(FenceTest, MoreReturnedMessagesThanAreCountedFence) {
  SendAndAbandon(2);
  ChangeCounters("orders", [](LaneCounters& counters) { counters.returned = 1; });

  const TestReceiver receiver = AttachWith(5);

  EXPECT_EQ(receiver.events().back(), "detached MessagingEntityDisabled");
  EXPECT_EQ(FenceOf("orders"), "more messages are available again than are counted");
  Repair("orders");
  ExpectAllInOrder();
}

// Without a fence its receivers would wait without end.
TEST_F(FenceTest, FewerReturnedMessagesThanAreCountedFenceAlsoAfterARestart) {
  SendAndAbandon(2);
  ChangeCounters("orders", [](LaneCounters& counters) { counters.returned = 5; });
  AttachWith(5);
  const std::string fence = FenceOf("orders");
  ASSERT_EQ(fence, "fewer messages are available again than are counted");

  engine_.Restart();

  EXPECT_EQ(FenceOf("orders"), fence);
  EXPECT_EQ(engine_.Receive("orders").status().code(), kFencedCode);
  Repair("orders");
  engine_.Restart();
  EXPECT_EQ(FenceOf("orders"), "");
  ExpectAllInOrder();
}

TEST_F(FenceTest, FewerFreshMessagesThanAreCountedFence) {
  Send(3);
  DropMessage("orders", 2);
  engine_.Restart();

  const TestReceiver receiver = AttachWith(5);

  EXPECT_EQ(receiver.events().back(), "detached MessagingEntityDisabled");
  Repair("orders");
  EXPECT_THAT(engine_.GetQueue("orders")->main.messages(), 2);
  ExpectAllInOrder();
}

TEST_F(FenceTest, WhatIsFoundByItsNumberAndNotCountedFences) {
  Send(2);
  const auto received = engine_.Receive("orders", 2);
  for (const Delivered& each : *received) ASSERT_TRUE(engine_.Defer("orders", each.token).ok());
  ChangeCounters("orders", [](LaneCounters& counters) { counters.deferred = 1; });

  EXPECT_TRUE(engine_.ReceiveDeferred("orders", {1, 2}).ok());

  EXPECT_EQ(FenceOf("orders"), "there are more messages than are counted");
  Repair("orders");
  EXPECT_EQ(engine_.GetQueue("orders")->main.locked, 2);
  ExpectAllInOrder();
}

TEST_F(FenceTest, BytesThatAreNotCountedFence) {
  Send(2);
  ChangeCounters("orders", [](LaneCounters& counters) { counters.bytes = 12; });

  engine_.Receive("orders", 2, ReceiveMode::kReceiveAndDelete).ok();

  EXPECT_EQ(FenceOf("orders"), "messages have more bytes than are counted");
  Repair("orders");
  ExpectAllInOrder();
}

TEST_F(FenceTest, BodiesThatAreNotCountedFence) {
  ASSERT_TRUE(engine_.Send("orders", std::string(5000, 'x')).ok());
  ChangeCounters("orders", [](LaneCounters& counters) { counters.separate_bodies = 0; });
  EXPECT_THAT(Lines(*engine_.Check("orders")), ElementsAre("separate_body_count 0 1"));

  EXPECT_THAT(TakeSome(), ElementsAre(1));

  EXPECT_EQ(FenceOf("orders"), "messages have more bodies than are counted");
  Repair("orders");
  ExpectAllInOrder();
}

TEST_F(FenceTest, ARepairCountsBodiesOfAnOlderVersion) {
  ASSERT_TRUE(engine_.Send("orders", std::string(5000, 'x')).ok());
  ChangeCounters("orders", [](LaneCounters& counters) {
    counters.separate_bodies = 0;
    counters.knows_separate_bodies = false;
  });
  EXPECT_THAT(engine_.Check("orders")->differences, IsEmpty());
  LoseLocks();

  Repair("orders");

  EXPECT_TRUE(engine_.GetQueue("orders")->main.knows_separate_bodies);
  EXPECT_EQ(engine_.GetQueue("orders")->main.separate_bodies, 1);
  ExpectAllInOrder();
}

TEST_F(FenceTest, EachCountThatDriftsIsToldByItsNameAndMended) {
  struct Count {
    const char* name;
    std::int64_t LaneCounters::*of;
  };
  ASSERT_TRUE(engine_.Send("orders", std::string(5000, 'x')).ok());
  for (const Count& count :
       {Count{"fresh_message_count", &LaneCounters::fresh},
        Count{"locked_message_count", &LaneCounters::locked},
        Count{"returned_message_count", &LaneCounters::returned},
        Count{"delayed_message_count", &LaneCounters::delayed},
        Count{"deferred_message_count", &LaneCounters::deferred},
        Count{"quarantined_message_count", &LaneCounters::quarantined},
        Count{"size_in_bytes", &LaneCounters::bytes},
        Count{"separate_body_count", &LaneCounters::separate_bodies},
        Count{"scheduled_message_count", &LaneCounters::scheduled},
        Count{"scheduled_size_in_bytes", &LaneCounters::scheduled_bytes},
        Count{"session_state_size_in_bytes", &LaneCounters::session_state_bytes}}) {
    const std::int64_t right = engine_.GetQueue("orders")->main.*count.of;
    ChangeCounters("orders", [&](LaneCounters& counters) { ++(counters.*count.of); });

    EXPECT_THAT(Lines(*engine_.Check("orders")),
                ElementsAre(fmt::format("{} {} {}", count.name, right + 1, right)));
    Repair("orders");
    EXPECT_EQ(engine_.GetQueue("orders")->main.*count.of, right) << count.name;
  }
  ExpectAllInOrder();
}

TEST_F(FenceTest, DeadLettersAreRecountedWithTheirQueue) {
  Send(2);
  const auto received = engine_.Receive("orders", 2);
  for (const Delivered& each : *received)
    ASSERT_TRUE(engine_.DeadLetter("orders", each.token).ok());
  ChangeCounters(
      "orders", [](LaneCounters& counters) { counters.returned = 7; }, LaneKind::kDeadLetter);

  EXPECT_THAT(Lines(*engine_.Check("orders")), ElementsAre("dead returned_message_count 7 2"));
  Repair("orders");
  EXPECT_EQ(engine_.Check("orders/$DeadLetterQueue").status().code(), ErrorCode::kInvalidOperation);
  EXPECT_THAT(Numbers("orders/$DeadLetterQueue"), ElementsAre(1, 2));
  ExpectAllInOrder();
}

TEST_F(FenceTest, ACrashInTheMidstOfARepairLeavesTheFence) {
  SendAndAbandon(3);
  DropMessage("orders", 2);
  int crashes_in_the_midst = 0;
  for (int steps = 1;; ++steps) {
    SCOPED_TRACE(steps);
    turns_.turns.clear();
    broker().Check("orders", true, [](auto) {});
    for (int i = 0; i < steps; ++i) engine_.Step();
    const bool has_mended = turns_.Count<RowsMended>() > 0;
    const bool is_done = turns_.Count<EntityUnfenced>() > 0;
    engine_.Crash();
    engine_.Run();
    if (is_done) break;
    // What was lost with its commit is to be done again; what was done stands behind the fence.
    const bool is_fenced = !FenceOf("orders").empty();
    if (!is_fenced) {
      EXPECT_THAT(engine_.Check("orders")->differences, Not(IsEmpty()));
    }
    if (has_mended && is_fenced) ++crashes_in_the_midst;
  }
  EXPECT_GT(crashes_in_the_midst, 0);

  engine_.Check("orders", true).ok();

  EXPECT_EQ(FenceOf("orders"), "");
  EXPECT_THAT(Numbers(), ElementsAre(1, 3));
  ExpectAllInOrder();
}

TEST_F(FenceTest, AFencedQueueCanBeDeleted) {
  Send();
  LoseLocks();

  EXPECT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_TRUE(engine_.CreateQueue({.name = "orders"}).ok());
  engine_.Restart();
  EXPECT_EQ(FenceOf("orders"), "");
  EXPECT_TRUE(engine_.Send("orders", "x").ok());
  ExpectAllInOrder();
}

TEST_F(FenceTest, WhatIsDueWaitsAndIsDoneAfterTheRepair) {
  Message brief = TenBytes();
  brief.time_to_live = minutes(1);
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(2);
  ASSERT_TRUE(engine_.Send("orders", {brief, later}).ok());
  ASSERT_TRUE(engine_.Send("other", {brief, later}).ok());
  LoseLocks();

  engine_.Advance(minutes(3));

  EXPECT_EQ(engine_.GetQueue("orders")->main.scheduled, 1);
  EXPECT_EQ(engine_.GetQueue("other")->main.scheduled, 0);
  EXPECT_EQ(engine_.GetQueue("other")->main.messages(), 1);
  engine_.Restart();
  Repair("orders");
  EXPECT_EQ(engine_.GetQueue("orders")->main.scheduled, 0);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 1);
  ExpectAllInOrder();
}

// More than one step does.
TEST_F(FenceTest, WhatSharesAHintWaitsAndExpiresAfterTheRepair) {  // TTL-10
  Message brief = TenBytes();
  brief.time_to_live = minutes(1);
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(3000, brief)).ok());
  ASSERT_TRUE(engine_.Send("other", std::vector<Message>(3000, brief)).ok());
  LoseLocks();

  engine_.Advance(minutes(3));

  EXPECT_EQ(engine_.GetQueue("orders")->main.fresh, 3000);
  EXPECT_EQ(engine_.GetQueue("other")->main.messages(), 0);
  Repair("orders");
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  ExpectAllInOrder();
}

TEST_F(FenceTest, AJobEndsWithTheReason) {
  Send(3);
  LoseLocks();
  Repair("orders");
  JobOrder order{.verb = JobVerb::kDeleteMessages, .path = "orders"};
  order.rate_max = 1;
  const Result<JobRecord> job = engine_.BeginJob(order);
  ASSERT_TRUE(job.ok());

  LoseLocks();
  engine_.Advance(seconds(5));

  EXPECT_EQ(engine_.GetJob(job->id)->state, JobState::kFailed);
  EXPECT_THAT(engine_.GetJob(job->id)->error, HasSubstr("'orders' is fenced"));
}

TEST_F(FenceTest, WhatIsForwardedIntoItWaits) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "inbox", .forward_to = "orders"}).ok());
  LoseLocks();

  ASSERT_TRUE(engine_.Send("inbox", "x").ok());

  EXPECT_EQ(engine_.GetQueue("inbox")->main.messages(), 1);
  EXPECT_EQ(engine_.GetQueue("inbox")->dead_letter.messages(), 0);
  Repair("orders");
  EXPECT_EQ(engine_.GetQueue("inbox")->main.messages(), 0);
  EXPECT_THAT(Numbers(), SizeIs(1));
  ExpectAllInOrder();
}

TEST_F(FenceTest, ATopicTakesNothingWhileASubscriptionIsFenced) {
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  for (const char* name : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
    ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = name}).ok());
  }
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(2);
  ASSERT_TRUE(engine_.Send("news", {TenBytes(), later}).ok());
  const EntityId id = engine_.Get(EntityKind::kSubscription, "news/Subscriptions/a")->record.id;
  Write([&](WriteBatch& batch) {
    batch.Put(wharf::IdOf(Table::kCounters), CountersKey({id, LaneKind::kMain}), "damaged");
  });
  engine_.Restart();

  const Status refused = engine_.Send("news", "x").status();
  engine_.Advance(minutes(3));

  EXPECT_EQ(refused.code(), kFencedCode);
  EXPECT_THAT(refused.message(), HasSubstr("wharf check subscription news a --repair"));
  EXPECT_EQ(engine_.Get(EntityKind::kTopic, "news")->main.scheduled, 1);
  EXPECT_THAT(Numbers("news/Subscriptions/b"), SizeIs(1));
  Repair("news/Subscriptions/a");
  EXPECT_EQ(engine_.Get(EntityKind::kTopic, "news")->main.scheduled, 0);
  EXPECT_TRUE(engine_.Send("news", "x").ok());
  EXPECT_THAT(Numbers("news/Subscriptions/a"), SizeIs(3));
  EXPECT_THAT(Numbers("news/Subscriptions/b"), SizeIs(2));
  ExpectAllInOrder();
}

TEST_F(FenceTest, DeletingAFencedSubscriptionOpensItsTopic) {
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "news/Subscriptions/a"}).ok());
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(2);
  ASSERT_TRUE(engine_.Send("news", {later}).ok());
  const EntityId id = engine_.Get(EntityKind::kSubscription, "news/Subscriptions/a")->record.id;
  Write([&](WriteBatch& batch) {
    batch.Put(wharf::IdOf(Table::kCounters), CountersKey({id, LaneKind::kMain}), "damaged");
  });
  engine_.Restart();
  engine_.Advance(minutes(3));
  ASSERT_EQ(engine_.Get(EntityKind::kTopic, "news")->main.scheduled, 1);

  ASSERT_TRUE(engine_.Delete(EntityKind::kSubscription, "news/Subscriptions/a").ok());

  EXPECT_EQ(engine_.Get(EntityKind::kTopic, "news")->main.scheduled, 0);
  EXPECT_TRUE(engine_.Send("news", "x").ok());
}

// ADI-4: its topic takes nothing, and so would become idle.
TEST_F(FenceTest, AFencedSubscriptionIsNotDeletedWithItsIdleTopic) {
  ASSERT_TRUE(
      engine_.Create(EntityKind::kTopic, {.name = "news", .auto_delete_on_idle = minutes(5)}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "news/Subscriptions/a"}).ok());
  const EntityId id = engine_.Get(EntityKind::kSubscription, "news/Subscriptions/a")->record.id;
  Write([&](WriteBatch& batch) {
    batch.Put(wharf::IdOf(Table::kCounters), CountersKey({id, LaneKind::kMain}), "damaged");
  });
  engine_.Restart();

  engine_.Advance(minutes(30));

  ASSERT_TRUE(engine_.Get(EntityKind::kSubscription, "news/Subscriptions/a").ok());
  Repair("news/Subscriptions/a");
  engine_.Advance(minutes(6));
  EXPECT_FALSE(engine_.Get(EntityKind::kTopic, "news").ok());
}

TEST_F(FenceTest, SessionsAreRecountedWithTheirOrderAndOffers) {
  SendTo("a", 2);
  SendTo("b");
  const auto held = engine_.AcceptSession("jobs", "a");
  ASSERT_TRUE(engine_.Receive("jobs", 1, ReceiveMode::kPeekLock, held->token).ok());
  ASSERT_TRUE(engine_.SetSessionState("jobs", held->token, "state").ok());
  const Shelf shelf = ShelfOf("jobs");
  Write([&](WriteBatch& batch) {
    batch.Delete(wharf::IdOf(Table::kSessions), SessionKey(shelf.entity, "a"));
    batch.Delete(wharf::IdOf(Table::kOrder), OrderKey(shelf, "b", SequenceNumber(3)));
    batch.Put(wharf::IdOf(Table::kOrder), OrderKey(shelf, "c", SequenceNumber(9)),
              EncodeOrder(Standing::kFresh));
  });
  engine_.Restart();
  ASSERT_EQ(FenceOf("jobs"), "message 1 is locked in a session that nobody holds");

  Repair("jobs");

  EXPECT_EQ(engine_.AcceptSession("jobs")->id, "a");
  EXPECT_EQ(engine_.AcceptSession("jobs")->id, "b");
  ExpectAllInOrder();
}

TEST_F(FenceTest, AMessageOfASessionThatIsNotThereIsInQuarantineAlone) {
  SendTo("a", 3);
  DropMessage("jobs", 2);
  engine_.Restart();

  const TestReceiver receiver = AttachFor(SessionChoice{"a"});

  EXPECT_EQ(FenceOf("jobs"), "");
  EXPECT_EQ(engine_.GetQueue("jobs")->main.quarantined, 1);
  EXPECT_EQ(engine_.GetQueue("jobs")->main.locked, 2);
}

TEST_F(FenceTest, LevelsAndPartitionsAreRecounted) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "levels", .enable_priority = true}).ok());
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  for (const char* queue : {"levels", "parts"}) {
    ASSERT_TRUE(engine_.Send(queue, std::vector<Message>(3, TenBytes())).ok());
    ChangeCounters(queue, [](LaneCounters& counters) { counters.fresh = 9; });

    EXPECT_THAT(TakeSome(queue), Not(IsEmpty()));

    EXPECT_EQ(FenceOf(queue), "fewer messages wait than are counted");
    Repair(queue);
    EXPECT_TRUE(engine_.Send(queue, "x").ok());
  }
  ExpectAllInOrder();
}

// What is due is read bucket by bucket, and a lane that cannot be read keeps the others of its
// bucket from nothing, neither now nor after a start, and can be deleted.
TEST_F(FenceTest, SpansThatCannotBeReadHoldUpNothingElseOfTheirBucket) {
  std::string neighbour = "q";
  for (int i = 0; BucketOfPath(neighbour) != BucketOfPath("orders"); ++i) {
    neighbour = fmt::format("q{}", i);
  }
  ASSERT_TRUE(engine_.CreateQueue({.name = neighbour}).ok());
  const auto scheduled = [this](minutes after) {
    Message message = TenBytes();
    message.scheduled_enqueue_time = engine_.clock().Now() + after;
    return message;
  };
  Message brief = TenBytes();
  brief.time_to_live = minutes(1);
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(20, brief)).ok());
  const auto later = {scheduled(minutes(1)), scheduled(minutes(5))};
  ASSERT_TRUE(engine_.Send(neighbour, later).ok());
  Write([&](WriteBatch& batch) {
    batch.Put(wharf::IdOf(Table::kSpans), SpanKey(ShelfOf("orders"), SequenceNumber(1)), "damaged");
  });

  engine_.Advance(minutes(2));

  EXPECT_EQ(engine_.Receive(neighbour, 10, ReceiveMode::kReceiveAndDelete)->size(), 1U);
  EXPECT_THAT(FenceOf("orders"), HasSubstr("counted out"));
  engine_.Restart();
  engine_.Advance(minutes(5));
  EXPECT_EQ(engine_.Receive(neighbour, 10, ReceiveMode::kReceiveAndDelete)->size(), 1U);
  EXPECT_THAT(FenceOf("orders"), Not(IsEmpty()));
  EXPECT_EQ(FenceOf(neighbour), "");

  const Shelf shelf = ShelfOf("orders");
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  engine_.Run();
  const auto view = engine_.store().View();
  for (const Table table : {Table::kMessages, Table::kSpans}) {
    EXPECT_FALSE(view->Scan(wharf::IdOf(table), ShelfRange(shelf))->valid());
  }
}

}  // namespace
}  // namespace wharf
