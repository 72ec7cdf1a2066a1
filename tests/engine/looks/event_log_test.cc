// What the event log of an entity tells of its messages: each kind of event, who asked for it, over
// restarts, and within its bounds.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/event_record.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/engine_harness.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Kinds = std::vector<EventKind>;

constexpr std::int64_t kSmall = 64;
constexpr std::int64_t kLarge = 64 * 1024;

class EventLogTest : public ::testing::Test {
 protected:
  explicit EventLogTest(const EngineHarness::Options& options = {}) : engine_(options) {
    Make({.name = "orders"});
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  static QueueDescription Logged(QueueDescription description) {
    if (!description.has_event_log()) description.event_log_size_in_kilobytes = kLarge;
    return description;
  }
  void Make(QueueDescription description) {
    ASSERT_TRUE(engine_.CreateQueue(Logged(std::move(description))).ok());
  }
  void MakeTopic() {
    ASSERT_TRUE(engine_.Create(EntityKind::kTopic, Logged({.name = "news"})).ok());
    for (const char* path : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
      ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, Logged({.name = path})).ok());
    }
  }

  static Message WithId(std::string id) {
    Message message;
    message.body = "secret";
    message.message_id = std::move(id);
    return message;
  }
  SequenceNumber Send(const std::string& path, Message message) {
    const auto receipt = engine_.Send(path, std::vector<Message>{std::move(message)});
    EXPECT_TRUE(receipt.ok() && receipt->front().ok());
    return receipt->front()->number;
  }
  Delivered ReceiveOne(const std::string& path = "orders",
                       ReceiveMode mode = ReceiveMode::kPeekLock) {
    auto received = engine_.Receive(path, 1, mode);
    EXPECT_EQ(received->size(), 1U);
    return received->front();
  }
  Status Rest(const LockToken& token) {
    Settlement rest{.verb = SettleVerb::kAbandon};
    rest.delay = minutes(5);
    return engine_.Settle("orders", token, rest);
  }

  // In all pages.
  std::vector<MessageEvent> Story(const WantedMessage& wanted, const std::string& path = "") {
    std::vector<MessageEvent> story;
    TracePosition from;
    has_untold_ = false;
    for (pages_ = 1;; ++pages_) {
      Result<TracePage> page = engine_.Await<TracePage>([&](Answer<TracePage> answer) {
        engine_.broker().requests().Ask({.peer = "here"}, TraceRequest{{path}, wanted, from},
                                        std::move(answer));
      });
      EXPECT_TRUE(page.ok()) << page.status().ToString();
      if (!page.ok()) break;
      for (auto& each : page->events) story.push_back(std::move(each));
      has_untold_ = has_untold_ || page->has_untold;
      if (!page->next) break;
      from = *page->next;
    }
    std::stable_sort(story.begin(), story.end(),
                     [](const auto& a, const auto& b) { return a.order < b.order; });
    return story;
  }
  static Kinds KindsOf(const std::vector<MessageEvent>& story) {
    Kinds kinds;
    for (const MessageEvent& each : story) kinds.push_back(each.kind);
    return kinds;
  }
  Kinds KindsOf(const char* id) { return KindsOf(Story(WantedMessage(std::string(id)))); }

  // Of all logs, as they stand in the store.
  std::uint64_t StoredBytes() {
    std::uint64_t bytes = 0;
    const auto view = engine_.store().View();
    const auto rows = view->Scan(IdOf(Table::kEvents), {std::string(), std::string(20, '\xFF')});
    for (; rows->valid(); rows->Next()) {
      if (!IsEventHeadKey(rows->key())) bytes += rows->key().size() + rows->value().size();
    }
    return bytes;
  }
  bool HasRows() {
    const auto view = engine_.store().View();
    return view->Scan(IdOf(Table::kEvents), {std::string(), std::string(20, '\xFF')})->valid();
  }

  EngineHarness engine_;
  int pages_ = 0;
  bool has_untold_ = false;
};

TEST_F(EventLogTest, WithoutOneNothingIsKept) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "plain"}).ok());
  Send("plain", WithId("a"));
  ASSERT_TRUE(engine_.Complete("plain", ReceiveOne("plain").token).ok());

  EXPECT_THAT(KindsOf("a"), IsEmpty());
  EXPECT_FALSE(HasRows());
}

