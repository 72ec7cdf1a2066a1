// A bit flips in a block of messages or of bodies: what stands in it is in quarantine, and
// everything beside it goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/damage/damaged_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class DamagedBlockTest : public DamagedFixture {};

// reliability 20
TEST_F(DamagedBlockTest, ReceiversGetEverythingBesideIt) {
  Send();
  broker_.Damage("messages", 0.5);

  const NumberSet received = ReceiveAll();

  const NumberSet quarantined = Quarantined();
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_LT(quarantined.size(), 100U);
  EXPECT_EQ(received, AllBut(quarantined));
  EXPECT_EQ(Counters().fresh, 0);
  EXPECT_EQ(Counters().quarantined, static_cast<std::int64_t>(quarantined.size()));
}

// reliability 20
TEST_F(DamagedBlockTest, ItIsTheSameAfterARestart) {
  Send();
  broker_.Damage("messages", 0.5);
  const NumberSet received = ReceiveAll("orders", /*completes=*/false);
  const NumberSet quarantined = Quarantined();

  broker_.Reopen();

  EXPECT_EQ(Quarantined(), quarantined);
  EXPECT_EQ(Counters().quarantined, static_cast<std::int64_t>(quarantined.size()));
  EXPECT_EQ(Counters().locked, static_cast<std::int64_t>(received.size()));
  EXPECT_THAT(ReceiveAll(), IsEmpty());
}

// reliability 20
TEST_F(DamagedBlockTest, TheFirstAndTheLastBlockAreNoExceptions) {
  for (const double part : {0.0, 0.999}) {
    const std::string path = part == 0.0 ? "orders" : "bills";
    Send(kSent, path);
    broker_.Damage("messages", part);
    const NumberSet received = ReceiveAll(path);
    const NumberSet quarantined = Quarantined(path);
    EXPECT_EQ(received, AllBut(quarantined)) << path;
    EXPECT_EQ(Counters(path).fresh, 0);
    Remove(quarantined, path);
  }
}

// reliability 20
TEST_F(DamagedBlockTest, WhatIsSentAfterwardsIsDelivered) {
  Send();
  broker_.Damage("messages", 0.5);
  ReceiveAll();

  Send(10);

  EXPECT_THAT(ReceiveAll(), SizeIs(10));
  EXPECT_EQ(Counters().fresh, 0);
}

// reliability 20
TEST_F(DamagedBlockTest, WhatIsSentBeforeItIsMetIsDeliveredToo) {
  Send();
  broker_.Damage("messages", 0.5);
  Send(10);

  const NumberSet received = ReceiveAll();

  EXPECT_EQ(received, AllBut(Quarantined(), kSent + 10));
  EXPECT_EQ(Counters().fresh, 0);
}

TEST_F(DamagedBlockTest, WhatIsRemovedIsGone) {
  Send();
  broker_.Damage("messages", 0.5);
  ReceiveAll();

  Remove(Quarantined());

  EXPECT_THAT(Quarantined(), IsEmpty());
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
  broker_.Reopen();
  EXPECT_THAT(ReceiveAll(), IsEmpty());
  EXPECT_THAT(Quarantined(), IsEmpty());
}

// A window holds 4096 messages, and knows only then how many wait when it has come to the last.
TEST_F(DamagedBlockTest, WhatIsRemovedBeforeTheEndIsReadFencesNothing) {
  Send(6000, "orders", 10);
  broker_.Damage("messages", 0.1);
  const auto first = engine().Receive("orders", 1, ReceiveMode::kReceiveAndDelete);
  ASSERT_EQ(first->size(), 1U);
  broker_.Settle();
  const NumberSet quarantined = Quarantined();
  ASSERT_THAT(quarantined, Not(IsEmpty()));

  Remove(quarantined);
  broker_.Reopen();
  const NumberSet received = ReceiveAll();

  NumberSet seen = received;
  seen.insert(1);
  const NumberSet met_again = Quarantined();
  seen.insert(met_again.begin(), met_again.end());
  seen.insert(quarantined.begin(), quarantined.end());
  EXPECT_EQ(seen, AllBut({}, 6000));
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  EXPECT_EQ(Counters().fresh, 0);
  Remove(met_again);
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
}

