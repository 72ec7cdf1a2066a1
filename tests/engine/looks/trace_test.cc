// Where a message is, and what it waits for: everywhere, in pages, and without being a use of
// anything.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "tests/harness/engine_harness.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TraceTest : public ::testing::Test {
 protected:
  TraceTest() { Make({.name = "orders"}); }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  void Make(QueueDescription description) {
    ASSERT_TRUE(engine_.CreateQueue(std::move(description)).ok());
  }
  static Message WithId(std::string id) {
    Message message;
    message.body = "body";
    message.message_id = std::move(id);
    return message;
  }
  void Send(const std::string& path, Message message) {
    const auto receipt = engine_.Send(path, std::vector<Message>{std::move(message)});
    ASSERT_TRUE(receipt.ok() && receipt->front().ok());
  }
  Delivered ReceiveOne(const std::string& path = "orders") {
    auto received = engine_.Receive(path);
    EXPECT_EQ(received->size(), 1U);
    return received->front();
  }

  Result<TracePage> Page(TraceRequest request) {
    return engine_.Await<TracePage>([&](Answer<TracePage> answer) {
      engine_.broker().requests().Ask({.peer = "here"}, std::move(request), std::move(answer));
    });
  }
  // All pages.
  TracePage Trace(WantedMessage wanted, const std::string& path = "") {
    TracePage all;
    TracePosition from;
    for (;;) {
      Result<TracePage> page = Page({{path}, wanted, from});
      EXPECT_TRUE(page.ok()) << page.status().ToString();
      if (!page.ok()) return all;
      ++pages_;
      for (auto& each : page->places) all.places.push_back(std::move(each));
      for (auto& each : page->remembered) all.remembered.push_back(std::move(each));
      for (auto& each : page->fenced) all.fenced.push_back(std::move(each));
      all.looked_at += page->looked_at;
      all.entities += page->entities;
      if (!page->next) return all;
      from = *page->next;
    }
  }
  MessageWait WaitOf(const std::string& id) {
    const TracePage found = Trace(id);
    EXPECT_EQ(found.places.size(), 1U);
    return found.places.empty() ? MessageWait::kQuarantine : found.places.front().wait;
  }
  static std::vector<std::string> PathsOf(const TracePage& page) {
    std::vector<std::string> paths;
    for (const MessagePlace& each : page.places) paths.push_back(each.path);
    return paths;
  }

  EngineHarness engine_;
  int pages_ = 0;
};

TEST_F(TraceTest, TheFirstInLineIsTheNextForAReceiver) {
  Send("orders", WithId("a"));
  Send("orders", WithId("b"));

  const TracePage first = Trace(WantedMessage("a"));
  const TracePage second = Trace(WantedMessage("b"));

  ASSERT_EQ(first.places.size(), 1U);
  EXPECT_EQ(first.places[0].wait, MessageWait::kReceiver);
  EXPECT_TRUE(first.places[0].is_next);
  ASSERT_EQ(second.places.size(), 1U);
  EXPECT_EQ(second.places[0].wait, MessageWait::kReceiver);
  EXPECT_FALSE(second.places[0].is_next);
  EXPECT_EQ(second.places[0].peeked.message->number, SequenceNumber(2));
}

// Ten times as much as a page tells: each goes on in the midst of the entity, and tells of none
// twice.
TEST_F(TraceTest, PagesOfAFrequentIdEndWithinAnEntity) {
  constexpr std::size_t kMessages = 350;
  constexpr std::size_t kBytes = 30'000;
  Message message = WithId("same");
  message.application_properties = {{"text", PropertyValue(std::string(kBytes, 'x'))}};
  for (std::size_t i = 0; i < kMessages; ++i) Send("orders", message);

  std::set<SequenceNumber> found;
  TracePosition from;
  int pages = 0;
  for (bool goes_on = true; goes_on; ++pages) {
    const Result<TracePage> page = Page({{"orders"}, std::string("same"), from});
    ASSERT_TRUE(page.ok());
    EXPECT_LE(page->places.size() * kBytes, (std::size_t{1} << 20) + kBytes);
    for (const MessagePlace& each : page->places) found.insert(each.peeked.message->number);
    goes_on = page->next.has_value();
    if (goes_on) from = *page->next;
  }

  EXPECT_EQ(found.size(), kMessages);
  EXPECT_GE(pages, 10);
}

