// What waits for the disk, and what goes to it at one go, is bounded in bytes, whoever sends it.

#include <algorithm>
#include <numeric>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/core/changes/change_bytes.h"
#include "broker/engine/requests/deepest_pass.h"
#include "broker/engine/sending/fan_out.h"
#include "tests/engine/bodies/large_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::Le;
using ::testing::SizeIs;

constexpr std::size_t kInboxBytes = 4 << 20;
constexpr std::size_t kTurnBytes = 1 << 20;

ShardLimits SmallBounds() {
  ShardLimits limits;
  limits.admitted_weight_max = kInboxBytes / kBytesPerWeight;
  limits.turn_weight_max = kTurnBytes / kBytesPerWeight;
  return limits;
}

Message MessageOf(std::size_t bytes) {
  Message message;
  message.body = std::string(bytes, 'x');
  return message;
}

std::size_t BytesIn(const Changes& changes) {
  std::size_t bytes = 0;
  for (const Change& change : changes) bytes += BytesOf(change);
  return bytes;
}

class BoundsTest : public ReceiverFixture {
 protected:
  explicit BoundsTest(const ShardLimits& limits = SmallBounds()) : ReceiverFixture(limits) {}

  // Sends so many requests while the disk stands still; how many hear ServiceBusy.
  std::size_t RefusedOf(std::size_t requests, const std::vector<Message>& messages) {
    engine_.memory_log().Hold();
    for (std::size_t i = 0; i < requests; ++i) {
      broker().Send("orders", messages, false, [this](const Result<SendReceipt>& sent) {
        if (sent.status().code() == ErrorCode::kServiceBusy) ++refused_;
      });
      engine_.Run();
    }
    return refused_;
  }
  std::vector<std::size_t> TurnSizes() const {
    std::vector<std::size_t> sizes;
    for (const Changes& changes : turns_.turns) sizes.push_back(changes.size());
    return sizes;
  }

  std::size_t refused_ = 0;
};

// Ten times what may wait, of messages that are large and few.
TEST_F(BoundsTest, ADiskThatStandsStillBoundsTheBytesOfSends) {  // QUO-11, ERR-10
  constexpr std::size_t kMessage = 256 << 10;
  const std::size_t requests = 10 * kInboxBytes / kMessage;

  const std::size_t refused = RefusedOf(requests, {MessageOf(kMessage)});

  EXPECT_LE((requests - refused) * kMessage, kInboxBytes);
  EXPECT_GE((requests - refused) * kMessage, kInboxBytes / 2);
  engine_.memory_log().Release();
  engine_.Run();
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(),
            static_cast<std::int64_t>(requests - refused));
}