TEST_F(EventLogTest, AStoryIsToldInItsOrderAlsoWhenTheMessageIsGone) {
  const Timestamp sent = engine_.clock().Now();
  Send("orders", WithId("a"));
  Send("orders", WithId("other"));
  engine_.Advance(seconds(1));
  const Delivered first = ReceiveOne();
  ASSERT_TRUE(engine_.Abandon("orders", first.token).ok());
  const Delivered second = ReceiveOne();
  ASSERT_TRUE(engine_.DeadLetter("orders", second.token, "no stock").ok());
  ASSERT_TRUE(
      engine_.Complete("orders/$DeadLetterQueue", ReceiveOne("orders/$DeadLetterQueue").token)
          .ok());

  const std::vector<MessageEvent> story = Story(WantedMessage("a"));

  ASSERT_THAT(KindsOf(story),
              ElementsAre(EventKind::kSent, EventKind::kDelivered, EventKind::kAbandoned,
                          EventKind::kDelivered, EventKind::kDeadLettered, EventKind::kDelivered,
                          EventKind::kCompleted));
  EXPECT_EQ(story[0].time, sent);
  EXPECT_EQ(story[0].path, "orders");
  EXPECT_EQ(story[0].message_id, "a");
  EXPECT_EQ(story[1].time, sent + seconds(1));
  EXPECT_EQ(story[1].until, first.until);
  EXPECT_EQ(story[1].delivery_count, 0U);
  EXPECT_EQ(story[2].delivery_count, 1U);
  EXPECT_EQ(story[2].until, std::nullopt);
  EXPECT_EQ(story[4].reason, "no stock");
  EXPECT_EQ(story[4].path, "orders/$DeadLetterQueue");
  EXPECT_EQ(story[6].path, "orders/$DeadLetterQueue");
  EXPECT_EQ(KindsOf(Story(WantedMessage(SequenceNumber(1)))), KindsOf(story));
  EXPECT_THAT(KindsOf("other"), ElementsAre(EventKind::kSent));
}

TEST_F(EventLogTest, TheOtherEndsOfALockAreTold) {
  Send("orders", WithId("a"));
  const Delivered lost = ReceiveOne();
  engine_.Advance(minutes(2));
  const Delivered released = ReceiveOne();
  ASSERT_TRUE(engine_.RenewLock("orders", released.token).ok());
  ASSERT_TRUE(engine_.Release("orders", released.token).ok());
  ASSERT_TRUE(Rest(ReceiveOne().token).ok());
  engine_.Advance(minutes(6));
  ASSERT_TRUE(engine_.Defer("orders", ReceiveOne().token).ok());
  ASSERT_TRUE(engine_.Undefer("orders", {1}).ok());
  ReceiveOne("orders", ReceiveMode::kReceiveAndDelete);

  const std::vector<MessageEvent> story = Story(WantedMessage("a"));

  EXPECT_THAT(KindsOf(story),
              ElementsAre(EventKind::kSent, EventKind::kDelivered, EventKind::kLockExpired,
                          EventKind::kDelivered, EventKind::kLockRenewed, EventKind::kReleased,
                          EventKind::kDelivered, EventKind::kAbandoned, EventKind::kDelayEnded,
                          EventKind::kDelivered, EventKind::kDeferred, EventKind::kUndeferred,
                          EventKind::kReceivedAndDeleted));
  EXPECT_EQ(story[7].until, story[7].time + minutes(5));
}

TEST_F(EventLogTest, WhoAskedIsTold) {
  const Caller sender{.peer = "1.2.3.4:5", .door = Door::kAmqp};
  const Caller receiver{.peer = "6.7.8.9:10", .door = Door::kGrpc};
  Requests& requests = engine_.broker().requests();
  std::vector<Message> messages;
  messages.push_back(WithId("a"));
  const auto sent = engine_.Await<SendReceipt>([&](Answer<SendReceipt> answer) {
    requests.Ask(sender, SendRequest{{"orders"}, std::move(messages), false}, std::move(answer));
  });
  ASSERT_TRUE(sent.ok());
  const auto received =
      engine_.Await<std::vector<Delivered>>([&](Answer<std::vector<Delivered>> answer) {
        requests.Wait(receiver,
                      ReceiveRequest{{"orders"}, ReceiveMode::kPeekLock, 1, 1 << 20, {}, {}},
                      std::move(answer));
      });
  ASSERT_EQ(received->size(), 1U);
  // What it needs is read first, so it goes on in a later turn.
  const auto settled = engine_.Await<SettleReceipt>([&](Answer<SettleReceipt> answer) {
    requests.Ask(
        receiver,
        SettleRequest{
            {"orders"}, {received->front().token}, Settlement{.verb = SettleVerb::kDeadLetter}},
        std::move(answer));
  });
  ASSERT_TRUE(settled.ok() && settled->front().ok());
  Send("orders", WithId("b"));
  ReceiveOne();
  engine_.Advance(minutes(2));

  const std::vector<MessageEvent> story = Story(WantedMessage("a"));
  const std::vector<MessageEvent> other = Story(WantedMessage("b"));

  ASSERT_EQ(story.size(), 3U);
  EXPECT_EQ(story[0].actor, (Actor{Door::kAmqp, "1.2.3.4:5", ""}));
  EXPECT_EQ(story[1].actor, (Actor{Door::kGrpc, "6.7.8.9:10", ""}));
  EXPECT_EQ(story[2].actor, (Actor{Door::kGrpc, "6.7.8.9:10", ""}));
  ASSERT_EQ(other.size(), 3U);
  EXPECT_EQ(other[2].kind, EventKind::kLockExpired);
  EXPECT_EQ(other[2].actor, Actor());
}