// reliability 20
TEST_F(DamagedBlockTest, WhatCannotBeDeadLetteredWhenItsLockEndsIsInQuarantine) {
  ASSERT_TRUE(
      engine()
          .UpdateQueue({.name = "orders", .lock_duration = minutes(5), .max_delivery_count = 1})
          .ok());
  Send();
  ASSERT_THAT(ReceiveAll("orders", /*completes=*/false), SizeIs(kSent));
  broker_.Damage("messages", 0.5);

  engine().Advance(hours(1));
  broker_.Settle();

  const NumberSet quarantined = Quarantined();
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  EXPECT_EQ(Counters().locked, 0);
  EXPECT_EQ(engine().GetQueue("orders")->dead_letter.returned,
            static_cast<std::int64_t>(kSent - quarantined.size()));
  Remove(quarantined);
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
}

// reliability 20
TEST_F(DamagedBlockTest, ASessionEndsOverIt) {
  Create({.name = "jobs", .requires_session = true, .max_delivery_count = 1});
  Send(kSent, "jobs", 300, "s");
  const auto session = engine().AcceptSession("jobs", "s");
  ASSERT_TRUE(session.ok());
  ASSERT_THAT(ReceiveAll("jobs", /*completes=*/false, session->token), SizeIs(kSent));
  broker_.Damage("messages", 0.5);

  engine().Advance(hours(1));
  broker_.Settle();

  const NumberSet quarantined = Quarantined("jobs");
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(Counters("jobs").locked, 0);
  EXPECT_EQ(engine().GetQueue("jobs")->dead_letter.returned,
            static_cast<std::int64_t>(kSent - quarantined.size()));
  EXPECT_TRUE(engine().AcceptSession("jobs", "s").ok());
}

// reliability 20
TEST_F(DamagedBlockTest, WhatIsDeferredInItIsRemovedByItsNumber) {
  Send();
  for (const std::uint64_t number : ReceiveAll("orders", /*completes=*/false)) {
    ASSERT_TRUE(engine().Defer("orders", tokens_.at(number)).ok());
  }
  broker_.Damage("messages", 0.5);

  NumberSet unreadable;
  for (std::uint64_t number = 1; number <= kSent; ++number) {
    const auto received =
        engine().ReceiveDeferred("orders", {number}, ReceiveMode::kReceiveAndDelete);
    if (received.ok()) continue;
    EXPECT_THAT(received.status().message(), HasSubstr("cannot be read"));
    unreadable.insert(number);
  }

  EXPECT_THAT(unreadable, Not(IsEmpty()));
  EXPECT_EQ(Counters().deferred, static_cast<std::int64_t>(unreadable.size()));
  Remove(unreadable);
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
}

TEST_F(DamagedBlockTest, WhatIsInQuarantineCanOnlyBeLookedAtAndRemoved) {
  Send();
  broker_.Damage("messages", 0.5);
  ReceiveAll();
  const std::uint64_t number = *Quarantined().begin();

  EXPECT_THAT(engine().ReceiveOne("orders", number).status().message(),
              HasSubstr("cannot be read"));
  EXPECT_EQ(engine().ReceiveDeferred("orders", {number}).status().code(),
            ErrorCode::kMessageNotFound);
  EXPECT_EQ(engine().SettleOne("orders", number, {.verb = SettleVerb::kDeadLetter}).code(),
            ErrorCode::kGeneralError);
  EXPECT_EQ(*engine().DeleteOldest("orders", 100), 0);
}

TEST_F(DamagedBlockTest, APeekGoesOnBehindIt) {
  Send();
  broker_.Damage("messages", 0.5);

  NumberSet seen;
  for (std::uint64_t from = 0;;) {
    const auto page = engine().Peek("orders", from);
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    for (const PeekedMessage& each : page->messages) seen.insert(each.message->number.value());
    if (!page->next) break;
    from = page->next->value();
  }

  EXPECT_GT(seen.size(), kSent - 100);
  EXPECT_LT(seen.size(), kSent);
  EXPECT_EQ(*seen.rbegin(), kSent);
}