TEST_F(BoundsTest, ADiskThatStandsStillBoundsTheBytesOfLists) {  // QUO-11, ERR-10
  const std::vector<Message> list(4, MessageOf(500'000));        // 2 MB, four messages.

  const std::size_t refused = RefusedOf(100, list);

  EXPECT_EQ(100 - refused, 2U);
}

// They were planned long ago, and are parked behind a commit: what they hold is bounded all the
// same.
TEST_F(BoundsTest, WhatIsAskedByNumberHasItsRoomUntilItIsAnswered) {  // ERR-10
  engine_.memory_log().Hold();
  broker().Send("orders", {MessageOf(10)}, false, [](const Result<SendReceipt>&) {});
  std::size_t answered = 0;
  const auto ask = [&] {
    broker().ReceiveDeferred(
        {"orders"}, {SequenceNumber(1)}, [&](const Result<std::vector<Delivered>>& received) {
          const bool is_busy = received.status().code() == ErrorCode::kServiceBusy;
          ++(is_busy ? refused_ : answered);
        });
    engine_.Run();
  };
  constexpr std::size_t kAsked = 2 * kInboxBytes / kBytesPerWeight;
  for (std::size_t i = 0; i < kAsked; ++i) ask();

  EXPECT_EQ(answered, 0U);
  EXPECT_EQ(kAsked - refused_, kInboxBytes / kBytesPerWeight - 1);
  engine_.memory_log().Release();
  engine_.Run();
  EXPECT_EQ(answered, kInboxBytes / kBytesPerWeight - 1);
  const std::size_t before = refused_;
  ask();
  EXPECT_EQ(refused_, before);
}

TEST_F(BoundsTest, WhoSettlesFindsRoomThatSendersHaveNot) {  // ERR-10
  ASSERT_TRUE(engine_.Send("orders", "locked").ok());
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  ASSERT_GT(RefusedOf(100, {MessageOf(500'000)}), 0U);

  Pending<SettleReceipt> settled;
  broker().Settle("orders", {token}, {}, settled.answer());
  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_TRUE((**settled.result)[0].ok());
}

TEST_F(BoundsTest, TokensThatNobodyGaveOutAreBoundedToo) {  // ERR-10
  engine_.memory_log().Hold();
  const TokenList tokens(Broker::kItemsMax, LockToken(1, 1));
  for (int i = 0; i < 200; ++i) {
    broker().Settle("orders", tokens, {}, [this](const Result<SettleReceipt>& settled) {
      if (settled.status().code() == ErrorCode::kServiceBusy) ++refused_;
    });
  }

  EXPECT_GT(refused_, 150U);
}

// Rows of a large body weigh nothing in the inbox, because their door bounds them; and whoever
// moves messages brings many at a time.
class TurnBytesTest : public BoundsTest {
 protected:
  TurnBytesTest() : BoundsTest(ShardLimits()) {
    EXPECT_TRUE(engine_.UpdateQueue(LargeQueue()).ok());
    turns_.turns.clear();
  }
};

TEST_F(TurnBytesTest, ATurnStopsTakingAtItsBytes) {
  std::vector<TestUpload> uploads;
  uploads.reserve(4);
  for (int i = 0; i < 4; ++i) uploads.push_back(BeginUpload(broker(), 20 << 20));
  const std::string body(20 << 20, 'b');
  for (const TestUpload& upload : uploads) upload.Write(body);
  engine_.Run();

  for (const TestUpload& upload : uploads) EXPECT_EQ(upload.code(), ErrorCode::kOk);
  std::vector<std::size_t> bytes;
  for (const Changes& changes : turns_.turns) bytes.push_back(BytesIn(changes));
  EXPECT_THAT(bytes, Each(Le(Turn::kBytesMax + kBodyChunkBytes + 1000)));
}

// Few turns may be many bytes.
class BytesInFlightTest : public BoundsTest {
 protected:
  static constexpr std::size_t kMax = 100'000;

  BytesInFlightTest() : BoundsTest(Limits()) {
    EXPECT_TRUE(engine_.Create(EntityKind::kQueue, {.name = "bills"}).ok());
    turns_.turns.clear();
  }
  static ShardLimits Limits() {
    ShardLimits limits;
    limits.bytes_in_flight_max = kMax;
    return limits;
  }
};

TEST_F(BytesInFlightTest, NothingIsPlannedBehindWhatIsLarge) {
  engine_.memory_log().Hold();
  Pending<SendReceipt> large;
  broker().Send("orders", {MessageOf(kMax + 1)}, false, large.answer());
  engine_.Run();
  ASSERT_THAT(turns_.turns, SizeIs(1));
  std::vector<Pending<SendReceipt>> small(3);
  for (Pending<SendReceipt>& sent : small) {
    broker().Send("bills", {MessageOf(1)}, false, sent.answer());
    engine_.Run();
  }

  EXPECT_THAT(turns_.turns, SizeIs(1));

  engine_.memory_log().Release();
  engine_.Run();
  EXPECT_TRUE(large.result->ok());
  for (const Pending<SendReceipt>& sent : small) EXPECT_TRUE(sent.result->ok());
}

class FanOutTest : public BoundsTest {
 protected:
  static constexpr std::size_t kSubscriptions = 100;

  explicit FanOutTest(const ShardLimits& limits = {}) : BoundsTest(limits) {
    EXPECT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "topic"}).ok());
    Subscribe(0, kSubscriptions);
    turns_.turns.clear();
  }

  void Subscribe(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      EXPECT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = PathOf(i)}).ok());
    }
  }

  static std::string PathOf(std::size_t subscription) {
    return fmt::format("topic/Subscriptions/s{}", subscription);
  }
  std::int64_t CopiesIn(std::size_t subscription) {
    return engine_.Get(EntityKind::kSubscription, PathOf(subscription))->main.messages();
  }
  std::vector<std::size_t> CopiesInTurns() const {
    std::vector<std::size_t> copies;
    for (const Changes& turn : turns_.turns) {
      copies.push_back(TurnRecorder::CountIn<MessageCopied>(turn));
    }
    return copies;
  }
};