TEST_F(EventLogTest, WhatIsForwardedIsFollowedByItsIdFromEntityToEntity) {
  Make({.name = "front", .forward_to = "orders"});
  Send("orders", WithId("before"));
  Send("front", WithId("a"));
  ASSERT_TRUE(engine_.Complete("orders", ReceiveOne().token).ok());

  const std::vector<MessageEvent> story = Story(WantedMessage("a"));

  ASSERT_THAT(KindsOf(story),
              ElementsAre(EventKind::kSent, EventKind::kForwarded, EventKind::kForwardedFrom));
  EXPECT_EQ(story[1].path, "front");
  EXPECT_EQ(story[1].other_path, "orders");
  EXPECT_EQ(story[1].other_number, SequenceNumber(2));
  EXPECT_EQ(story[2].path, "orders");
  EXPECT_EQ(story[2].other_path, "front");
  EXPECT_EQ(story[2].other_number, SequenceNumber(1));
  EXPECT_THAT(KindsOf("before"),
              ElementsAre(EventKind::kSent, EventKind::kDelivered, EventKind::kCompleted));
}

TEST_F(EventLogTest, WhatLeavesIsToldBeforeItComesWhicheverNameIsFirst) {
  Make({.name = "zoo", .forward_to = "orders"});
  Send("zoo", WithId("a"));

  EXPECT_THAT(KindsOf("a"),
              ElementsAre(EventKind::kSent, EventKind::kForwarded, EventKind::kForwardedFrom));
}

TEST_F(EventLogTest, ADuplicateThatIsForwardedIsToldOfWhereItEnds) {
  Make({.name = "once", .requires_duplicate_detection = true});
  Make({.name = "front", .forward_to = "once"});
  Send("once", WithId("a"));
  Send("front", WithId("a"));

  EXPECT_THAT(KindsOf(Story(WantedMessage("a"), "front")),
              ElementsAre(EventKind::kSent, EventKind::kDuplicateDropped));
}

// Each has a story under its number, but of an id no more are told at a time.
TEST_F(EventLogTest, OfMoreMessagesThanAreFollowedItIsSaidThatThereAreMore) {
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(64, WithId("same"))).ok());
  EXPECT_EQ(Story(WantedMessage("same")).size(), 64U);
  EXPECT_FALSE(has_untold_);

  Send("orders", WithId("same"));
  EXPECT_EQ(Story(WantedMessage("same")).size(), 64U);
  EXPECT_TRUE(has_untold_);
  EXPECT_THAT(KindsOf(Story(WantedMessage(SequenceNumber(65)))), ElementsAre(EventKind::kSent));
  EXPECT_FALSE(has_untold_);

  // Of those that are gone the log alone knows.
  while (!engine_.Receive("orders", 64, ReceiveMode::kReceiveAndDelete)->empty()) {
  }
  EXPECT_EQ(Story(WantedMessage("same")).size(), 2 * 64U);
  EXPECT_TRUE(has_untold_);
}