TEST_F(TraceTest, APageTellsSoManyPlacesAlsoOfOneEntity) {
  for (int i = 0; i < 200; ++i) Send("orders", WithId("same"));

  const Result<TracePage> page = Page({{"orders"}, std::string("same"), {}});

  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->places.size(), 64U);
  EXPECT_EQ(Trace(WantedMessage("same")).places.size(), 200U);
  EXPECT_EQ(pages_, 4);
}

TEST_F(TraceTest, APageTellsNoMoreOfWhatIsScheduled) {
  for (int i = 0; i < 200; ++i) {
    Message message = WithId("same");
    message.scheduled_enqueue_time = engine_.clock().Now() + hours(1);
    message.application_properties = {{"text", PropertyValue(std::string(30'000, 'x'))}};
    Send("orders", std::move(message));
  }

  const Result<TracePage> page = Page({{"orders"}, std::string("same"), {}});

  ASSERT_TRUE(page.ok());
  EXPECT_LE(page->places.size(), 36U);
  EXPECT_EQ(Trace(WantedMessage("same")).places.size(), 200U);
}

TEST_F(TraceTest, ALockedMessageTellsUntilWhenAndByWhom) {
  Send("orders", WithId("a"));
  const Delivered delivered = ReceiveOne();

  const TracePage found = Trace(WantedMessage("a"));

  ASSERT_EQ(found.places.size(), 1U);
  EXPECT_EQ(found.places[0].wait, MessageWait::kLock);
  EXPECT_EQ(found.places[0].locked_until, delivered.until);
  EXPECT_EQ(found.places[0].locked_since, engine_.clock().Now());
}

TEST_F(TraceTest, ALockFromBeforeARestartHasNoHolder) {
  Send("orders", WithId("a"));
  const Delivered delivered = ReceiveOne();

  engine_.Restart();
  const TracePage found = Trace(WantedMessage("a"));

  ASSERT_EQ(found.places.size(), 1U);
  EXPECT_EQ(found.places[0].locked_until, delivered.until);
  EXPECT_EQ(found.places[0].locked_since, kNever);
  EXPECT_EQ(found.places[0].locked_by, "");
}

TEST_F(TraceTest, EachStateSaysWhatItWaitsFor) {
  Make({.name = "stopped", .status = EntityStatus::kReceiveDisabled});
  Make({.name = "target"});
  Send("orders", WithId("deferred"));
  ASSERT_TRUE(engine_.Defer("orders", ReceiveOne().token).ok());
  Send("orders", WithId("resting"));
  Settlement rest{.verb = SettleVerb::kAbandon};
  rest.delay = minutes(5);
  ASSERT_TRUE(engine_.Settle("orders", ReceiveOne().token, rest).ok());
  Message later = WithId("later");
  later.scheduled_enqueue_time = engine_.clock().Now() + hours(1);
  Send("orders", std::move(later));
  Send("stopped", WithId("stopped"));

  EXPECT_EQ(WaitOf("deferred"), MessageWait::kDeferred);
  EXPECT_EQ(WaitOf("resting"), MessageWait::kDelay);
  EXPECT_EQ(WaitOf("later"), MessageWait::kScheduledTime);
  EXPECT_EQ(WaitOf("stopped"), MessageWait::kEntityStatus);
}

TEST_F(TraceTest, AMessageOfASessionWaitsForItOrForItsHolder) {
  Make({.name = "letters", .requires_session = true});
  Message message = WithId("a");
  message.session_id = "red";
  Send("letters", std::move(message));

  EXPECT_EQ(WaitOf("a"), MessageWait::kSession);
  std::shared_ptr<WaitHandle> wait;
  const auto accepted = engine_.Await<AcceptedSession>([&](Answer<AcceptedSession> answer) {
    wait = engine_.broker().requests().Wait(
        {.peer = "there"}, AcceptSessionRequest{{"letters"}, {.id = "red"}}, std::move(answer));
  });
  ASSERT_TRUE(accepted.ok());
  EXPECT_EQ(WaitOf("a"), MessageWait::kSessionLock);

  const MessagePlace place = Trace(WantedMessage("a")).places.at(0);
  EXPECT_EQ(place.locked_by, "there");
  EXPECT_EQ(place.locked_since, engine_.clock().Now());
  EXPECT_EQ(place.locked_until, accepted->until);
}

TEST_F(TraceTest, ADeadLetterThatItsTargetRefusesWaitsToBeForwarded) {  // FWD-15
  Make({.name = "sink"});
  Make({.name = "source", .forward_dead_lettered_messages_to = "sink"});
  ASSERT_TRUE(engine_.UpdateQueue({.name = "sink", .status = EntityStatus::kSendDisabled}).ok());
  Send("source", WithId("a"));
  ASSERT_TRUE(engine_.DeadLetter("source", ReceiveOne("source").token).ok());

  const TracePage found = Trace(WantedMessage("a"));

  ASSERT_THAT(PathsOf(found), ElementsAre("source/$DeadLetterQueue"));
  EXPECT_EQ(found.places[0].wait, MessageWait::kForwarding);
  EXPECT_EQ(found.places[0].forward_to, "sink");
}

TEST_F(TraceTest, ADeadLetterIsFoundThere) {
  Send("orders", WithId("a"));
  ASSERT_TRUE(engine_.DeadLetter("orders", ReceiveOne().token, "Bad").ok());

  EXPECT_THAT(PathsOf(Trace(WantedMessage("a"))), ElementsAre("orders/$DeadLetterQueue"));
}

TEST_F(TraceTest, CopiesAreFoundInAllSubscriptionsAndBelowTheirTopicAlone) {
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "news/Subscriptions/a"}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "news/Subscriptions/b"}).ok());
  Send("news", WithId("m"));
  Send("orders", WithId("m"));

  EXPECT_THAT(PathsOf(Trace(WantedMessage("m"))),
              ElementsAre("news/Subscriptions/a", "news/Subscriptions/b", "orders"));
  EXPECT_THAT(PathsOf(Trace(WantedMessage("m"), "news")),
              ElementsAre("news/Subscriptions/a", "news/Subscriptions/b"));
  EXPECT_THAT(PathsOf(Trace(WantedMessage("m"), "news/Subscriptions/b")),
              ElementsAre("news/Subscriptions/b"));
}