// One small request may make millions of copies.
TEST_F(FanOutTest, ASendToATopicGoesOnInTheNextTurn) {  // TOP-1
  const auto sent = engine_.Send("topic", std::vector<Message>(1000, MessageOf(1)));

  ASSERT_TRUE(sent.ok());
  ASSERT_THAT(*sent, SizeIs(1000));
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ((*sent)[i]->number, SequenceNumber(i + 1)) << i;
  EXPECT_EQ(CopiesIn(0), 1000);
  EXPECT_EQ(CopiesIn(kSubscriptions - 1), 1000);
  EXPECT_THAT(CopiesInTurns(), Each(Le(Turn::kCopiesMax)));
}

TEST(ChangeBytesTest, ASpanThatIsGivenUpCarriesTheRowsThatAreDeletedOneByOne) {
  const Boxed<Span> span(Span{SequenceNumber(1), SequenceNumber(4096), {}, {}});
  const Shelf shelf{EntityId(1), LaneKind::kMain};

  EXPECT_GT(BytesOf(SpanForgotten{shelf, span, std::uint8_t{1}}), 4096U * 16);
  EXPECT_LT(BytesOf(SpanForgotten{shelf, span, {}}), 4096U);
}

// Half a turn's copies are planned while the half before is written, and no more.
TEST_F(FanOutTest, ASliceIsPlannedWhileTheOneBeforeIsWritten) {
  engine_.memory_log().Hold();
  Pending<SendReceipt> sent;
  broker().Send("topic", std::vector<Message>(100, MessageOf(1)), false, sent.answer());
  engine_.Run();

  const std::vector<std::size_t> copies = CopiesInTurns();
  EXPECT_THAT(copies, SizeIs(2));
  EXPECT_THAT(copies, Each(AllOf(Gt(0U), Le(Turn::kCopiesMax / 2))));
  EXPECT_FALSE(sent.result);

  engine_.memory_log().Release();
  engine_.Run();
  ASSERT_TRUE(sent.result);
  EXPECT_THAT(**sent.result, SizeIs(100));
  EXPECT_EQ(CopiesIn(0), 100);
}

// What two sends have under way is bounded together.
TEST_F(FanOutTest, ASendToAnotherTopicWaitsForRoomToo) {
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "other"}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "other/Subscriptions/s"}).ok());
  turns_.turns.clear();
  engine_.memory_log().Hold();
  Pending<SendReceipt> sent[2];
  broker().Send("topic", std::vector<Message>(100, MessageOf(1)), false, sent[0].answer());
  broker().Send("other", std::vector<Message>(4000, MessageOf(1)), false, sent[1].answer());
  engine_.Run();

  // Two slices, and what the other send began with.
  const std::vector<std::size_t> copies = CopiesInTurns();
  EXPECT_LE(std::accumulate(copies.begin(), copies.end(), std::size_t{0}), Turn::kCopiesMax + 500);

  engine_.memory_log().Release();
  engine_.Run();
  EXPECT_THAT(**sent[0].result, SizeIs(100));
  EXPECT_THAT(**sent[1].result, SizeIs(4000));
}

