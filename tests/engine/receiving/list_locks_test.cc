// Who holds what, as an operator sees it; and one connection that takes everything.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Received = std::vector<Delivered>;

ShardLimits FewLocks() {
  ShardLimits limits;
  limits.broker.queue.locked_messages_max = 40;
  limits.locked_per_connection_max = 20;
  return limits;
}

class ListLocksTest : public ReceiverFixture {
 protected:
  ListLocksTest() : ReceiverFixture(FewLocks()) {}

  LockPage Locks(std::size_t count_max = 100, const LockPlace& after = {}) {
    const auto page = engine_.Await<LockPage>([&](Answer<LockPage> answer) {
      broker().ListLocks("orders", after, count_max, std::move(answer));
    });
    EXPECT_TRUE(page.ok()) << page.status().ToString();
    return page.ok() ? *page : LockPage();
  }
  TestReceiver AttachFrom(const std::string& peer) {
    auto sink = std::make_shared<RecordingSink>();
    const auto attached = engine_.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
      broker().Attach({"orders", ReceiveMode::kPeekLock, {}, peer}, sink, std::move(answer));
    });
    EXPECT_TRUE(attached.ok());
    TestReceiver receiver{attached->id, sink};
    Grant(receiver, 1000);
    return receiver;
  }
  Result<Received> CallFrom(const std::string& peer, std::uint64_t messages_max) {
    return engine_.Await<Received>([&](Answer<Received> answer) {
      broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, messages_max, std::uint64_t{1} << 20,
                            Duration(0), std::nullopt, peer},
                           std::move(answer));
    });
  }
};

TEST_F(ListLocksTest, ALockTellsItsHolder) {
  Send(2);
  const TestReceiver stream = AttachFrom("here");
  broker().Revoke(stream.id, {1000, std::nullopt});
  Send();
  ASSERT_THAT(*CallFrom("there", 1), SizeIs(1));

  const LockPage page = Locks();

  ASSERT_THAT(page.locks, SizeIs(3));
  EXPECT_EQ(page.locks[0].holder->kind, HolderKind::kStream);
  EXPECT_EQ(page.locks[0].holder->peer, "here");
  EXPECT_EQ(page.locks[0].until - page.locks[0].since, seconds(30));
  EXPECT_EQ(page.locks[2].holder->kind, HolderKind::kCall);
  EXPECT_EQ(page.locks[2].holder->peer, "there");
  EXPECT_FALSE(page.next);
}

TEST_F(ListLocksTest, PagesFollowEachOtherInTheOrderOfTheEnds) {
  Send(5);
  const Received locked = *CallFrom("here", 5);
  engine_.Advance(seconds(5));
  ASSERT_TRUE(engine_.RenewLock("orders", locked[0].token).ok());
  std::vector<std::uint64_t> numbers;
  LockPlace after;

  for (bool has_more = true; has_more;) {
    const LockPage page = Locks(2, after);
    for (const LockInfo& lock : page.locks) numbers.push_back(lock.number.value());
    has_more = page.next.has_value();
    if (has_more) after = *page.next;
  }

  EXPECT_THAT(numbers, ::testing::ElementsAre(2, 3, 4, 5, 1));
}

TEST_F(ListLocksTest, AfterARestartNobodyIsKnown) {
  Send();
  ASSERT_THAT(*CallFrom("here", 1), SizeIs(1));

  engine_.Restart();

  const LockPage page = Locks();
  ASSERT_THAT(page.locks, SizeIs(1));
  EXPECT_FALSE(page.locks[0].holder);
  EXPECT_EQ(page.locks[0].since, kNever);
}

TEST_F(ListLocksTest, ATopicHoldsNothing) {
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());

  const auto page = engine_.Await<LockPage>(
      [&](Answer<LockPage> answer) { broker().ListLocks("news", {}, 1, std::move(answer)); });

  EXPECT_EQ(page.status().code(), ErrorCode::kInvalidOperation);
}