TEST_F(EventLogTest, WhatIsRedrivenHasTwoNumbers) {
  Send("orders", WithId("a"));
  ASSERT_TRUE(engine_.DeadLetter("orders", ReceiveOne().token, "why").ok());
  ASSERT_TRUE(
      engine_.BeginJob({.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue"}).ok());
  engine_.Run();
  engine_.Advance(minutes(1));

  const std::vector<MessageEvent> story = Story(WantedMessage("a"));

  ASSERT_THAT(KindsOf(story),
              ElementsAre(EventKind::kSent, EventKind::kDelivered, EventKind::kDeadLettered,
                          EventKind::kRedriven, EventKind::kRedrivenFrom));
  EXPECT_EQ(story[3].path, "orders/$DeadLetterQueue");
  EXPECT_EQ(story[3].other_path, "orders");
  EXPECT_EQ(story[3].other_number, story[4].number);
  EXPECT_EQ(story[4].other_path, "orders/$DeadLetterQueue");
}

TEST_F(EventLogTest, ATopicTellsHowManyGotIt) {
  MakeTopic();
  Send("news", WithId("a"));
  ASSERT_TRUE(
      engine_.Complete("news/Subscriptions/b", ReceiveOne("news/Subscriptions/b").token).ok());

  const std::vector<MessageEvent> story = Story(WantedMessage("a"), "news");

  ASSERT_THAT(KindsOf(story),
              ElementsAre(EventKind::kPublished, EventKind::kCopied, EventKind::kCopied,
                          EventKind::kDelivered, EventKind::kCompleted));
  EXPECT_EQ(story[0].copies, 2U);
  EXPECT_EQ(story[0].path, "news");
  EXPECT_EQ(story[1].path, "news/Subscriptions/a");
  EXPECT_EQ(story[4].path, "news/Subscriptions/b");
}

TEST_F(EventLogTest, WhatIsScheduledIsFollowedToItsNewNumber) {
  Message later = WithId("a");
  later.scheduled_enqueue_time = engine_.clock().Now() + hours(1);
  const SequenceNumber number = Send("orders", std::move(later));
  Send("orders", WithId("between"));
  ASSERT_TRUE(
      engine_.Reschedule("orders", {number.value()}, engine_.clock().Now() + hours(2)).ok());
  engine_.Advance(hours(3));
  Message never = WithId("never");
  never.scheduled_enqueue_time = engine_.clock().Now() + hours(1);
  ASSERT_TRUE(engine_.CancelScheduled("orders", {Send("orders", std::move(never)).value()}).ok());

  const std::vector<MessageEvent> story = Story(WantedMessage(number));

  ASSERT_THAT(KindsOf(story),
              ElementsAre(EventKind::kScheduled, EventKind::kRescheduled, EventKind::kActivated));
  EXPECT_EQ(story[1].until, kHarnessStart + hours(2));
  EXPECT_EQ(story[2].other_number, number);
  EXPECT_NE(story[2].number, number);
  EXPECT_THAT(KindsOf("never"), ElementsAre(EventKind::kScheduled, EventKind::kScheduleCancelled));
}

TEST_F(EventLogTest, APurgeIsToldOfWhatStoodThereAlone) {
  Send("orders", WithId("done"));
  ASSERT_TRUE(engine_.Complete("orders", ReceiveOne().token).ok());
  Send("orders", WithId("dead"));
  ASSERT_TRUE(engine_.DeadLetter("orders", ReceiveOne().token).ok());
  Send("orders", WithId("waiting"));
  Message later = WithId("later");
  later.scheduled_enqueue_time = engine_.clock().Now() + hours(1);
  Send("orders", std::move(later));

  ASSERT_TRUE(engine_.Purge("orders", /*with_scheduled=*/true).ok());
  Send("orders", WithId("after"));

  EXPECT_EQ(KindsOf("done").back(), EventKind::kCompleted);
  EXPECT_EQ(KindsOf("dead").back(), EventKind::kDeadLettered);
  EXPECT_THAT(KindsOf("waiting"), ElementsAre(EventKind::kSent, EventKind::kPurged));
  EXPECT_THAT(KindsOf("later"), ElementsAre(EventKind::kScheduled, EventKind::kSchedulePurged));
  EXPECT_THAT(KindsOf("after"), ElementsAre(EventKind::kSent));
}

TEST_F(EventLogTest, WhatExpiresInARunIsToldOfEach) {
  std::vector<Message> messages;
  for (int i = 0; i < 40; ++i) {
    messages.push_back(WithId("m" + std::to_string(i)));
    messages.back().time_to_live = minutes(1);
  }
  ASSERT_TRUE(engine_.Send("orders", std::move(messages)).ok());
  const Delivered held = ReceiveOne();
  ASSERT_TRUE(engine_.Complete("orders", held.token).ok());
  Send("orders", WithId("stays"));

  engine_.Advance(minutes(30));

  EXPECT_THAT(KindsOf("m0"),
              ElementsAre(EventKind::kSent, EventKind::kDelivered, EventKind::kCompleted));
  EXPECT_THAT(KindsOf("m1"), ElementsAre(EventKind::kSent, EventKind::kExpired));
  EXPECT_THAT(KindsOf("m39"), ElementsAre(EventKind::kSent, EventKind::kExpired));
  EXPECT_THAT(KindsOf("stays"), ElementsAre(EventKind::kSent));
}

TEST_F(EventLogTest, WhatIsDeletedIsTold) {
  Send("orders", WithId("a"));

  ASSERT_EQ(*engine_.DeleteOldest("orders", 1), 1);

  EXPECT_THAT(KindsOf("a"), ElementsAre(EventKind::kSent, EventKind::kDeleted));
}

TEST_F(EventLogTest, ATransactionIsToldAsFarAsItWasCommitted) {
  const auto kept = engine_.BeginTransaction();
  const auto dropped = engine_.BeginTransaction();
  for (const auto& [transaction, id] : {std::pair(kept, "kept"), std::pair(dropped, "dropped")}) {
    std::vector<Message> messages;
    messages.push_back(WithId(id));
    ASSERT_TRUE(
        engine_.AddToTransaction(transaction->id, {"orders", SendMessages{std::move(messages)}})
            .ok());
  }
  ASSERT_TRUE(engine_.CommitTransaction(kept->id).ok());
  ASSERT_TRUE(engine_.RollBackTransaction(dropped->id).ok());

  EXPECT_THAT(KindsOf("kept"), ElementsAre(EventKind::kSent));
  EXPECT_THAT(KindsOf("dropped"), IsEmpty());
}

TEST_F(EventLogTest, ItGoesOnAfterARestart) {
  Send("orders", WithId("a"));
  const Delivered delivered = ReceiveOne();

  engine_.Restart();
  ASSERT_TRUE(engine_.Complete("orders", delivered.token).ok());
  Send("orders", WithId("b"));
  engine_.Restart();

  const std::vector<MessageEvent> story = Story(WantedMessage("a"));
  ASSERT_THAT(KindsOf(story),
              ElementsAre(EventKind::kSent, EventKind::kDelivered, EventKind::kCompleted));
  EXPECT_LT(story[1].order, story[2].order);
  EXPECT_LT(story[2].order, Story(WantedMessage("b"))[0].order);
}

TEST_F(EventLogTest, ItIsBoundedInBytesAtTenTimesAsMuch) {
  Make({.name = "small", .event_log_size_in_kilobytes = kSmall});
  Make({.name = "calm", .event_log_size_in_kilobytes = kSmall});
  Send("calm", WithId("calm"));
  const std::uint64_t calm = StoredBytes();
  std::uint64_t told = 0;
  std::uint64_t most = 0;
  for (int round = 0; told < 10 * kSmall * 1024; ++round) {
    std::vector<Message> messages;
    for (int i = 0; i < 100; ++i) {
      messages.push_back(WithId(std::string(100, 'x') + std::to_string(round * 100 + i)));
      told += 100;
    }
    ASSERT_TRUE(engine_.Send("small", std::move(messages)).ok());
    most = std::max(most, StoredBytes() - calm);
    if (round == 3) engine_.Restart();
  }

  EXPECT_LE(most, static_cast<std::uint64_t>(kSmall) * 1024);
  EXPECT_GE(most, static_cast<std::uint64_t>(kSmall) * 1024 * 3 / 4);
  EXPECT_THAT(Story(WantedMessage(std::string(100, 'x') + "0")), IsEmpty());
  const auto last = std::to_string(told / 100 - 1);
  EXPECT_EQ(Story(WantedMessage(std::string(100, 'x') + last)).size(), 1U);
  EXPECT_THAT(KindsOf("calm"), ElementsAre(EventKind::kSent));
}

struct WithTurns {
  TurnRecorder turns_;
};
class EventDropsTest : public WithTurns, public EventLogTest {
 protected:
  EventDropsTest() : EventLogTest({.listener = &turns_}) {}

  void Send(int rounds) {
    const std::vector<Message> messages(100, WithId(std::string(100, 'x')));
    for (int round = 0; round < rounds; ++round) {
      ASSERT_TRUE(engine_.Send("small", messages).ok());
    }
  }

  std::vector<EventsDropped> Drops() const {
    std::vector<EventsDropped> drops;
    for (const Changes& turn : turns_.turns) {
      for (const Change& change : turn) {
        if (const auto* const drop = std::get_if<EventsDropped>(&change)) drops.push_back(*drop);
      }
    }
    return drops;
  }
};

// What RocksDB makes of ranges that lie within each other grows with their square.
TEST_F(EventDropsTest, WhatIsDroppedIsDroppedOnce) {
  Make({.name = "small", .event_log_size_in_kilobytes = kSmall});
  Send(50);

  std::uint64_t dropped = 0;
  for (const EventsDropped& drop : Drops()) {
    EXPECT_EQ(drop.from, dropped);
    dropped = drop.until.value();
  }
  EXPECT_GT(Drops().size(), 16U);
}

TEST_F(EventDropsTest, OneThatBecomesLargerDropsNothingAgain) {
  Make({.name = "small", .event_log_size_in_kilobytes = kSmall});
  Send(20);
  ASSERT_TRUE(
      engine_.UpdateQueue(Logged({.name = "small", .event_log_size_in_kilobytes = 2 * kSmall}))
          .ok());
  Send(20);

  for (const EventsDropped& drop : Drops()) EXPECT_LT(drop.from, drop.until.value());
  EXPECT_LE(StoredBytes(), static_cast<std::uint64_t>(2 * kSmall) * 1024 + 4096);
}

TEST_F(EventLogTest, ATurnThatTellsMoreThanItHoldsLeavesItsEnd) {
  Make({.name = "small", .event_log_size_in_kilobytes = kSmall});
  std::vector<Message> messages;
  for (int i = 0; i < 4000; ++i) messages.push_back(WithId("m-" + std::to_string(i) + "-long-id"));
  ASSERT_TRUE(engine_.Send("small", std::move(messages)).ok());

  EXPECT_LE(StoredBytes(), static_cast<std::uint64_t>(kSmall) * 1024);
  EXPECT_THAT(KindsOf("m-0-long-id"), IsEmpty());
  EXPECT_THAT(KindsOf("m-3999-long-id"), ElementsAre(EventKind::kSent));
}

TEST_F(EventLogTest, WhatDoesNotFitOnAPageGoesOnOnTheNext) {
  for (int round = 0; round < 9; ++round) {
    std::vector<Message> messages;
    for (int i = 0; i < 4500; ++i) messages.push_back(WithId(std::string(120, 'y')));
    messages.back().message_id = "last-" + std::to_string(round);
    ASSERT_TRUE(engine_.Send("orders", std::move(messages)).ok());
  }
  ASSERT_TRUE(engine_.Complete("orders", ReceiveOne().token).ok());

  EXPECT_THAT(KindsOf("last-0"), ElementsAre(EventKind::kSent));
  EXPECT_THAT(KindsOf("last-8"), ElementsAre(EventKind::kSent));
  EXPECT_THAT(KindsOf(Story(WantedMessage(SequenceNumber(1)))),
              ElementsAre(EventKind::kSent, EventKind::kDelivered, EventKind::kCompleted));
  EXPECT_GT(pages_, 1);
}

TEST_F(EventLogTest, ItForgetsWhenItsTimeIsOver) {
  QueueDescription description = Logged({.name = "brief"});
  description.event_log_retention = minutes(10);
  Make(description);
  Send("brief", WithId("a"));
  engine_.Advance(minutes(9));
  EXPECT_THAT(KindsOf("a"), ElementsAre(EventKind::kSent));

  engine_.Advance(minutes(2));

  EXPECT_THAT(KindsOf("a"), IsEmpty());
}

TEST_F(EventLogTest, AShorterTimeHoldsForWhatIsThere) {
  Send("orders", WithId("a"));
  engine_.Advance(minutes(10));
  QueueDescription description = Logged({.name = "orders"});
  description.event_log_retention = minutes(5);

  ASSERT_TRUE(engine_.UpdateQueue(description).ok());

  EXPECT_THAT(KindsOf("a"), IsEmpty());
}

TEST_F(EventLogTest, SwitchedOffItIsGone) {
  Send("orders", WithId("a"));
  ASSERT_TRUE(HasRows());

  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders"}).ok());
  EXPECT_FALSE(HasRows());
  Send("orders", WithId("b"));
  EXPECT_FALSE(HasRows());

  ASSERT_TRUE(engine_.UpdateQueue(Logged({.name = "orders"})).ok());
  Send("orders", WithId("c"));
  EXPECT_THAT(KindsOf("a"), IsEmpty());
  EXPECT_THAT(KindsOf("c"), ElementsAre(EventKind::kSent));
}

TEST_F(EventLogTest, MadeSmallerItForgetsTheOldest) {
  std::vector<Message> messages;
  for (int i = 0; i < 4000; ++i) messages.push_back(WithId("m-" + std::to_string(i) + "-long-id"));
  ASSERT_TRUE(engine_.Send("orders", std::move(messages)).ok());
  Send("orders", WithId("last"));
  ASSERT_GT(StoredBytes(), static_cast<std::uint64_t>(kSmall) * 1024);

  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders", .event_log_size_in_kilobytes = kSmall}).ok());

  EXPECT_LE(StoredBytes(), static_cast<std::uint64_t>(kSmall) * 1024);
  EXPECT_THAT(KindsOf("last"), ElementsAre(EventKind::kSent));
}

TEST_F(EventLogTest, ItGoesWithItsEntity) {
  Make({.name = "other"});
  Send("orders", WithId("a"));
  Send("other", WithId("b"));

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_THAT(KindsOf("b"), ElementsAre(EventKind::kSent));
  ASSERT_TRUE(engine_.DeleteQueue("other").ok());
  EXPECT_FALSE(HasRows());
}

TEST_F(EventLogTest, OneOfADeletedEntityIsNotThatOfTheNextOfItsName) {
  Send("orders", WithId("a"));
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  Make({.name = "orders"});

  Send("orders", WithId("b"));

  EXPECT_THAT(KindsOf("a"), IsEmpty());
  EXPECT_THAT(KindsOf("b"), ElementsAre(EventKind::kSent));
}

TEST_F(EventLogTest, NoRowHasABodyAndLongReasonsAreShortened) {
  Send("orders", WithId("a"));
  ASSERT_TRUE(engine_.DeadLetter("orders", ReceiveOne().token, std::string(4000, 'r')).ok());

  const auto view = engine_.store().View();
  const auto rows = view->Scan(IdOf(Table::kEvents), {std::string(), std::string(20, '\xFF')});
  for (; rows->valid(); rows->Next()) {
    EXPECT_EQ(rows->value().find("secret"), std::string_view::npos);
  }
  EXPECT_EQ(Story(WantedMessage("a")).back().reason.size(), 512U);
}

TEST_F(EventLogTest, HostileIdsAreFoundAsTheyAre) {
  const std::string hostile = "it's <b>\x01\xE2\x80\xAE' OR 1=1 --";
  Send("orders", WithId(hostile));
  ReceiveOne("orders", ReceiveMode::kReceiveAndDelete);

  const std::vector<MessageEvent> story = Story(WantedMessage(hostile));

  ASSERT_THAT(KindsOf(story), ElementsAre(EventKind::kSent, EventKind::kReceivedAndDeleted));
  EXPECT_EQ(story[0].message_id, hostile);
}

TEST_F(EventLogTest, OneWhoseHeadCannotBeReadBeginsAnew) {
  const QuietLog quiet;
  Send("orders", WithId("a"));
  WriteBatch damage;
  damage.Put(IdOf(Table::kEvents), EventHeadKey(engine_.GetQueue("orders")->record.id), "damaged");
  engine_.memory_log().Append(std::move(damage), [](const Result<CommitIndex>&) {});
  engine_.Run();
  engine_.Restart();

  Send("orders", WithId("b"));

  EXPECT_THAT(KindsOf("a"), IsEmpty());
  EXPECT_THAT(KindsOf("b"), ElementsAre(EventKind::kSent));
  engine_.Restart();
  Send("orders", WithId("c"));
  EXPECT_THAT(KindsOf("b"), ElementsAre(EventKind::kSent));
}

class CompactedEventLogTest : public EventLogTest {
 protected:
  CompactedEventLogTest() : EventLogTest({.drops_garbage = true}) {}

  std::uint64_t LastPosition() {
    std::uint64_t last = 0;
    const auto view = engine_.store().View();
    const auto rows = view->Scan(IdOf(Table::kEvents), {std::string(), std::string(20, '\xFF')});
    for (; rows->valid(); rows->Next()) {
      if (!IsEventHeadKey(rows->key())) last = *PositionOfEventKey(rows->key());
    }
    return last;
  }
};

TEST_F(CompactedEventLogTest, WhereItEndsDoesNotDependOnCompactions) {
  for (int i = 0; i < 10; ++i) Send("orders", WithId("old"));
  const std::uint64_t before = LastPosition();
  ASSERT_GT(before, 0U);

  engine_.Advance(hours(24 * 8));
  Send("orders", WithId("turn of the time"));
  engine_.Advance(hours(24 * 8));
  ASSERT_TRUE(engine_.CreateQueue({.name = "plain"}).ok());
  Send("plain", WithId("the time is committed"));
  engine_.DropAllGarbage();
  EXPECT_EQ(LastPosition(), 0U);
  engine_.Restart();
  Send("orders", WithId("new"));

  EXPECT_GT(LastPosition(), before);
  EXPECT_THAT(KindsOf("old"), IsEmpty());
  EXPECT_THAT(KindsOf("new"), ElementsAre(EventKind::kSent));
}

class OlderMembersTest : public EventLogTest {
 protected:
  OlderMembersTest()
      : EventLogTest({.check_event_logs = [] {
          return may_keep_ ? Status() : Status(ErrorCode::kInvalidOperation, "somebody is older");
        }}) {}

  static inline bool may_keep_ = true;
};

TEST_F(OlderMembersTest, NoEntityGetsALogThatTheyCouldNotRead) {
  may_keep_ = false;
  EXPECT_EQ(engine_.CreateQueue(Logged({.name = "new"})).message(), "somebody is older");
  EXPECT_TRUE(engine_.CreateQueue({.name = "new"}).ok());
  EXPECT_EQ(engine_.UpdateQueue(Logged({.name = "new"})).message(), "somebody is older");

  may_keep_ = true;
  EXPECT_TRUE(engine_.UpdateQueue(Logged({.name = "new"})).ok());
}

TEST(EventRecordTest, WhatIsWrittenIsRead) {
  const Timestamp now = kHarnessStart;
  EventRowWriter writer(now);
  const Actor actor{Door::kHttp, "peer", "orders#reader"};
  writer.Add({.kind = EventKind::kSent, .number = SequenceNumber(7), .message_id = "id"}, &actor);
  writer.Add({.kind = EventKind::kDelivered,
              .number = SequenceNumber(5),
              .index = 3,
              .until = now + minutes(1),
              .count = 2},
             nullptr);
  writer.Add({.kind = EventKind::kExpired,
              .number = SequenceNumber(10),
              .index = 9,
              .last = SequenceNumber(20),
              .exceptions = {SequenceNumber(12), SequenceNumber(19)}},
             nullptr);
  const std::string row = writer.Take(now + hours(1), 42);
  EXPECT_TRUE(writer.empty());

  EventRowReader reader(row);
  EXPECT_EQ(reader.forget_after(), now + hours(1));
  EXPECT_EQ(ForgetAfterOf(row), now + hours(1));
  EXPECT_EQ(reader.time(), now);
  EXPECT_EQ(reader.serial(), 42U);
  const auto sent = reader.Next();
  const auto delivered = reader.Next();
  const auto expired = reader.Next();
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(reader.is_damaged());
  ASSERT_TRUE(sent && delivered && expired);
  EXPECT_EQ(reader.actor(*sent->actor), actor);
  EXPECT_EQ(sent->message_id, "id");
  EXPECT_EQ(delivered->number, SequenceNumber(5));
  EXPECT_EQ(delivered->index, 3U);
  EXPECT_EQ(delivered->until, now + minutes(1));
  EXPECT_EQ(delivered->count, 2U);
  EXPECT_FALSE(delivered->actor);
  EXPECT_TRUE(expired->IsOf(SequenceNumber(11)));
  EXPECT_TRUE(expired->IsOf(SequenceNumber(20)));
  EXPECT_FALSE(expired->IsOf(SequenceNumber(12)));
  EXPECT_FALSE(expired->IsOf(SequenceNumber(21)));
}

TEST(EventRecordTest, ADamagedRowEndsWhereItCannotBeRead) {
  EventRowWriter writer(kHarnessStart);
  const Actor actor{Door::kGrpc, "peer", ""};
  for (std::uint64_t i = 1; i <= 20; ++i) {
    writer.Add({.kind = EventKind::kSent, .number = SequenceNumber(i), .message_id = "id"}, &actor);
  }
  const std::string row = writer.Take(kHarnessStart, 1);
  for (std::size_t size = 0; size < row.size(); ++size) {
    EventRowReader cut(std::string_view(row).substr(0, size));
    while (cut.Next()) {
    }
    for (const char byte : {'\x00', '\x7F', '\xFF'}) {
      std::string changed = row;
      changed[size] = byte;
      EventRowReader reader(changed);
      while (reader.Next()) {
      }
    }
  }
}

}  // namespace
}  // namespace wharf
