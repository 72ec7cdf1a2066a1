#include "broker/core/queue/life.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr Timestamp kEntered{std::chrono::hours(1)};

Message Living(std::optional<Duration> life) {
  Message message;
  message.time_to_live = life;
  return message;
}

Timestamp ExpiryOf(const QueueDescription& description, std::optional<Duration> life) {
  StoredMessage stored;
  stored.message = Living(life);
  stored.enqueued_at = kEntered;
  StartLife(description, stored);
  return stored.facts.expires_at;
}

TEST(LifeTest, TheShorterOfTwoLivesCounts) {  // TTL-1
  const QueueDescription ten{.default_message_time_to_live = seconds(10)};

  EXPECT_EQ(LifeOf(ten, Living(std::nullopt)), seconds(10));
  EXPECT_EQ(LifeOf(ten, Living(seconds(5))), seconds(5));
  EXPECT_EQ(LifeOf(ten, Living(seconds(20))), seconds(10));
  EXPECT_EQ(LifeOf({}, Living(seconds(20))), seconds(20));
  EXPECT_EQ(LifeOf({}, Living(std::nullopt)), std::nullopt);
}

TEST(LifeTest, ItBeginsWhenTheMessageEnters) {
  EXPECT_EQ(ExpiryOf({}, seconds(5)), kEntered + seconds(5));
  EXPECT_EQ(ExpiryOf({}, std::nullopt), kNever);
}

TEST(LifeTest, TheLatestEndIsTheLastOfTheYears) {  // TTL-3
  const Timestamp latest{Duration(253402300799999999)};

  EXPECT_EQ(ExpiryOf({}, std::chrono::hours(24 * 365 * 20000)), latest);
  EXPECT_LT(ExpiryOf({}, std::chrono::hours(24 * 365 * 7000)), latest);
}

TEST(LifeTest, WhatIsOnItsWayElsewhereHasNone) {  // TTL-16
  const QueueDescription forwarding{.forward_to = "there"};
  MessageFacts facts;
  facts.expires_at = kEntered;

  EXPECT_EQ(ExpiryOf(forwarding, seconds(5)), kNever);
  EXPECT_TRUE(HasLivedOut({}, LaneKind::kMain, facts, kEntered));
  EXPECT_FALSE(HasLivedOut(forwarding, LaneKind::kMain, facts, kEntered));
}

TEST(LifeTest, ADeadLetterOutlivesItsTime) {
  MessageFacts facts;
  facts.expires_at = kEntered;

  EXPECT_FALSE(HasLivedOut({}, LaneKind::kMain, facts, kEntered - Duration(1)));
  EXPECT_FALSE(HasLivedOut({}, LaneKind::kDeadLetter, facts, kEntered));
}

}  // namespace
}  // namespace wharf
