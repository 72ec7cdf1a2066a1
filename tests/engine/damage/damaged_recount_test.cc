// A fenced entity with a block that cannot be read: a repair counts the rest, and puts it in use
// again.

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "tests/engine/damage/damaged_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class DamagedRecountTest : public DamagedFixture {
 protected:
  // So many were delivered, and are available again.
  void Return(std::size_t count) {
    std::vector<LockToken> tokens;
    while (tokens.size() < count) {
      const auto received = engine().Receive("orders", 50);
      ASSERT_TRUE(received.ok() && !received->empty());
      broker_.Settle();
      for (const Delivered& each : *received) tokens.push_back(each.token);
    }
    for (const LockToken& token : tokens) ASSERT_TRUE(engine().Abandon("orders", token).ok());
  }

  // Beneath the broker: its counters have two locks that are not there.
  void Fence(const std::string& path = "orders") {
    const LaneId lane{engine().GetQueue(path)->record.id, LaneKind::kMain};
    broker_.Settle();
    const auto row = broker_.store().View()->Get(IdOf(Table::kCounters), CountersKey(lane));
    LaneCounters counters = *DecodeCounters(**row);
    counters.locked += 2;
    WriteBatch batch;
    batch.Put(IdOf(Table::kCounters), CountersKey(lane), EncodeCounters(counters));
    ASSERT_TRUE(broker_.store().Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    broker_.Reopen();
    ASSERT_NE(engine().GetQueue(path)->fence, "");
  }

  std::vector<std::string> Differences(const std::string& path = "orders") {
    std::vector<std::string> names;
    const Result<RecountReport> report = engine().Check(path);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    if (!report.ok()) return names;
    for (const RecountDifference& each : report->differences) names.push_back(each.what);
    return names;
  }

  void Repair(const std::string& path = "orders") {
    const Result<RecountReport> report = engine().Check(path, true);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_TRUE(report->is_repaired) << report->fence;
    EXPECT_EQ(engine().GetQueue(path)->fence, "");
    broker_.Settle();
  }
};

// reliability 20
TEST_F(DamagedRecountTest, FreshMessagesBesideItAreServed) {
  Send(600);
  Fence();
  broker_.Damage("messages", 0.5);
  EXPECT_THAT(Differences(), Contains("damaged_places"));
  EXPECT_THAT(Differences(), Contains("messages_unreadable"));

  Repair();

  const NumberSet received = ReceiveAll();
  const NumberSet quarantined = Quarantined();
  EXPECT_THAT(quarantined, Not(IsEmpty()));
  EXPECT_EQ(received, AllBut(quarantined, 600));
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  EXPECT_EQ(Counters().fresh, 0);
}

// Behind the damage every message of the lane that is in other files can only be read by its
// number.
TEST_F(DamagedRecountTest, WhatCameLaterThanTheDamageIsServed) {
  Send(600);
  Fence();
  broker_.Damage("messages", 0.999);
  Repair();
  Send(50);
  Fence();

  Repair();

  const NumberSet received = ReceiveAll();
  for (std::uint64_t number = 601; number <= 650; ++number) EXPECT_TRUE(received.contains(number));
  EXPECT_EQ(received, AllBut(Quarantined(), 650));
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
}

// They may come once more, and are not lost.
TEST_F(DamagedRecountTest, MessagesWhoseStandingIsLostAreAvailableAgain) {
  Send(3000, "orders", 10);
  Return(3000);
  Fence();
  broker_.Damage("delivery", 0.5);
  EXPECT_THAT(Differences(), Contains("delivery_rows_unreadable"));

  Repair();

  EXPECT_THAT(ReceiveAll(), SizeIs(3000));
  EXPECT_THAT(Quarantined(), IsEmpty());
  EXPECT_EQ(Counters().messages(), 0);
}

TEST_F(DamagedRecountTest, MessagesWhoseOrderIsLostAreServedInTheirSession) {
  Create({.name = "jobs", .requires_session = true});
  Send(3000, "jobs", 10, "s");
  Fence("jobs");
  broker_.Damage("order", 0.5);
  EXPECT_THAT(Differences("jobs"), Contains("order_rows_missing"));

  Repair("jobs");

  const auto session = engine().AcceptSession("jobs", "s");
  ASSERT_TRUE(session.ok());
  EXPECT_THAT(ReceiveAll("jobs", /*completes=*/true, session->token), SizeIs(3000));
  EXPECT_EQ(engine().GetQueue("jobs")->fence, "");
}

TEST_F(DamagedRecountTest, UnreadableMessagesOfASessionAreCounted) {
  Create({.name = "jobs", .requires_session = true});
  Send(600, "jobs", 300, "s");
  Fence("jobs");
  broker_.Damage("messages", 0.5);

  Repair("jobs");

  EXPECT_EQ(Counters("jobs").fresh, 600);
  const auto session = engine().AcceptSession("jobs", "s");
  ASSERT_TRUE(session.ok());
  const NumberSet received = ReceiveAll("jobs", /*completes=*/true, session->token);
  EXPECT_EQ(received, AllBut(Quarantined("jobs"), 600));
  EXPECT_EQ(engine().GetQueue("jobs")->fence, "");
}

