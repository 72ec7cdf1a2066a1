// A bit flips in a block where scheduled messages stand: those that cannot be read are shown with
// the reason, can be cancelled, and are in quarantine when their time comes; all others are
// enqueued.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/damage/damaged_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class DamagedScheduleTest : public DamagedFixture {
 protected:
  // Their numbers are 1 to `count`, and their time is an hour away.
  void Schedule(std::uint64_t count = kSent, const std::string& path = "orders",
                std::size_t size = 300) {
    std::vector<Message> messages(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      messages[i].body = Noise(i, size);
      messages[i].scheduled_enqueue_time = engine().clock().Now() + hours(1);
    }
    ASSERT_TRUE(engine().Send(path, std::move(messages)).ok());
  }

  struct Listed {
    NumberSet all;
    NumberSet unreadable;
  };
  Listed List(const std::string& path = "orders") {
    Listed listed;
    ScheduledTime from;
    for (;;) {
      const auto page = engine().ListScheduled(path, 100, from);
      EXPECT_TRUE(page.ok()) << page.status().ToString();
      if (!page.ok()) return listed;
      for (const MessagePtr& each : page->messages) {
        EXPECT_TRUE(each->message.scheduled_enqueue_time.has_value());
        listed.all.insert(each->number.value());
      }
      for (const auto& [number, reason] : page->unreadable) {
        EXPECT_NE(reason, "");
        listed.unreadable.insert(number.value());
      }
      if (!page->next) return listed;
      from = *page->next;
    }
  }

  void ComeDue() {
    engine().Advance(hours(2));
    broker_.Settle();
  }
};