TEST_F(FanOutTest, WhatIsSentBehindItStaysBehindIt) {  // SND-4
  Pending<SendReceipt> first;
  Pending<SendReceipt> second;
  broker().Send("topic", std::vector<Message>(1000, MessageOf(1)), false, first.answer());
  broker().Send("topic", {MessageOf(2)}, false, second.answer());
  engine_.Run();

  EXPECT_EQ((**second.result)[0]->number, SequenceNumber(1001));
  EXPECT_EQ((**first.result)[999]->number, SequenceNumber(1000));
}

// However small they are: a message takes more than its bytes.
TEST_F(FanOutTest, CopiesThatNobodyWaitsForAreNotKeptInMemory) {
  ASSERT_TRUE(engine_.Send("topic", std::vector<Message>(1000, MessageOf(1))).ok());

  std::size_t memory = 0;
  for (Queue* queue : engine_.shard().workers().catalog.queues()) {
    memory += queue->lane(LaneKind::kMain).window_memory();
  }
  EXPECT_LE(memory, ShardLimits().windows_bytes_max);
  EXPECT_EQ(CopiesIn(0), 1000);
}

TEST_F(FanOutTest, OthersAreServedBetweenItsTurns) {
  std::vector<std::string> answered;
  const auto note = [&answered](std::string name) {
    return [&answered, name = std::move(name)](const Result<SendReceipt>& sent) {
      answered.push_back(sent.ok() ? name : sent.status().ToString());
    };
  };
  broker().Send("topic", std::vector<Message>(1000, MessageOf(1)), false, note("all"));
  broker().Send("topic", {MessageOf(1)}, false, note("behind them"));
  broker().Send("orders", {MessageOf(1)}, false, note("elsewhere"));
  engine_.Run();

  EXPECT_THAT(answered, ElementsAre("elsewhere", "all", "behind them"));
}