TEST_F(TraceTest, AnIdIsRememberedAfterItsMessageIsGone) {  // DUP-5
  Make({.name = "once", .requires_duplicate_detection = true});
  Send("once", WithId("a"));
  ASSERT_TRUE(engine_.Complete("once", ReceiveOne("once").token).ok());

  const TracePage found = Trace(WantedMessage("a"));

  EXPECT_THAT(found.places, IsEmpty());
  ASSERT_EQ(found.remembered.size(), 1U);
  EXPECT_EQ(found.remembered[0].path, "once");
  EXPECT_EQ(found.remembered[0].number, SequenceNumber(1));
  engine_.Advance(minutes(11));
  EXPECT_THAT(Trace(WantedMessage("a")).remembered, IsEmpty());
}

TEST_F(TraceTest, ANumberIsLookedUpInEachEntity) {
  Make({.name = "others"});
  Send("orders", WithId("a"));
  Send("others", WithId("b"));
  Message later = WithId("later");
  later.scheduled_enqueue_time = engine_.clock().Now() + hours(1);
  Send("others", std::move(later));

  const TracePage first = Trace(WantedMessage(SequenceNumber(1)));
  const TracePage second = Trace(WantedMessage(SequenceNumber(2)));

  EXPECT_THAT(PathsOf(first), ElementsAre("orders", "others"));
  EXPECT_EQ(first.looked_at, 2U);
  ASSERT_THAT(PathsOf(second), ElementsAre("others"));
  EXPECT_TRUE(second.places[0].peeked.is_scheduled);
}

