// A bit flips in a block of a table: the messages in it are in quarantine, and everything else goes
// on. Every test runs until the broker is quiet, so one that goes round in circles never ends.

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/stored_broker.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

using NumberSet = std::set<std::uint64_t>;

constexpr std::uint64_t kSent = 600;

// Bytes that do not become fewer on disk.
std::string Noise(std::uint64_t seed, std::size_t size) {
  SeededRandom random(seed);
  std::string noise(size, '\0');
  for (char& byte : noise) byte = static_cast<char>(random.Next());
  return noise;
}

class DamagedBlockTest : public ::testing::Test {
 protected:
  DamagedBlockTest() {
    Create({.name = "orders"});
    Create({.name = "bills"});
  }

  EngineHarness& engine() { return broker_.engine(); }

  void Create(QueueDescription queue) {
    queue.lock_duration = minutes(5);
    EXPECT_TRUE(engine().CreateQueue(std::move(queue)).ok());
  }

  // Of one size each; their numbers are 1 to `count`.
  void Send(std::uint64_t count = kSent, const std::string& path = "orders", std::size_t size = 300,
            std::optional<std::string> session = std::nullopt) {
    std::vector<Message> messages(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      messages[i].body = Noise(i, size);
      messages[i].session_id = session;
    }
    const std::size_t together = std::min<std::size_t>(500'000 / size, 1000);
    for (std::size_t at = 0; at < count; at += together) {
      const auto end =
          messages.begin() + static_cast<std::ptrdiff_t>(std::min(count, at + together));
      std::vector<Message> some(messages.begin() + static_cast<std::ptrdiff_t>(at), end);
      ASSERT_TRUE(engine().Send(path, std::move(some)).ok());
    }
  }

  // Receives what there is; in order, each once.
  NumberSet ReceiveAll(const std::string& path = "orders", bool completes = true,
                       std::optional<LockToken> session = std::nullopt) {
    NumberSet numbers;
    for (;;) {
      const auto received = engine().Receive(path, 50, ReceiveMode::kPeekLock, session);
      EXPECT_TRUE(received.ok()) << received.status().ToString();
      broker_.Settle();
      if (!received.ok() || received->empty()) return numbers;
      for (const Delivered& each : *received) {
        const std::uint64_t number = each.message->number.value();
        EXPECT_TRUE(numbers.empty() || *numbers.rbegin() < number);
        numbers.insert(number);
        tokens_[number] = each.token;
        if (completes) {
          EXPECT_TRUE(engine().Complete(path, each.token).ok());
        }
      }
    }
  }

  NumberSet Quarantined(const std::string& path = "orders") {
    NumberSet numbers;
    std::uint64_t from = 0;
    for (;;) {
      const auto page = engine().Peek(path, from, 250, PeekFilter::kQuarantined);
      EXPECT_TRUE(page.ok()) << page.status().ToString();
      if (!page.ok()) return numbers;
      for (const PeekedMessage& each : page->messages) {
        EXPECT_EQ(each.standing, Standing::kQuarantined);
        EXPECT_THAT(each.unreadable, Not(IsEmpty()));
        numbers.insert(each.message->number.value());
      }
      if (!page->next) return numbers;
      from = page->next->value();
    }
  }

  LaneCounters Counters(const std::string& path = "orders") {
    return engine().GetQueue(path)->main;
  }

  void Remove(const NumberSet& numbers, const std::string& path = "orders") {
    for (const std::uint64_t number : numbers) {
      const Status removed = engine().SettleOne(path, number, {.verb = SettleVerb::kComplete});
      EXPECT_TRUE(removed.ok()) << removed.ToString();
    }
  }

  // So many are available again after a delivery, and as many behind them are dead letters.
  void ReturnAndDeadLetter(std::uint64_t count, const std::string& path = "orders") {
    std::vector<LockToken> tokens;
    while (tokens.size() < 2 * count) {
      const auto received = engine().Receive(path, 50);
      ASSERT_TRUE(received.ok() && !received->empty());
      for (const Delivered& each : *received) tokens.push_back(each.token);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Status settled =
          i < count ? engine().Abandon(path, tokens[i]) : engine().DeadLetter(path, tokens[i]);
      ASSERT_TRUE(settled.ok()) << settled.ToString();
    }
  }

  // From one number to another.
  static NumberSet From(std::uint64_t first, std::uint64_t last) {
    NumberSet numbers;
    for (std::uint64_t number = first; number <= last; ++number) numbers.insert(number);
    return numbers;
  }

  static NumberSet AllBut(const NumberSet& some, std::uint64_t count = kSent) {
    NumberSet others;
    for (std::uint64_t number = 1; number <= count; ++number) {
      if (!some.contains(number)) others.insert(number);
    }
    return others;
  }

  const QuietLog quiet_;
  StoredBroker broker_;
  std::map<std::uint64_t, LockToken> tokens_;
};

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
TEST_F(DamagedBlockTest, ALostDeliveryRowLosesItsMessageOnly) {
  Send(3000, "orders", 10);
  for (const std::uint64_t number : ReceiveAll("orders", /*completes=*/false)) {
    ASSERT_TRUE(engine().Abandon("orders", tokens_.at(number)).ok());
  }
  broker_.Damage("delivery", 0.75);

  const NumberSet received = ReceiveAll();

  const NumberSet quarantined = Quarantined();
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(received, AllBut(quarantined, 3000));
  EXPECT_EQ(Counters().returned, 0);
  EXPECT_EQ(Counters().fresh, 0);
}

// Between the rows of two lanes there is a place in the block for every number of the first: the
// filter lets one in a hundred of those that were never delivered through to it.
// reliability 20
TEST_F(DamagedBlockTest, ALostDeliveryRowOfAnotherLaneLosesNothingFresh) {
  Send(4000, "orders", 10);
  ReturnAndDeadLetter(500);
  broker_.Damage("delivery", 0.5);

  const NumberSet received = ReceiveAll();

  NumberSet seen = received;
  const NumberSet quarantined = Quarantined();
  seen.insert(quarantined.begin(), quarantined.end());
  EXPECT_EQ(seen, AllBut(From(501, 1000), 4000));
  EXPECT_EQ(seen.size(), received.size() + quarantined.size());
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  EXPECT_EQ(Counters().quarantined, static_cast<std::int64_t>(quarantined.size()));
  Remove(quarantined);
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
}

// The same block, met by what looks whether a time to live is over.
TEST_F(DamagedBlockTest, WhatExpiresIsNotTakenForDelayed) {
  Message early;
  early.time_to_live = hours(1);
  for (int times = 0; times < 4; ++times) {
    ASSERT_TRUE(engine().Send("orders", std::vector<Message>(1000, early)).ok());
  }
  ReturnAndDeadLetter(500);
  broker_.Damage("delivery", 0.5);

  engine().Advance(hours(2));
  broker_.Settle();

  EXPECT_THAT(ReceiveAll(), IsEmpty());
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  Remove(Quarantined());
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
}

// That it was never delivered stands in `order`, so its row in `delivery` is missed by nobody.
TEST_F(DamagedBlockTest, ALostDeliveryRowOfAnotherLaneLosesNothingFreshOfALevel) {
  Create({.name = "levels", .enable_priority = true});
  Send(4000, "levels", 10);
  ReturnAndDeadLetter(500, "levels");
  broker_.Damage("delivery", 0.5);

  const NumberSet received = ReceiveAll("levels");

  EXPECT_THAT(received, IsSupersetOf(From(1001, 4000)));
  EXPECT_EQ(engine().GetQueue("levels")->fence, "");
  Remove(Quarantined("levels"), "levels");
  EXPECT_EQ(Counters("levels").messages(), 0);
  EXPECT_EQ(Counters("levels").bytes, 0);
}

// Its rows are lost in `messages` and in `delivery`.
TEST_F(DamagedBlockTest, WhatIsMetTwiceFencesNothing) {
  Send();
  broker_.Damage("messages", 0.999);
  ReceiveAll();
  ASSERT_THAT(Quarantined(), Not(IsEmpty()));
  Send(10);
  broker_.Damage("delivery", 0.5);

  NumberSet seen = ReceiveAll();
  const NumberSet quarantined = Quarantined();
  broker_.Reopen();
  Remove(quarantined);

  seen.insert(quarantined.begin(), quarantined.end());
  EXPECT_THAT(seen, IsSupersetOf(From(kSent + 1, kSent + 10)));
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  EXPECT_EQ(Counters().fresh, 0);
  EXPECT_EQ(Counters().returned, 0);
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

// What stands there is found among the messages.
TEST_F(DamagedBlockTest, ALostOrderRowLosesNothing) {
  Create({.name = "jobs", .requires_session = true});
  Send(3000, "jobs", 10, "s");
  broker_.Damage("order", 0.5);

  const auto session = engine().AcceptSession("jobs", "s");
  ASSERT_TRUE(session.ok());
  const NumberSet received = ReceiveAll("jobs", /*completes=*/false, session->token);

  EXPECT_EQ(received, AllBut({}, 3000));
  EXPECT_THAT(Quarantined("jobs"), IsEmpty());
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

// reliability 20
TEST_F(DamagedBlockTest, ALostHintOfAScheduleLosesNothing) {
  const Timestamp start = engine().clock().Now();
  std::vector<Message> messages(3000);
  for (std::uint64_t i = 0; i < messages.size(); ++i) {
    messages[i].scheduled_enqueue_time = start + minutes(1) + std::chrono::milliseconds(i);
  }
  ASSERT_TRUE(engine().Send("orders", std::move(messages)).ok());
  broker_.Damage("due", 0.5);

  engine().Advance(hours(1));
  broker_.Settle();

  EXPECT_EQ(Counters().fresh, 3000);
  EXPECT_THAT(ReceiveAll(), SizeIs(3000));
  Message again;
  again.scheduled_enqueue_time = engine().clock().Now() + hours(1);
  ASSERT_TRUE(engine().Send("bills", {again}).ok());
  engine().Advance(hours(2));
  broker_.Settle();
  EXPECT_EQ(Counters("bills").fresh, 1);
}

// reliability 20
TEST_F(DamagedBlockTest, ALostHintOfADelayLosesNothing) {
  ASSERT_TRUE(engine()
                  .UpdateQueue({.name = "orders",
                                .lock_duration = minutes(5),
                                .retry_policy = RetryPolicy{.base = hours(1)}})
                  .ok());
  Send(2000, "orders", 10);
  for (const std::uint64_t number : ReceiveAll("orders", /*completes=*/false)) {
    ASSERT_TRUE(engine().Abandon("orders", tokens_.at(number)).ok());
  }
  ASSERT_EQ(Counters().delayed, 2000);
  broker_.Damage("due", 0.5);

  engine().Advance(hours(2));
  broker_.Settle();

  EXPECT_EQ(Counters().delayed, 0);
  EXPECT_EQ(Counters().returned, 2000);
  EXPECT_THAT(ReceiveAll(), SizeIs(2000));
}

// reliability 20
TEST_F(DamagedBlockTest, ALostLockEndsAndItsMessageIsInQuarantine) {
  Send(3000, "orders", 10);
  ReceiveAll("orders", /*completes=*/false);
  broker_.Damage("delivery", 0.5);

  const NumberSet quarantined = Quarantined();

  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(Counters().locked, static_cast<std::int64_t>(3000 - quarantined.size()));
  EXPECT_EQ(Counters().quarantined, static_cast<std::int64_t>(quarantined.size()));
  for (std::uint64_t number = 1; number <= 3000; ++number) {
    EXPECT_EQ(engine().Complete("orders", tokens_.at(number)).ok(), !quarantined.contains(number));
  }
  Remove(quarantined);
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
}

// The damage reaches from the last lock to the end of the table, and in it the filter lets one in a
// hundred numbers through.
TEST_F(DamagedBlockTest, AStartTakesNoFreshMessageForALostLock) {
  Send(5000, "orders", 10);
  for (std::size_t locked = 0; locked < 1000;) {
    const auto received = engine().Receive("orders", std::min<std::size_t>(50, 1000 - locked));
    ASSERT_TRUE(received.ok() && !received->empty());
    broker_.Settle();
    locked += received->size();
  }
  broker_.Damage("delivery", 0.999);

  const NumberSet quarantined = Quarantined();

  ASSERT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_LE(*quarantined.rbegin(), 1000U);
  EXPECT_EQ(Counters().fresh, 4000);
  EXPECT_EQ(Counters().locked, static_cast<std::int64_t>(1000 - quarantined.size()));
}

// A reader looks at 4096 messages at a time, and most of them are of another session.
TEST_F(DamagedBlockTest, AnExpiredSessionIsEmptiedThoughItsRowsAreFarApart) {
  Create({.name = "jobs", .requires_session = true});
  Message brief;
  brief.session_id = "a";
  brief.time_to_live = minutes(1);
  ASSERT_TRUE(engine().Send("jobs", {brief}).ok());
  Send(5000, "jobs", 10, "b");
  Send(2, "jobs", 10, "a");
  broker_.Damage("order", 0.0);

  engine().Advance(hours(1));
  broker_.Settle();

  EXPECT_EQ(Counters("jobs").messages(), 5000);
  EXPECT_EQ(Counters("jobs").fresh, 5000);
  EXPECT_THAT(Quarantined("jobs"), IsEmpty());
}

}  // namespace
}  // namespace wharf