TEST_F(DamagedRecountTest, ScheduledMessagesBesideItAreActivated) {
  std::vector<Message> messages;
  for (std::uint64_t i = 0; i < 600; ++i) {
    messages.emplace_back().body = Noise(i, 300);
    messages.back().scheduled_enqueue_time = engine().clock().Now() + hours(1);
  }
  ASSERT_TRUE(engine().Send("orders", std::move(messages)).ok());
  Fence();
  broker_.Damage("scheduled", 0.5);
  EXPECT_THAT(Differences(), Contains("damaged_places"));

  Repair();

  const std::int64_t counted = Counters().scheduled;
  EXPECT_GT(counted, 500);
  EXPECT_LT(counted, 600);
  engine().Advance(hours(2));
  broker_.Settle();
  EXPECT_EQ(Counters().scheduled, 0);
  EXPECT_THAT(ReceiveAll(), SizeIs(counted));
  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
}

// A start that meets the damage takes those entities out of use whose rows stand there, and goes
// on.
class DamagedStartTest : public DamagedRecountTest {
 protected:
  static std::string NameOf(int queue) { return fmt::format("q{:04}", queue); }

  std::vector<std::string> Fenced(int queues) {
    std::vector<std::string> fenced;
    for (int i = 0; i < queues; ++i) {
      if (!engine().GetQueue(NameOf(i))->fence.empty()) fenced.push_back(NameOf(i));
    }
    return fenced;
  }
};

// reliability 20
TEST_F(DamagedStartTest, LostCountersFenceTheirEntitiesAlone) {
  constexpr int kQueues = 400;
  for (int i = 0; i < kQueues; ++i) {
    Create({.name = NameOf(i)});
    Send(2, NameOf(i), 10);
  }

  broker_.Damage("counters", 0.5);

  const std::vector<std::string> fenced = Fenced(kQueues);
  EXPECT_THAT(fenced, Not(IsEmpty()));
  EXPECT_LT(fenced.size(), kQueues);
  EXPECT_THAT(engine().GetQueue(fenced.front())->fence, HasSubstr("its counters cannot be read"));
  for (int i = 0; i < kQueues; ++i) {
    if (!engine().GetQueue(NameOf(i))->fence.empty()) continue;
    EXPECT_THAT(ReceiveAll(NameOf(i)), SizeIs(2));
  }
}

// reliability 20
TEST_F(DamagedStartTest, ARepairCountsAnewWhatLostItsCounters) {
  Send(20);
  for (const std::uint64_t number : ReceiveAll("orders", /*completes=*/false)) {
    if (number > 5) continue;
    ASSERT_TRUE(engine().Defer("orders", tokens_.at(number)).ok());
  }
  broker_.Damage("counters", 0.5);
  ASSERT_NE(engine().GetQueue("orders")->fence, "");
  EXPECT_THAT(Differences(), Contains("unreadable_counters"));

  Repair();
  broker_.Reopen();

  EXPECT_EQ(engine().GetQueue("orders")->fence, "");
  EXPECT_EQ(Counters().deferred, 5);
  EXPECT_EQ(Counters().locked, 15);
  const auto sent = engine().Send("orders", "behind");
  ASSERT_TRUE(sent.ok());
  EXPECT_GT(*sent, SequenceNumber(20));
  EXPECT_EQ(ReceiveAll(), NumberSet{sent->value()});
  EXPECT_TRUE(engine().Complete("orders", tokens_.at(6)).ok());
}

// reliability 20
TEST_F(DamagedStartTest, LostSessionsWithLocksFenceTheirQueueAndARepairEndsTheLocks) {
  constexpr int kSessions = 400;
  Create({.name = "jobs", .requires_session = true});
  for (int i = 0; i < kSessions; ++i) {
    Message message;
    message.session_id = NameOf(i);
    ASSERT_TRUE(engine().Send("jobs", {message}).ok());
    const auto session = engine().AcceptSession("jobs", NameOf(i));
    ASSERT_TRUE(session.ok());
    const auto received = engine().Receive("jobs", 1, ReceiveMode::kPeekLock, session->token);
    ASSERT_TRUE(received.ok() && received->size() == 1);
  }
  Send(3);

  broker_.Damage("sessions", 0.5);

  EXPECT_THAT(engine().GetQueue("jobs")->fence, HasSubstr("in a session that nobody holds"));
  EXPECT_THAT(ReceiveAll(), SizeIs(3));
  Repair("jobs");
  broker_.Reopen();
  EXPECT_EQ(engine().GetQueue("jobs")->fence, "");
  const std::int64_t returned = Counters("jobs").returned;
  EXPECT_GT(returned, 0);
  EXPECT_LT(returned, kSessions);
  for (std::int64_t i = 0; i < returned; ++i) {
    const auto session = engine().AcceptSession("jobs");
    ASSERT_TRUE(session.ok()) << i;
    const auto received =
        engine().Receive("jobs", 1, ReceiveMode::kReceiveAndDelete, session->token);
    EXPECT_TRUE(received.ok() && received->size() == 1);
  }
  EXPECT_EQ(Counters("jobs").returned, 0);
}

}  // namespace
}  // namespace wharf