TEST_F(DamagedBlockTest, ABodyThatCannotBeReadIsNotMissedWhereNobodyWantsIt) {
  Send(kSent, "orders", 8192);
  broker_.Damage("bodies", 0.5);

  std::size_t seen = 0;
  for (PeekRequest request{.entity = {"orders"},
                   .messages_max = 250,
                   .bytes_max = std::size_t{1} << 20,
                   .without_bodies = true};
       ;) {
    const auto page = engine().Await<PeekPage>([&](Answer<PeekPage> answer) {
      engine().broker().requests().Ask({}, PeekRequest(request), std::move(answer));
    });
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    for (const PeekedMessage& each : page->messages) {
      EXPECT_EQ(each.message->message.body, "");
      EXPECT_EQ(each.unreadable, "") << each.message->number.value();
    }
    seen += page->messages.size();
    if (!page->next) break;
    request.from = *page->next;
  }

  EXPECT_EQ(seen, kSent);
}

TEST_F(DamagedBlockTest, AJobDoesAllTheOthers) {
  Send();
  broker_.Damage("messages", 0.5);

  const auto job = engine().BeginJob({.verb = JobVerb::kDeleteMessages, .path = "orders"});
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  broker_.Settle();

  const auto done = engine().GetJob(job->id);
  EXPECT_EQ(done->state, JobState::kCompleted) << done->error;
  EXPECT_THAT(ReceiveAll(), IsEmpty());
  EXPECT_EQ(static_cast<std::uint64_t>(done->done), kSent - Quarantined().size());
}

TEST_F(DamagedBlockTest, APurgeTakesItAway) {
  Send();
  broker_.Damage("messages", 0.5);
  ReceiveAll("orders", /*completes=*/false);

  ASSERT_TRUE(engine().Purge("orders").ok());
  broker_.Settle();

  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_FALSE(broker_.store().View()->Scan(IdOf(Table::kMessages), {"", "\xff"})->valid());
  Send(10);
  EXPECT_THAT(ReceiveAll(), SizeIs(10));
}

TEST_F(DamagedBlockTest, ADeletedQueueTakesItAway) {
  Send();
  broker_.Damage("messages", 0.5);

  ASSERT_TRUE(engine().DeleteQueue("orders").ok());
  broker_.Settle();
  broker_.Reopen();

  EXPECT_FALSE(broker_.store().View()->Scan(IdOf(Table::kJobs), {"", "\xff"})->valid());
}

// What returned is known by its own row.
TEST_F(DamagedBlockTest, WhatWaitsAgainIsCountedExactly) {
  Send();
  for (const std::uint64_t number : ReceiveAll("orders", /*completes=*/false)) {
    ASSERT_TRUE(engine().Abandon("orders", tokens_.at(number)).ok());
  }
  broker_.Damage("messages", 0.5);

  const NumberSet received = ReceiveAll();

  const NumberSet quarantined = Quarantined();
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(received, AllBut(quarantined));
  EXPECT_EQ(Counters().returned, 0);
  Remove(quarantined);
  EXPECT_EQ(Counters().bytes, 0);
}

