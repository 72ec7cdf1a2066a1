// A few entities that are named are timed by themselves.

#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/engine_harness.h"

namespace wharf {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ShardLimits Timing(std::vector<std::string> paths) {
  ShardLimits limits;
  limits.timed_entities = std::move(paths);
  return limits;
}

// How many sends, waits and settlements were counted of each: "orders 1 2 3".
std::vector<std::string> CountsOf(const Shard& shard) {
  std::vector<std::string> counts;
  for (const TimedEntity& each : shard.timed_entities()) {
    counts.push_back(
        fmt::format("{} {} {} {}", each.path, each.send.count, each.wait.count, each.settle.count));
  }
  return counts;
}

class TimedEntitiesTest : public ::testing::Test {
 protected:
  TimedEntitiesTest() {
    EXPECT_TRUE(engine_.CreateQueue({.name = "Orders"}).ok());
    EXPECT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  LockToken SendAndReceive(const std::string& path) {
    EXPECT_TRUE(engine_.Send(path, "x").ok());
    return engine_.Receive(path)->front().token;
  }
  std::vector<std::string> counts() { return CountsOf(engine_.shard()); }

  EngineHarness engine_{{.limits = Timing({"orders", "news/subscriptions/ALL", "gone"})}};
};

TEST_F(TimedEntitiesTest, OfWhatIsNamedSendsWaitsAndSettlementsAreCounted) {
  const LockToken first = SendAndReceive("orders");
  const LockToken second = SendAndReceive("orders");
  SendAndReceive("bills");

  EXPECT_TRUE(engine_.Complete("orders", first).ok());

  EXPECT_THAT(counts(), ElementsAre("Orders 2 2 1"));
  EXPECT_TRUE(engine_.Abandon("orders", second).ok());
  EXPECT_TRUE(engine_.Receive("orders").ok());  // For the second time.
  EXPECT_THAT(counts(), ElementsAre("Orders 2 2 2"));
}

TEST_F(TimedEntitiesTest, AMessageWaitsUntilItsFirstDelivery) {
  EXPECT_TRUE(engine_.Send("orders", "x").ok());
  engine_.Advance(hours(2));
  EXPECT_TRUE(engine_.Receive("orders").ok());

  const Latency::Snapshot wait = engine_.shard().timed_entities().front().wait;

  EXPECT_EQ(wait.count, 1u);
  EXPECT_GE(wait.sum, hours(2));
  EXPECT_EQ(wait.bounds, &Latency::kWaitBounds);
}

TEST_F(TimedEntitiesTest, ASubscriptionWaitsAndSettlesAndItsTopicSends) {
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "news/Subscriptions/all"}).ok());
  engine_.shard().SetLimits(Timing({"news", "news/Subscriptions/all"}));
  ASSERT_TRUE(engine_.Send("news", "x").ok());

  const LockToken token = engine_.Receive("news/Subscriptions/all")->front().token;
  EXPECT_TRUE(engine_.Complete("news/Subscriptions/all", token).ok());

  EXPECT_THAT(counts(), ElementsAre("news 1 0 0", "news/Subscriptions/all 0 1 1"));
}

TEST_F(TimedEntitiesTest, OneThatComesIsTimedAndOneThatGoesIsNot) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "gone"}).ok());
  SendAndReceive("gone");
  EXPECT_THAT(counts(), ElementsAre("gone 1 1 0", "Orders 0 0 0"));

  ASSERT_TRUE(engine_.DeleteQueue("gone").ok());
  EXPECT_THAT(counts(), ElementsAre("Orders 0 0 0"));

  ASSERT_TRUE(engine_.CreateQueue({.name = "gone"}).ok());
  EXPECT_THAT(counts(), ElementsAre("gone 0 0 0", "Orders 0 0 0"));
}

TEST_F(TimedEntitiesTest, OthersMayBeNamedAndThoseThatStayGoOn) {
  SendAndReceive("orders");

  engine_.shard().SetLimits(Timing({"ORDERS", "bills"}));
  SendAndReceive("bills");
  EXPECT_THAT(counts(), ElementsAre("bills 1 1 0", "Orders 1 1 0"));

  engine_.shard().SetLimits(Timing({}));
  SendAndReceive("orders");
  EXPECT_THAT(counts(), IsEmpty());
}

TEST_F(TimedEntitiesTest, AStartTimesWhatItLoads) {
  engine_.Restart();

  SendAndReceive("orders");

  EXPECT_THAT(counts(), ElementsAre("Orders 1 1 0"));
}

// What is under way holds on to its histograms.
TEST_F(TimedEntitiesTest, NamesMayChangeWhileASendIsWritten) {
  engine_.memory_log().Hold();
  bool is_answered = false;
  engine_.broker().Send("orders", {Message()}, false,
                        [&](const Result<SendReceipt>&) { is_answered = true; });
  engine_.Run();

  engine_.shard().SetLimits(Timing({}));
  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_TRUE(is_answered);
  EXPECT_THAT(counts(), IsEmpty());
}

}  // namespace
}  // namespace wharf