TEST_F(FanOutTest, IfTheTopicGoesMeanwhileTheRestIsRefused) {
  Pending<SendReceipt> first;
  Pending<SendReceipt> second;
  broker().Send("topic", std::vector<Message>(1000, MessageOf(1)), false, first.answer());
  broker().Send("topic", {MessageOf(2)}, false, second.answer());
  broker().Delete(EntityKind::kTopic, "topic", [](const Result<std::monostate>&) {});
  engine_.Run();

  ASSERT_TRUE(first.result && first.result->ok());
  EXPECT_TRUE((**first.result)[0].ok());
  EXPECT_EQ((**first.result)[999].status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(second.result->status().code(), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(FanOutTest, OfASendThatIsBrokenOffWhatWasSentStands) {  // ERR-17
  engine_.memory_log().Hold();
  Pending<SendReceipt> sent;
  broker().Send("topic", std::vector<Message>(3000, MessageOf(1)), false, sent.answer());
  engine_.Run();
  engine_.memory_log().Close({ErrorCode::kServiceCommunicationProblem, "the disk is gone"});
  engine_.Run();

  ASSERT_TRUE(sent.result);
  EXPECT_FALSE(sent.result->ok());
  EXPECT_EQ(sent.result->status().outcome(), Outcome::kUnknown);
}

TEST_F(FanOutTest, AnAtomicSendOfTooManyCopiesIsRefusedBeforeItBegins) {  // SND-5
  const auto sent = engine_.Send("topic", std::vector<Message>(3000, MessageOf(1)), true);

  EXPECT_EQ(sent.status().code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_EQ(CopiesIn(0), 0);
  EXPECT_TRUE(engine_.Send("topic", std::vector<Message>(1000, MessageOf(1)), true).ok());
}

// Its copies are made when its time comes, in as many turns as it takes.
TEST_F(FanOutTest, WhatIsForLaterMakesNoCopiesNow) {  // SND-5, SCH-1
  Message later = MessageOf(1);
  later.scheduled_enqueue_time = engine_.clock().Now() + std::chrono::hours(1);

  EXPECT_TRUE(engine_.Send("topic", std::vector<Message>(3000, later), true).ok());
}

// It could not be stored, and if it was stored for later, no start would get beyond it.
TEST_F(FanOutTest, AMessageThatIsTooMuchByItselfIsRefused) {  // RUL-5, TOP-1
  for (std::size_t i = 0; i < RuleLimits().sql_filters_max; ++i) {
    ASSERT_TRUE(engine_
                    .AddRule(PathOf(0), {.name = fmt::format("r{}", i),
                                         .filter = CorrelationFilter{.subject = "wide"},
                                         .action = SqlText{.text = "SET a = 1"}})
                    .ok());
  }
  Message wide = MessageOf(1);
  wide.application_properties = {{"wide", std::string(32'000, 'w')},
                                 {"long", std::string(32'000, 'l')}};
  Message later = wide;
  later.scheduled_enqueue_time = engine_.clock().Now() + std::chrono::hours(1);

  for (const Message& message : {wide, later}) {
    EXPECT_EQ(engine_.Send("topic", {message}).status().code(), ErrorCode::kMessageSizeExceeded);
  }
  wide.body.clear();
  const TestUpload upload = BeginUpload(broker(), 1000, wide, "topic");
  engine_.Run();
  EXPECT_EQ(upload.code(), ErrorCode::kMessageSizeExceeded);
  // What it has beside its body may come at the end.
  const TestUpload apart = BeginApart(broker(), 1000, "topic");
  apart.Write(std::string(1000, 'x'));
  apart.upload->End(wide);
  engine_.Run();
  EXPECT_EQ(apart.code(), ErrorCode::kMessageSizeExceeded);

  EXPECT_TRUE(engine_.Send("topic", {MessageOf(1)}).ok());
  EXPECT_EQ(CopiesIn(0), 1);
}

// A transaction is one turn, too.
class TransactionFanOutTest : public FanOutTest {
 protected:
  TransactionFanOutTest() : FanOutTest(ManyMessages()) {}

  static ShardLimits ManyMessages() {
    ShardLimits limits;
    limits.transactions.messages_max = 4500;
    return limits;
  }
  static Operation Send(std::size_t messages) {
    return {"topic", SendMessages{std::vector<Message>(messages, MessageOf(1))}};
  }

  // Of messages, each with a place for the topic's own number.
  static constexpr std::size_t kMost = FanOut::kCopiesMax / (kSubscriptions + 1);
};

TEST_F(TransactionFanOutTest, TooManyCopiesOfAllOperationsAreRefusedBeforeTheyBegin) {  // TXN-9
  const auto done =
      engine_.RunTransaction(std::nullopt, {Send(kMost / 2), Send(kMost - kMost / 2 + 1)});

  EXPECT_EQ(done.status().code(), ErrorCode::kTransactionSizeExceeded);
  EXPECT_EQ(CopiesIn(0), 0);
  EXPECT_TRUE(engine_.RunTransaction(std::nullopt, {Send(kMost / 2), Send(10)}).ok());
  EXPECT_EQ(CopiesIn(0), static_cast<std::int64_t>(kMost / 2 + 10));
}

TEST_F(TransactionFanOutTest, AnOperationThatIsTooMuchIsRefusedWhenItIsAdded) {  // TXN-9
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Send(kMost - 1)).ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Send(1)).ok());

  EXPECT_EQ(engine_.AddToTransaction("tx", Send(1)).status().code(),
            ErrorCode::kTransactionSizeExceeded);

  EXPECT_EQ(engine_.CommitTransaction("tx").status().code(), ErrorCode::kTransactionAborted);
  EXPECT_EQ(CopiesIn(0), 0);
}

TEST_F(TransactionFanOutTest, SubscriptionsThatCameMeanwhileCountAtTheCommit) {  // TXN-9
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Send(kMost)).ok());
  Subscribe(kSubscriptions, kSubscriptions + 1);

  EXPECT_EQ(engine_.CommitTransaction("tx").status().code(), ErrorCode::kTransactionAborted);
  EXPECT_EQ(CopiesIn(0), 0);
}

// However few its messages are.
TEST_F(TransactionFanOutTest, WhatTheCopiesHoldIsBounded) {  // TXN-9
  constexpr std::size_t kWide = 20'000;
  Message wide;
  wide.application_properties = {{"wide", std::string(kWide, 'w')}};
  const Operation ten{"topic", SendMessages{std::vector<Message>(10, wide)}};
  constexpr std::size_t kTooMany = FanOut::kBytesMax / (10 * kSubscriptions * kWide) + 1;

  const auto done = engine_.RunTransaction(std::nullopt, std::vector<Operation>(kTooMany, ten));

  EXPECT_EQ(done.status().code(), ErrorCode::kTransactionSizeExceeded);
  EXPECT_EQ(CopiesIn(0), 0);
  EXPECT_TRUE(engine_.RunTransaction(std::nullopt, {ten}).ok());
}

TEST_F(TransactionFanOutTest, FiltersThatAreAskedCountAsWell) {  // TXN-9, RUL-16
  constexpr std::size_t kFilters = 500;
  for (std::size_t i = 0; i < kFilters; ++i) {
    ASSERT_TRUE(engine_
                    .AddRule(PathOf(0), {.name = fmt::format("r{}", i),
                                         .filter = SqlText{.text = "color = 'red'"}})
                    .ok());
  }
  const std::size_t too_many = FanOut::kFiltersMax / kFilters + 1;

  EXPECT_EQ(engine_.RunTransaction(std::nullopt, {Send(too_many)}).status().code(),
            ErrorCode::kTransactionSizeExceeded);
  EXPECT_EQ(CopiesIn(0), 0);
}

TEST_F(TransactionFanOutTest, AHundredMessagesReachTwoThousandSubscriptions) {  // TXN-9, TOP-6
  Subscribe(kSubscriptions, 2000);
  turns_.turns.clear();

  const auto done = engine_.RunTransaction(std::nullopt, {Send(50), Send(50)});

  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(CopiesIn(0), 100);
  EXPECT_EQ(CopiesIn(1999), 100);
  EXPECT_EQ(turns_.Count<MessageCopied>(), 200'000U);
}

TEST_F(FanOutTest, ScheduledMessagesOfATopicAreActivatedAsTheTurnHasRoom) {  // SCH-5
  Message later = MessageOf(1);
  later.scheduled_enqueue_time = engine_.clock().Now() + seconds(10);
  ASSERT_TRUE(engine_.Send("topic", std::vector<Message>(1000, later)).ok());
  turns_.turns.clear();

  engine_.Advance(seconds(10));

  EXPECT_EQ(CopiesIn(0), 1000);
  EXPECT_THAT(CopiesInTurns(), Each(Le(Turn::kCopiesMax)));
  // What a turn had no room for is not read again and again.
  EXPECT_LE(turns_.turns.size(), 2 * 1000 * kSubscriptions / Turn::kCopiesMax);
}

TEST_F(FanOutTest, DeadLettersGoBackToTheTopicAsTheTurnHasRoom) {  // JOB-1
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(300, MessageOf(1))).ok());
  const std::vector<Delivered> received = *engine_.Receive("orders", 300);
  for (const Delivered& delivered : received) {
    ASSERT_TRUE(engine_.DeadLetter("orders", delivered.token).ok());
  }
  turns_.turns.clear();

  ASSERT_TRUE(
      engine_
          .BeginJob(
              {.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue", .target = "topic"})
          .ok());
  engine_.Run();

  EXPECT_EQ(CopiesIn(0), 300);
  EXPECT_THAT(CopiesInTurns(), Each(Le(Turn::kCopiesMax)));
}

// What costs time and leaves no copy.
class RuleWorkTest : public BoundsTest {
 protected:
  static constexpr std::size_t kFilters = 1000;

  RuleWorkTest() : BoundsTest(ShardLimits()) {
    EXPECT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "topic"}).ok());
    EXPECT_TRUE(engine_
                    .Create(EntityKind::kSubscription, {.name = "topic/Subscriptions/s"},
                            RuleDescription{.name = "none", .filter = FalseFilter()})
                    .ok());
    for (std::size_t i = 0; i < kFilters; ++i) {
      EXPECT_TRUE(engine_
                      .AddRule("topic/Subscriptions/s",
                               {.name = fmt::format("r{}", i),
                                .filter = SqlText{.text = fmt::format("color = 'red{}'", i)}})
                      .ok());
    }
    turns_.turns.clear();
  }
};

TEST_F(RuleWorkTest, ASendThatAsksManyFiltersTakesSeveralTurns) {  // RUL-16
  std::vector<std::string> answered;
  const auto note = [&answered](std::string name) {
    return [&answered, name = std::move(name)](const Result<SendReceipt>& sent) {
      answered.push_back(sent.ok() ? name : sent.status().ToString());
    };
  };
  broker().Send("topic", std::vector<Message>(1000, MessageOf(1)), false, note("topic"));
  broker().Send("orders", {MessageOf(1)}, false, note("orders"));
  engine_.Run();

  EXPECT_THAT(answered, ElementsAre("orders", "topic"));
  // Three instructions a filter.
  constexpr std::size_t kStepsMin = 1000 * kFilters * 3 * RuleWork::kStepsPerInstruction;
  EXPECT_GE(turns_.turns.size(), kStepsMin / Turn::kRuleStepsMax);
}

TEST_F(RuleWorkTest, AnAtomicSendThatAsksTooManyIsRefusedBeforeItBegins) {  // SND-5
  const auto sent = engine_.Send("topic", std::vector<Message>(263, MessageOf(1)), true);

  EXPECT_EQ(sent.status().code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_TRUE(engine_.Send("topic", std::vector<Message>(262, MessageOf(1)), true).ok());
}

// Ten times as many entities as are walked at a time.
TEST_F(BoundsTest, WalksForTheDeepestSessionsAreBounded) {  // ERR-10
  constexpr std::size_t kQueues = 10 * DeepestPass::kPassesMax;
  for (std::size_t i = 0; i < kQueues; ++i) {
    ASSERT_TRUE(
        engine_.CreateQueue({.name = fmt::format("jobs{}", i), .requires_session = true}).ok());
  }
  std::size_t told = 0;
  for (std::size_t i = 0; i < 2 * kQueues; ++i) {
    broker().ListDeepestSessions(fmt::format("jobs{}", i / 2), 10,
                                 [&](const Result<DeepestSessions>& deepest) {
                                   ++(deepest.ok() ? told : refused_);
                                   if (deepest.ok()) return;
                                   EXPECT_EQ(deepest.status().code(), ErrorCode::kServiceBusy);
                                 });
  }
  engine_.Run();

  // Two ask for each.
  EXPECT_EQ(told, 2 * DeepestPass::kPassesMax);
  EXPECT_EQ(refused_, 2 * (kQueues - DeepestPass::kPassesMax));
}

// A broker that was down for long finds every lock at its end.
TEST_F(BoundsTest, LocksThatEndedWhileTheBrokerWasDownEndInSeveralTurns) {  // LCK-6
  constexpr int kQueues = 40;
  for (int i = 0; i < kQueues; ++i) {
    const std::string name = fmt::format("q{}", i);
    ASSERT_TRUE(engine_.CreateQueue({.name = name, .lock_duration = seconds(30)}).ok());
    ASSERT_TRUE(engine_.Send(name, std::vector<Message>(1000, MessageOf(1))).ok());
    ASSERT_THAT(*engine_.Receive(name, 1000), SizeIs(Gt(500U)));
  }
  engine_.clock().Advance(seconds(60));
  turns_.turns.clear();

  engine_.Restart();

  EXPECT_GT(turns_.Count<MessageReturned>(), 20'000U);
  EXPECT_THAT(TurnSizes(), Each(Le(Turn::kChangesMax + 2048)));
}

}  // namespace
}  // namespace wharf