// reliability 20
TEST_F(DamagedScheduleTest, AListGoesOnBehindALostBody) {
  Schedule(5, "orders", 10'000);
  broker_.DamageText(Noise(2, 64));

  const auto page = engine().ListScheduled("orders");

  ASSERT_TRUE(page.ok()) << page.status().ToString();
  EXPECT_THAT(page->messages, SizeIs(5));
  ASSERT_THAT(page->unreadable, SizeIs(1));
  EXPECT_EQ(page->unreadable.begin()->first, SequenceNumber(3));
}

// reliability 20
TEST_F(DamagedScheduleTest, AListTellsWhatCannotBeRead) {
  Schedule();
  broker_.Damage("scheduled", 0.5);

  const Listed listed = List();

  EXPECT_EQ(listed.all, From(1, kSent));
  EXPECT_THAT(listed.unreadable, Not(IsEmpty()));
  EXPECT_LT(listed.unreadable.size(), 100U);
}

// reliability 20
TEST_F(DamagedScheduleTest, WhatCannotBeReadIsInQuarantineWhenItsTimeComes) {
  Schedule();
  broker_.Damage("scheduled", 0.5);
  const std::size_t unreadable = List().unreadable.size();

  ComeDue();

  EXPECT_EQ(Counters().scheduled, 0);
  EXPECT_EQ(Counters().quarantined, static_cast<std::int64_t>(unreadable));
  EXPECT_THAT(ReceiveAll(), SizeIs(kSent - unreadable));
  EXPECT_THAT(List().all, IsEmpty());
  broker_.Reopen();
  const NumberSet quarantined = Quarantined();
  EXPECT_THAT(quarantined, SizeIs(unreadable));
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  Remove(quarantined);
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
  EXPECT_EQ(Counters().scheduled_bytes, 0);
}

TEST_F(DamagedScheduleTest, ItsReasonNamesTheScheduledNumberAndItCanBeExported) {
  Schedule();
  broker_.Damage("scheduled", 0.5);
  const std::uint64_t scheduled = *List().unreadable.begin();
  ComeDue();
  const std::uint64_t number = *Quarantined().begin();

  const auto exported = engine().Export("orders", number);

  ASSERT_TRUE(exported.ok()) << exported.status().ToString();
  EXPECT_THAT(exported->reason, HasSubstr("scheduled message " + std::to_string(scheduled) + " "));
  EXPECT_THAT(engine().ReceiveOne("orders", number).status().message(),
              HasSubstr("cannot be read"));
}

TEST_F(DamagedScheduleTest, ItCanBeCancelledAndNothingElse) {
  Schedule();
  broker_.Damage("scheduled", 0.5);
  const NumberSet unreadable = List().unreadable;
  const std::uint64_t one = *unreadable.begin();

  EXPECT_THAT(engine().ActivateScheduled("orders", {1, one}).status().message(),
              HasSubstr("can only be cancelled"));
  EXPECT_EQ(engine().Reschedule("orders", {one}, engine().clock().Now() + hours(3)).code(),
            ErrorCode::kGeneralError);
  EXPECT_EQ(Counters().scheduled, static_cast<std::int64_t>(kSent));
  EXPECT_TRUE(engine().CancelScheduled("orders", {1, one}).ok());

  EXPECT_EQ(Counters().scheduled, static_cast<std::int64_t>(kSent - 2));
  EXPECT_EQ(engine().CancelScheduled("orders", {one}).code(), ErrorCode::kMessageNotFound);
  EXPECT_THAT(List().all, Not(Contains(one)));
  for (const std::uint64_t each : unreadable) {
    if (each == one) continue;
    EXPECT_TRUE(engine().CancelScheduled("orders", {each}).ok());
  }
  ComeDue();
  EXPECT_THAT(Quarantined(), IsEmpty());
  EXPECT_THAT(ReceiveAll(), SizeIs(kSent - 1 - unreadable.size()));
  EXPECT_EQ(Counters().scheduled, 0);
  EXPECT_EQ(Counters().scheduled_bytes, 0);
}

// What stands in the same block and was never scheduled.
TEST_F(DamagedScheduleTest, ANumberThatIsNotScheduledIsNotFoundInTheDamage) {
  for (int i = 0; i < 300; ++i) {
    Schedule(1);
    Send(1);
  }
  broker_.Damage("scheduled", 0.5);
  const std::uint64_t number = *List().unreadable.begin() + 1;

  EXPECT_EQ(engine().CancelScheduled("orders", {number}).code(), ErrorCode::kMessageNotFound);
  EXPECT_EQ(Counters().scheduled, 300);
}

// A topic has no lane where it could be in quarantine.
TEST_F(DamagedScheduleTest, OfATopicItStaysScheduledUntilItIsCancelled) {
  ASSERT_TRUE(engine().Create(EntityKind::kTopic, {.name = "topic"}).ok());
  ASSERT_TRUE(engine().Create(EntityKind::kSubscription, {.name = "topic/Subscriptions/s"}).ok());
  Schedule(kSent, "topic");
  broker_.Damage("scheduled", 0.5);

  ComeDue();

  const Listed left = List("topic");
  EXPECT_THAT(left.unreadable, Not(IsEmpty()));
  EXPECT_EQ(left.all, left.unreadable);
  EXPECT_THAT(ReceiveAll("topic/Subscriptions/s"), SizeIs(kSent - left.all.size()));
  for (const std::uint64_t each : left.all) {
    EXPECT_TRUE(engine().CancelScheduled("topic", {each}).ok());
  }
  EXPECT_THAT(List("topic").all, IsEmpty());
  EXPECT_EQ(engine().Get(EntityKind::kTopic, "topic")->main.scheduled, 0);
}

TEST_F(DamagedScheduleTest, APurgeTakesItAway) {
  Schedule();
  broker_.Damage("scheduled", 0.5);

  ASSERT_TRUE(engine().Purge("orders", /*with_scheduled=*/true).ok());
  broker_.Settle();
  ComeDue();

  EXPECT_EQ(Counters().scheduled, 0);
  EXPECT_THAT(List().all, IsEmpty());
  EXPECT_THAT(Quarantined(), IsEmpty());
}

// What is to be done when is told by `due`.
TEST_F(DamagedScheduleTest, ALostTimeIsLeftOutOfTheListAndEnqueuedAllTheSame) {
  Schedule(3000, "orders", 10);
  broker_.Damage("scheduled_times", 0.5);

  const NumberSet listed = List().all;

  EXPECT_GT(listed.size(), 1500U);
  EXPECT_LT(listed.size(), 3000U);
  EXPECT_EQ(*listed.rbegin(), 3000U);
  ComeDue();
  EXPECT_EQ(Counters().fresh, 3000);
  EXPECT_EQ(Counters().scheduled, 0);
}

}  // namespace
}  // namespace wharf
