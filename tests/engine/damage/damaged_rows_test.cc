// A bit flips in a block of rows that tell of messages, how they stand, in which order they wait or
// when they are due: what the rows told is found from what else is known, and nothing is lost or
// fenced that need not be.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/damage/damaged_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

class DamagedRowsTest : public DamagedFixture {
 protected:
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
};

// reliability 20
TEST_F(DamagedRowsTest, ALostDeliveryRowLosesItsMessageOnly) {
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
TEST_F(DamagedRowsTest, ALostDeliveryRowOfAnotherLaneLosesNothingFresh) {
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
TEST_F(DamagedRowsTest, WhatExpiresIsNotTakenForDelayed) {
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
TEST_F(DamagedRowsTest, ALostDeliveryRowOfAnotherLaneLosesNothingFreshOfALevel) {
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
TEST_F(DamagedRowsTest, WhatIsMetTwiceFencesNothing) {
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

// What stands there is found among the messages.
TEST_F(DamagedRowsTest, ALostOrderRowLosesNothing) {
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
TEST_F(DamagedRowsTest, ALostHintOfAScheduleLosesNothing) {
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
TEST_F(DamagedRowsTest, ALostHintOfADelayLosesNothing) {
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
TEST_F(DamagedRowsTest, ALostLockEndsAndItsMessageIsInQuarantine) {
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

// reliability 20
TEST_F(DamagedRowsTest, ALostLockOfADeadLetterEndsToo) {
  const std::string dead = "orders/$DeadLetterQueue";
  Send(3000, "orders", 10);
  for (const std::uint64_t number : ReceiveAll("orders", /*completes=*/false)) {
    ASSERT_TRUE(engine().DeadLetter("orders", tokens_.at(number)).ok());
  }
  ReceiveAll(dead, /*completes=*/false);
  broker_.Damage("delivery", 0.5);

  const NumberSet quarantined = Quarantined(dead);

  EXPECT_THAT(quarantined, Not(IsEmpty()));
  for (std::uint64_t number = 1; number <= 3000; ++number) {
    EXPECT_EQ(engine().Complete(dead, tokens_.at(number)).ok(), !quarantined.contains(number));
  }
}

// The damage reaches from the last lock to the end of the table, and in it the filter lets one in a
// hundred numbers through.
TEST_F(DamagedRowsTest, AStartTakesNoFreshMessageForALostLock) {
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
TEST_F(DamagedRowsTest, AnExpiredSessionIsEmptiedThoughItsRowsAreFarApart) {
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