TEST_F(ListLocksTest, OneConnectionCannotTakeEverything) {
  Send(60);

  const TestReceiver first = AttachFrom("greedy");
  const TestReceiver second = AttachFrom("greedy");
  EXPECT_EQ(first.sink->deliveries.size() + second.sink->deliveries.size(), 20U);
  EXPECT_EQ(CallFrom("greedy", 1).status().code(), ErrorCode::kQuotaExceeded);

  EXPECT_THAT(*CallFrom("modest", 10), SizeIs(10));
  EXPECT_TRUE(Locks().locks[0].holder->is_at_limit);
}

TEST_F(ListLocksTest, CreditIsHeldBackUntilSomethingIsSettled) {
  Send(60);
  const TestReceiver first = AttachFrom("greedy");
  const TestReceiver second = AttachFrom("greedy");
  ASSERT_THAT(first.sink->deliveries, SizeIs(20));
  ASSERT_THAT(second.sink->deliveries, IsEmpty());

  for (int i = 0; i < 3; ++i) ASSERT_TRUE(engine_.Complete("orders", first.token(i)).ok());

  EXPECT_EQ(first.sink->deliveries.size() + second.sink->deliveries.size(), 23U);
}

TEST_F(ListLocksTest, CreditElsewhereIsHeldBackByTheSameConnection) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
  ASSERT_TRUE(engine_.Send("bills", {TenBytes()}).ok());
  Send(60);
  const TestReceiver full = AttachFrom("greedy");
  auto sink = std::make_shared<RecordingSink>();
  const auto other = engine_.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
    broker().Attach({"bills", ReceiveMode::kPeekLock, {}, "greedy"}, sink, std::move(answer));
  });
  broker().Revoke(full.id, {1000, std::nullopt});
  Grant({other->id, sink}, 10);
  ASSERT_THAT(sink->deliveries, IsEmpty());

  ASSERT_TRUE(engine_.Complete("orders", full.token(0)).ok());

  EXPECT_THAT(sink->deliveries, SizeIs(1));
}

TEST_F(ListLocksTest, LocksThatGoWithTheirQueueMakeRoomElsewhere) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(engine_.Send("bills", {TenBytes()}).ok());
  auto sink = std::make_shared<RecordingSink>();
  const auto full = engine_.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
    broker().Attach({"bills", ReceiveMode::kPeekLock, {}, "greedy"}, sink, std::move(answer));
  });
  Grant({full->id, sink}, 100);
  ASSERT_THAT(sink->deliveries, SizeIs(20));
  Send();
  const TestReceiver waiting = AttachFrom("greedy");
  ASSERT_THAT(waiting.sink->deliveries, IsEmpty());

  ASSERT_TRUE(engine_.DeleteQueue("bills").ok());

  EXPECT_THAT(waiting.sink->deliveries, SizeIs(1));
}

TEST_F(ListLocksTest, AnswersThatAreTooManyEndAtTheBound) {
  Send(60);

  EXPECT_THAT(*CallFrom("greedy", 50), SizeIs(20));
}

TEST_F(ListLocksTest, MessagesByTheirNumbersCountToo) {
  Send(30);
  ASSERT_THAT(*CallFrom("greedy", 20), SizeIs(20));

  const auto one = engine_.Await<Received>([&](Answer<Received> answer) {
    broker().ReceiveOne({"orders", ReceiveMode::kPeekLock, std::nullopt, "greedy"},
                        SequenceNumber(25), std::move(answer));
  });

  EXPECT_EQ(one.status().code(), ErrorCode::kQuotaExceeded);
}

TEST_F(ListLocksTest, WhatIsTakenForGoodHasNoBound) {
  Send(60);
  const auto taken = engine_.Await<Received>([&](Answer<Received> answer) {
    broker().ReceiveOnce({"orders", ReceiveMode::kReceiveAndDelete, 60, std::uint64_t{1} << 20,
                          Duration(0), std::nullopt, "greedy"},
                         std::move(answer));
  });

  EXPECT_THAT(*taken, SizeIs(60));
}

}  // namespace
}  // namespace wharf