TEST_F(TraceTest, ALongSearchComesInPagesThatMissNothing) {
  Send("orders", WithId("first"));
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(1000, WithId("other"))).ok());
  }
  Send("orders", WithId("it's"));

  const TracePage found = Trace(WantedMessage("it's"));

  EXPECT_EQ(found.places.size(), 1U);
  EXPECT_EQ(found.looked_at, 9002U);
  EXPECT_GT(pages_, 2);
}

TEST_F(TraceTest, ManyEntitiesComeInPagesAndEachCountsOnce) {
  for (int i = 0; i < 150; ++i) {
    Make({.name = "queue" + std::to_string(i)});
    Send("queue" + std::to_string(i), WithId("m"));
  }

  const TracePage found = Trace(WantedMessage("m"));

  EXPECT_EQ(found.places.size(), 150U);
  EXPECT_EQ(found.entities, 151U);
  EXPECT_GT(pages_, 1);
}

TEST_F(TraceTest, AnEntityThatGoesBetweenTwoPagesIsPassedOver) {
  for (const char* name : {"a", "b", "c"}) Make({.name = name});
  Send("c", WithId("m"));
  ASSERT_TRUE(engine_.DeleteQueue("b").ok());

  const auto page = Page({{}, std::string("m"), {"b", EntityPart::kDeadLetter, SequenceNumber(7)}});

  ASSERT_TRUE(page.ok());
  EXPECT_THAT(PathsOf(*page), ElementsAre("c"));
}

TEST_F(TraceTest, AJobThatWillComeToItIsTold) {
  for (int i = 0; i < 10; ++i) Send("orders", WithId("m" + std::to_string(i)));
  JobOrder order;
  order.verb = JobVerb::kDeleteMessages;
  order.path = "orders";
  order.rate_max = 1;
  const auto job = engine_.BeginJob(order);
  ASSERT_TRUE(job.ok());
  ASSERT_TRUE(engine_.GetJob(job->id)->is_running());

  const TracePage found = Trace(WantedMessage("m9"));

  ASSERT_EQ(found.places.size(), 1U);
  EXPECT_THAT(found.places[0].jobs, ElementsAre(job->id));
}

class FencedTraceTest : public TraceTest {
 protected:
  // What is wrong is what these tests are about.
  void TearDown() override {}

  void Fence(const std::string& name) {
    const auto queue = engine_.GetQueue(name);
    LaneCounters counters = queue->main;
    counters.locked += 2;
    WriteBatch batch;
    batch.Put(IdOf(Table::kCounters), CountersKey({queue->record.id, LaneKind::kMain}),
              EncodeCounters(counters));
    engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
    engine_.Run();
    engine_.Restart();
  }

  const QuietLog quiet_;
};

TEST_F(FencedTraceTest, WhatNobodyLooksIntoIsNamedOnceHoweverManyPages) {
  for (const char* name : {"a", "b", "c"}) Make({.name = name});
  Send("b", WithId("m"));
  Send("c", WithId("m"));
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(engine_.Send("a", std::vector<Message>(1000, WithId("other"))).ok());
  }
  Fence("b");

  const TracePage found = Trace(WantedMessage("m"));

  EXPECT_THAT(PathsOf(found), ElementsAre("c"));
  EXPECT_THAT(found.fenced, ElementsAre("b"));
  EXPECT_EQ(found.entities, 3U);
  EXPECT_GT(pages_, 2);
  EXPECT_EQ(Page({{"b"}, std::string("m"), {}}).status().code(),
            ErrorCode::kMessagingEntityDisabled);
}

}  // namespace
}  // namespace wharf