// reliability 20
TEST_F(DamagedBlockTest, ALostBodyLosesItsMessageOnly) {
  Send(20, "orders", 100'000);
  broker_.DamageText(Noise(7, 64));

  const NumberSet received = ReceiveAll();

  EXPECT_EQ(Quarantined(), NumberSet{8});
  EXPECT_EQ(received, AllBut({8}, 20));
  Remove({8});
  EXPECT_EQ(Counters().bytes, 0);
}

// reliability 20
TEST_F(DamagedBlockTest, ASessionGoesOnBehindIt) {
  Create({.name = "jobs", .requires_session = true});
  Send(kSent, "jobs", 300, "s");
  broker_.Damage("messages", 0.5);

  const auto session = engine().AcceptSession("jobs", "s");
  ASSERT_TRUE(session.ok());
  const NumberSet received = ReceiveAll("jobs", /*completes=*/false, session->token);

  const NumberSet quarantined = Quarantined("jobs");
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(received, AllBut(quarantined));
  EXPECT_EQ(Counters("jobs").fresh, 0);
}

TEST_F(DamagedBlockTest, ATrackGoesOnBehindIt) {
  Create({.name = "levels", .enable_priority = true});
  Send(kSent, "levels");
  broker_.Damage("messages", 0.5);

  const NumberSet received = ReceiveAll("levels", /*completes=*/false);

  const NumberSet quarantined = Quarantined("levels");
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(received, AllBut(quarantined));
  EXPECT_EQ(Counters("levels").fresh, 0);
}

TEST_F(DamagedBlockTest, WhatIsForwardedGoesOnBehindIt) {
  Send();
  broker_.Damage("messages", 0.5);

  ASSERT_TRUE(engine().UpdateQueue({.name = "orders", .forward_to = "bills"}).ok());
  broker_.Settle();

  const auto forwarded = static_cast<std::uint64_t>(Counters("bills").fresh);
  EXPECT_EQ(forwarded + Quarantined().size(), kSent);
  EXPECT_EQ(Counters().fresh, 0);
}

// reliability 20
TEST_F(DamagedBlockTest, WhatIsDueInAnotherQueueIsDone) {
  Message early;
  early.time_to_live = minutes(1);
  std::vector<Message> messages(kSent, early);
  for (std::uint64_t i = 0; i < kSent; ++i) messages[i].body = Noise(i, 300);
  ASSERT_TRUE(engine().Send("orders", std::move(messages)).ok());
  Message scheduled;
  scheduled.scheduled_enqueue_time = engine().clock().Now() + hours(1);
  ASSERT_TRUE(engine().Send("bills", {scheduled}).ok());
  broker_.Damage("messages", 0.5);

  engine().Advance(hours(2));
  broker_.Settle();

  EXPECT_EQ(Counters("bills").fresh, 1);
  EXPECT_LT(Counters().fresh, 100);
  EXPECT_THAT(ReceiveAll(), IsEmpty());
  EXPECT_EQ(Counters().fresh, 0);
  EXPECT_EQ(Counters().quarantined, static_cast<std::int64_t>(Quarantined().size()));
}

class DamagedLogTest : public DamagedFixture {
 protected:
  DamagedLogTest() { Create({.name = "logged", .event_log_size_in_kilobytes = 1024}); }

  void SendWithId(std::string id) {
    Message message;
    message.message_id = std::move(id);
    ASSERT_TRUE(engine().Send("logged", std::vector<Message>{std::move(message)}).ok());
  }
  // Rows that fill some blocks.
  void SendOthers() {
    for (std::uint64_t i = 0; i < 600; ++i) SendWithId(Noise(i, 100));
  }
  TracePage Trace(const char* id) {
    Result<TracePage> page = engine().Await<TracePage>([&](Answer<TracePage> answer) {
      engine().broker().requests().Ask({}, TraceRequest{{"logged"}, std::string(id), {}},
                                       std::move(answer));
    });
    EXPECT_TRUE(page.ok());
    return *std::move(page);
  }
  static std::vector<EventKind> KindsOf(const TracePage& page) {
    std::vector<EventKind> kinds;
    for (const MessageEvent& each : page.events) kinds.push_back(each.kind);
    return kinds;
  }
};

// reliability 20
TEST_F(DamagedLogTest, AStoryGoesOnBehindItAndSaysSo) {
  SendWithId("first");
  SendOthers();
  const auto received = engine().Receive("logged", 1, ReceiveMode::kReceiveAndDelete);
  ASSERT_TRUE(received.ok());
  SendWithId("last");
  broker_.Damage("events", 0.5);

  const TracePage first = Trace("first");
  EXPECT_THAT(KindsOf(first), ElementsAre(EventKind::kSent, EventKind::kReceivedAndDeleted));
  EXPECT_EQ(first.damaged_places, 1U);
  EXPECT_THAT(KindsOf(Trace("last")), ElementsAre(EventKind::kSent));
  SendWithId("new");
  EXPECT_THAT(KindsOf(Trace("new")), ElementsAre(EventKind::kSent));
}

// reliability 20
TEST_F(DamagedLogTest, QuarantineIsPartOfTheStory) {
  SendWithId("first");
  broker_.Damage("messages", 0.0);
  const auto received = engine().Receive("logged", 1, ReceiveMode::kReceiveAndDelete);
  ASSERT_TRUE(received.ok());

  const TracePage page = Trace("first");

  ASSERT_THAT(KindsOf(page), ElementsAre(EventKind::kSent, EventKind::kQuarantined));
  EXPECT_THAT(page.events[1].reason, Not(IsEmpty()));
}

}  // namespace
}  // namespace wharf
