// What all entities hold together has a bound: what is sent beyond it is refused, everything else
// goes on. QUO-4

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/bodies/large_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ShardLimits LimitsOf(std::uint64_t bytes_max) {
  ShardLimits limits;
  limits.broker.namespace_bytes_max = bytes_max;
  return limits;
}

Message OfBytes(std::size_t count) {
  Message message;
  message.body = std::string(count, 'x');
  return message;
}

class NamespaceSizeTest : public ::testing::Test {
 protected:
  NamespaceSizeTest() {
    EXPECT_TRUE(engine_.CreateQueue(LargeQueue()).ok());
    EXPECT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  Status Send(std::size_t bytes, const std::string& path = "orders") {
    const Result<SendReceipt> sent = engine_.Send(path, {OfBytes(bytes)});
    return sent.ok() ? sent->front().status() : sent.status();
  }
  std::int64_t bytes() { return engine_.shard().workers().catalog.bytes(); }

  EngineHarness engine_{{.limits = LimitsOf(100)}};
};

TEST_F(NamespaceSizeTest, WhatWouldMakeItLargerIsRefusedWithTheSizes) {
  ASSERT_TRUE(Send(60).ok());
  ASSERT_TRUE(Send(30, "bills").ok());

  const Status refused = Send(11);

  EXPECT_EQ(refused.code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(refused.outcome(), Outcome::kNotDone);
  EXPECT_EQ(refused.message(),
            "The maximum namespace size has been reached or exceeded. Size of namespace in "
            "bytes:101, Max namespace size in bytes:100");
  EXPECT_TRUE(Send(10).ok());
  EXPECT_EQ(engine_.Send("bills", {OfBytes(1), OfBytes(1)}).status().code(),
            ErrorCode::kQuotaExceeded);
}

TEST_F(NamespaceSizeTest, AListIsStoredAsFarAsThereIsRoom) {
  const Result<SendReceipt> sent = engine_.Send("orders", {OfBytes(60), OfBytes(60), OfBytes(40)});

  ASSERT_THAT(*sent, SizeIs(3));
  EXPECT_TRUE((*sent)[0].ok());
  EXPECT_EQ((*sent)[1].status().code(), ErrorCode::kQuotaExceeded);
  EXPECT_TRUE((*sent)[2].ok());
}

TEST_F(NamespaceSizeTest, EveryWayInIsRefused) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "jobs", .requires_session = true}).ok());
  Message session = OfBytes(50);
  session.session_id = "a";
  ASSERT_TRUE(engine_.Send("jobs", {session}).ok());
  const LockToken token = engine_.AcceptSession("jobs", "a")->token;
  ASSERT_TRUE(engine_.SetSessionState("jobs", token, "0123456789").ok());
  ASSERT_TRUE(Send(25).ok());

  Message later = OfBytes(20);
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(5);
  EXPECT_EQ(engine_.Send("orders", {later})->front().status().code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(engine_.Send("orders", {OfBytes(10), OfBytes(10)}, true).status().code(),
            ErrorCode::kQuotaExceeded);
  EXPECT_EQ(engine_.SetSessionState("jobs", token, std::string(30, 's')).code(),
            ErrorCode::kQuotaExceeded);
  EXPECT_EQ(engine_
                .RunTransaction({}, {{"orders", SendMessages{{OfBytes(10)}}},
                                     {"bills", SendMessages{{OfBytes(10)}}}})
                .status()
                .code(),
            ErrorCode::kQuotaExceeded);
  const TestUpload upload = BeginUpload(engine_.broker());
  engine_.Run();
  EXPECT_EQ(upload.code(), ErrorCode::kQuotaExceeded);

  EXPECT_TRUE(engine_.SetSessionState("jobs", token, "012345678").ok());
  EXPECT_TRUE(Send(10).ok());
}

TEST_F(NamespaceSizeTest, WhatIsThereIsReceivedAndSettledAndMakesRoom) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Send(25).ok());
  const auto received = *engine_.Receive("orders", 3);
  ASSERT_THAT(received, SizeIs(3));

  EXPECT_TRUE(engine_.RenewLock("orders", received[0].token).ok());
  EXPECT_TRUE(engine_.Abandon("orders", received[1].token).ok());
  EXPECT_TRUE(engine_.DeadLetter("orders", received[2].token, "BadOrder").ok());
  EXPECT_GT(bytes(), 100);  // QUO-2
  EXPECT_EQ(Send(1).code(), ErrorCode::kQuotaExceeded);

  EXPECT_TRUE(engine_.Complete("orders", received[0].token).ok());
  EXPECT_EQ(*engine_.Purge("orders/$DeadLetterQueue"), 1);
  EXPECT_EQ(bytes(), 50);
  EXPECT_TRUE(Send(50).ok());
  EXPECT_TRUE(engine_.DeleteQueue("orders").ok());
  EXPECT_EQ(bytes(), 0);
}

TEST_F(NamespaceSizeTest, WhatMovesInsideGoesOn) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Send(25, "bills").ok());

  ASSERT_TRUE(engine_.UpdateQueue({.name = "bills", .forward_to = "orders"}).ok());
  engine_.Advance(seconds(2));

  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 4);
  EXPECT_EQ(bytes(), 100);
}

TEST_F(NamespaceSizeTest, EachCopyCounts) {  // TOP-4
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  for (const auto* name : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
    ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = name}).ok());
  }

  ASSERT_TRUE(Send(60, "news").ok());

  EXPECT_EQ(bytes(), 120);
  EXPECT_EQ(Send(1, "bills").code(), ErrorCode::kQuotaExceeded);
  ASSERT_TRUE(engine_.Delete(EntityKind::kSubscription, "news/Subscriptions/a").ok());
  EXPECT_TRUE(Send(1, "bills").ok());
}

TEST_F(NamespaceSizeTest, AStartCountsWhatItLoads) {
  ASSERT_TRUE(Send(60).ok());
  ASSERT_TRUE(Send(40, "bills").ok());

  engine_.Restart();

  EXPECT_EQ(bytes(), 100);
  EXPECT_THAT(Send(1).message(), HasSubstr("Max namespace size in bytes:100"));
}

TEST_F(NamespaceSizeTest, TheLimitMayChangeAndZeroIsNone) {
  ASSERT_TRUE(Send(100).ok());
  ASSERT_EQ(Send(1).code(), ErrorCode::kQuotaExceeded);

  engine_.shard().SetLimits(LimitsOf(101));
  EXPECT_TRUE(Send(1).ok());
  engine_.shard().SetLimits(LimitsOf(50));
  EXPECT_EQ(Send(1).code(), ErrorCode::kQuotaExceeded);
  engine_.shard().SetLimits(LimitsOf(0));
  EXPECT_TRUE(Send(1000).ok());
}

}  // namespace
}  // namespace wharf
