// Large messages: their bodies come in pieces, rest in the store, and are read piece by piece.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "tests/engine/bodies/large_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LargeMessageTest : public LargeFixture {
 protected:
  // Receives one message.
  TestReceiver ReceiveOne(ReceiveMode mode = ReceiveMode::kPeekLock,
                          const std::string& path = "orders") {
    TestReceiver receiver = Attach(mode, path);
    Grant(receiver, 1);
    EXPECT_EQ(receiver.sink->deliveries.size(), 1U);
    return receiver;
  }
  static const StoredMessage& MessageOf(const TestReceiver& receiver) {
    return *receiver.sink->deliveries.at(0).message;
  }
  static const BodyRef& BodyOf(const TestReceiver& receiver) {
    return *MessageOf(receiver).facts.body_ref;
  }
  void ExpectNothingLeft() {
    EXPECT_EQ(BodyRows(), 0U);
    EXPECT_EQ(LooseBodies(), 0U);
    QueueSnapshot queue;
    queue.record.id = id_;
    const Result<QueueSnapshot> there = engine_.GetQueue("orders");
    EXPECT_EQ(FindStrayRows(engine_.store(), there.ok() ? *there : queue), "");
  }
};

TEST_F(LargeMessageTest, ComesInPiecesAndIsDeliveredWithoutItsBody) {  // SIZ-8
  Message message;
  message.message_id = "m1";
  SendLarge(message);

  const TestReceiver receiver = ReceiveOne();

  EXPECT_FALSE(MessageOf(receiver).has_body());
  EXPECT_EQ(MessageOf(receiver).message.body, "");
  EXPECT_EQ(MessageOf(receiver).message.message_id, "m1");
  EXPECT_EQ(MessageOf(receiver).facts.size, static_cast<std::int64_t>(kLargeBytes + 2));
  EXPECT_TRUE(*ReadBody(BodyOf(receiver)) == LargeBody());
  EXPECT_EQ(engine_.GetQueue("orders")->main.bytes, static_cast<std::int64_t>(kLargeBytes + 2));
  EXPECT_EQ(LooseBodies(), 0U);
  EXPECT_TRUE(engine_.Complete("orders", receiver.token(0)).ok());
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, AReceiverThatWaitsGetsIt) {
  const TestReceiver receiver = AttachWith(1);

  SendLarge();

  ASSERT_THAT(receiver.events(), ElementsAre("1"));
  EXPECT_TRUE(*ReadBody(BodyOf(receiver)) == LargeBody());
}

TEST_F(LargeMessageTest, WhatIsSentBehindItIsStoredBehindIt) {  // SND-4
  const TestUpload upload = Begin();
  upload.Write(LargeBody());
  Pending<SendReceipt> behind;
  broker().Send("orders", {TenBytes()}, false, behind.answer());

  engine_.Run();

  EXPECT_EQ((**upload.receipt)->number, SequenceNumber(1));
  EXPECT_EQ((**behind.result).front()->number, SequenceNumber(2));
}

TEST_F(LargeMessageTest, PiecesOfAnySizeMakeFullRows) {
  const TestUpload upload = Begin();
  const std::size_t rows = upload.Write(LargeBody(), 100000);
  engine_.Run();

  EXPECT_EQ(rows, 5U);
  EXPECT_EQ(*upload.rows_stored, 5);
  EXPECT_EQ(BodyRows(), 5U);
  EXPECT_TRUE(*ReadBody(BodyOf(ReceiveOne())) == LargeBody());
}

TEST_F(LargeMessageTest, OneThatEndsApartIsThereWhenItHasEnded) {  // ENC-3
  for (const std::size_t bytes : {std::size_t{1000}, kLargeBytes}) {
    const TestUpload apart = BeginApart(broker(), bytes);
    apart.Write(LargeBody(bytes));
    engine_.Run();
    EXPECT_FALSE(apart.receipt->has_value());

    CarriedProperties carried;
    carried.footer.emplace_back("crc", std::int64_t{7});
    Message whole;
    whole.carried = std::make_shared<const CarriedProperties>(std::move(carried));
    apart.upload->End(std::move(whole));
    engine_.Run();

    ASSERT_EQ(apart.code(), ErrorCode::kOk);
    const MessagePtr stored = engine_.Peek("orders", 0)->messages.back().message;
    EXPECT_EQ(stored->message.carried->footer.size(), 1U);
  }
}

TEST_F(LargeMessageTest, OneThatEndsApartLeavesNothingWhenItFails) {
  const TestUpload apart = BeginApart(broker(), kLargeBytes);
  apart.Write(LargeBody());
  engine_.Run();

  apart.upload->Fail({ErrorCode::kServiceCommunicationProblem, "the client has gone"});
  engine_.Run();

  EXPECT_EQ(apart.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(LooseBodies(), 0U);
}

// --- whose end tells how long they are

TEST_F(LargeMessageTest, OneOfUnknownLengthIsAsLongAsItBecame) {  // SIZ-8
  const std::size_t row = kBodyChunkBytes;
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{kHeldBodyBytesMax},
                                  std::size_t{kHeldBodyBytesMax} + 1, 6 * row, kLargeBytes}) {
    SCOPED_TRACE(bytes);
    const TestUpload open = BeginOpen(broker());
    const std::size_t rows = open.Write(LargeBody(bytes), 100'000);
    engine_.Run();
    EXPECT_EQ(*open.rows_stored, static_cast<int>(rows));
    EXPECT_FALSE(open.receipt->has_value());
    EXPECT_EQ(LooseBodies(), bytes > kHeldBodyBytesMax ? 1U : 0U);
    open.upload->End({});
    engine_.Run();

    ASSERT_EQ(open.code(), ErrorCode::kOk);
    const bool is_large = bytes > kHeldBodyBytesMax;
    const TestReceiver receiver = ReceiveOne();
    EXPECT_EQ(MessageOf(receiver).facts.has_large_body(), is_large);
    EXPECT_EQ(MessageOf(receiver).facts.size, static_cast<std::int64_t>(bytes));
    EXPECT_TRUE((is_large ? *ReadBody(BodyOf(receiver)) : MessageOf(receiver).message.body) ==
                LargeBody(bytes));
    EXPECT_TRUE(engine_.Complete("orders", receiver.token(0)).ok());
    ExpectNothingLeft();
  }
}

TEST_F(LargeMessageTest, OneOfUnknownLengthThatFailsLeavesNothing) {
  for (const bool restarts : {false, true}) {
    const TestUpload open = BeginOpen(broker());
    open.Write(LargeBody());
    engine_.Run();
    EXPECT_EQ(LooseBodies(), 1U);
    if (restarts) {
      engine_.Restart();
    } else {
      open.upload->Fail({ErrorCode::kServiceCommunicationProblem, "the client has gone"});
    }
    engine_.Run();
    EXPECT_EQ(BodyRows(), 0U);
    EXPECT_EQ(LooseBodies(), 0U);
  }
}

TEST_F(LargeMessageTest, OneOfUnknownLengthIsRefusedWhereItIsTooLong) {
  QueueDescription queue = LargeQueue();
  queue.max_message_size_in_kilobytes = 1024;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  const TestUpload open = BeginOpen(broker());
  open.Write(LargeBody(kHeldBodyBytesMax + kBodyChunkBytes));
  engine_.Run();
  EXPECT_EQ(open.code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_EQ(BodyRows(), 0U);
}

TEST_F(LargeMessageTest, ABodyThatMayBeHeldIsSentAsAnyOther) {  // SIZ-8
  const std::string body = LargeBody(kHeldBodyBytesMax);
  const TestUpload upload = Begin(body.size());
  upload.Write(body);
  const TestUpload empty = Begin(0);
  engine_.Run();
  ASSERT_EQ(upload.code(), ErrorCode::kOk);
  ASSERT_EQ(empty.code(), ErrorCode::kOk);

  const auto received = engine_.Receive("orders", 2);

  ASSERT_EQ(received->size(), 2U);
  EXPECT_TRUE((*received)[0].message->message.body == body);
  EXPECT_EQ((*received)[1].message->message.body, "");
  EXPECT_EQ(turns_.Count<BodyChunkStored>(), 0U);
}

TEST_F(LargeMessageTest, ItsHeaderIsCheckedAtOnce) {  // SIZ-6, SIZ-8, ERR-8
  Message bad;
  bad.session_id = std::string(129, 'x');
  const TestUpload nowhere = Begin(kLargeBytes, {}, "nowhere");
  const TestUpload to_dead_letters = Begin(kLargeBytes, {}, "orders/$DeadLetterQueue");
  const TestUpload too_large = Begin(102400 * 1024 + 1);
  const TestUpload far_too_large = Begin(~std::size_t{0});
  const TestUpload with_bad_id = Begin(kLargeBytes, bad);
  engine_.Run();

  EXPECT_EQ(nowhere.code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(to_dead_letters.code(), ErrorCode::kInvalidOperation);
  EXPECT_EQ(too_large.code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_EQ(far_too_large.code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_EQ(with_bad_id.code(), ErrorCode::kArgumentError);
}

TEST_F(LargeMessageTest, AFullOrDisabledQueueRefusesTheHeader) {  // QUO-1, STS-3
  QueueDescription queue = LargeQueue();
  queue.max_size_in_megabytes = 1;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  SendLarge();
  const TestUpload when_full = Begin();
  engine_.Run();
  queue.status = EntityStatus::kSendDisabled;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  const TestUpload when_disabled = Begin();
  engine_.Run();

  EXPECT_EQ(when_full.code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(when_disabled.code(), ErrorCode::kMessagingEntityDisabled);
}

TEST_F(LargeMessageTest, WhatComesAfterARefusalIsIgnored) {
  const TestUpload refused = Begin(kLargeBytes, {}, "nowhere");
  refused.Write(LargeBody().substr(0, 3 * kBodyChunkBytes));
  engine_.Run();

  EXPECT_TRUE(refused.upload->is_over());
  EXPECT_EQ(*refused.rows_stored, 3);
  EXPECT_EQ(refused.upload->Write(std::string(kBodyChunkBytes, 'x')), 0U);
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, OneThatFailsHalfwayLeavesNothing) {
  const TestUpload upload = Begin();
  upload.Write(LargeBody().substr(0, 3 * kBodyChunkBytes));
  engine_.Run();
  EXPECT_EQ(BodyRows(), 3U);
  EXPECT_EQ(LooseBodies(), 1U);

  upload.upload->Fail({ErrorCode::kArgumentError, "cut short"});
  engine_.Run();

  EXPECT_EQ(upload.code(), ErrorCode::kArgumentError);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, AQueueDeletedHalfwayTakesThePiecesWithIt) {  // EPR-33
  const TestUpload upload = Begin();
  upload.Write(LargeBody().substr(0, 3 * kBodyChunkBytes));
  engine_.Run();
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  ASSERT_TRUE(engine_.CreateQueue(LargeQueue()).ok());

  upload.Write(LargeBody().substr(3 * kBodyChunkBytes));
  engine_.Run();

  EXPECT_EQ(upload.code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, LimitsThatFellMeanwhileHoldAtTheEnd) {  // SIZ-8
  const TestUpload upload = Begin();
  upload.Write(LargeBody().substr(0, 3 * kBodyChunkBytes));
  engine_.Run();
  QueueDescription queue = LargeQueue();
  queue.max_message_size_in_kilobytes = 1024;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());

  upload.Write(LargeBody().substr(3 * kBodyChunkBytes));
  engine_.Run();

  EXPECT_EQ(upload.code(), ErrorCode::kMessageSizeExceeded);
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, AStartSweepsWhatACrashLeft) {  // reliability 8
  std::vector<TestUpload> uploads;
  for (int i = 0; i < 40; ++i) {
    uploads.push_back(Begin());
    uploads.back().Write(LargeBody().substr(0, 2 * kBodyChunkBytes));
  }
  engine_.Run();
  EXPECT_EQ(LooseBodies(), 40U);

  engine_.Restart();

  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, SoManyAtATimeAndNoMore) {
  std::vector<TestUpload> uploads;
  uploads.reserve(64);
  for (int i = 0; i < 64; ++i) uploads.push_back(Begin());
  const TestUpload one_too_many = Begin();
  engine_.Run();
  EXPECT_EQ(one_too_many.code(), ErrorCode::kServiceBusy);

  uploads.front().upload->Fail({ErrorCode::kArgumentError, "cut short"});
  const TestUpload in_its_place = Begin();
  in_its_place.Write(LargeBody());
  engine_.Run();

  EXPECT_EQ(in_its_place.code(), ErrorCode::kOk);
}

class SlowUploadTest : public LargeMessageTest {
 protected:
  // As many as may come at a time.
  SlowUploadTest() {
    uploads_.reserve(64);
    for (int i = 0; i < 64; ++i) uploads_.push_back(Begin());
    engine_.Run();
  }

  void TearDown() override {
    for (const TestUpload& upload : uploads_) {
      upload.upload->Fail({ErrorCode::kArgumentError, "cut short"});
    }
    engine_.Run();
    LargeMessageTest::TearDown();
  }

  std::size_t CountOver() const {
    return std::count_if(uploads_.begin(), uploads_.end(),
                         [](const TestUpload& upload) { return upload.receipt->has_value(); });
  }

  // In thirty seconds.
  static constexpr std::size_t kPaceBytes = 64 * 1024;

  std::vector<TestUpload> uploads_;
};

TEST_F(SlowUploadTest, GivesItsPlaceToAnotherAndNotBeforeOneWantsIt) {
  engine_.Advance(seconds(30));
  EXPECT_EQ(CountOver(), 0U);
  for (const TestUpload& upload : uploads_) upload.Write(LargeBody().substr(0, kPaceBytes));
  const TestUpload too_early = Begin();
  engine_.Run();
  EXPECT_EQ(too_early.code(), ErrorCode::kServiceBusy);

  engine_.Advance(seconds(30));
  const TestUpload another = Begin();
  another.Write(LargeBody());
  engine_.Run();

  EXPECT_EQ(another.code(), ErrorCode::kOk);
  ASSERT_TRUE(uploads_[0].receipt->has_value());
  EXPECT_EQ(uploads_[0].code(), ErrorCode::kServiceTimeout);
  EXPECT_EQ(CountOver(), 1U);
}

TEST_F(SlowUploadTest, ThatSendsSlowlyButEnoughKeepsItsPlace) {
  for (int i = 0; i < 3; ++i) {
    for (const TestUpload& upload : uploads_) upload.Write(std::string(kPaceBytes, 'x'));
    engine_.Advance(seconds(30));
    const TestUpload another = Begin();
    engine_.Run();
    EXPECT_EQ(another.code(), ErrorCode::kServiceBusy);
  }
  EXPECT_EQ(CountOver(), 0U);
}

TEST_F(SlowUploadTest, ThatWaitsForTheDiskKeepsItsPlace) {
  engine_.memory_log().Hold();
  for (const TestUpload& upload : uploads_) upload.Write(LargeBody().substr(0, kBodyChunkBytes));
  engine_.Advance(seconds(600));
  const TestUpload too_early = Begin();
  engine_.Run();
  engine_.memory_log().Release();
  engine_.Run();
  EXPECT_EQ(too_early.code(), ErrorCode::kServiceBusy);
  EXPECT_EQ(CountOver(), 0U);

  engine_.Advance(seconds(30));
  const TestUpload another = Begin();
  engine_.Run();

  EXPECT_FALSE(another.receipt->has_value());
  EXPECT_EQ(CountOver(), 1U);
}

TEST_F(SlowUploadTest, WhatItHadSentIsDropped) {
  uploads_[0].Write(LargeBody().substr(0, kBodyChunkBytes));
  engine_.Run();
  EXPECT_EQ(LooseBodies(), 1U);
  engine_.Advance(seconds(30));
  const TestUpload another = Begin();
  engine_.Run();

  ASSERT_TRUE(uploads_[0].receipt->has_value());
  EXPECT_EQ(LooseBodies(), 0U);
  uploads_[0].Write(LargeBody().substr(kBodyChunkBytes));
  engine_.Run();
  EXPECT_EQ(LooseBodies(), 0U);
}

// Wherever a crash comes, there is the message with its body, or nothing.
TEST(LargeMessageCrashTest, LeavesAWholeMessageOrNothing) {  // SND-1
  bool was_there = false;
  for (std::size_t committed = 0; !was_there; ++committed) {
    SCOPED_TRACE(committed);
    ASSERT_LT(committed, 100U);
    MemoryStore store;
    MemoryCommitLog log(store);
    log.Append(EncodeFormat(), [](const Result<CommitIndex>&) {});
    EngineHarness before({}, store, log);
    ASSERT_TRUE(before.CreateQueue(LargeQueue()).ok());
    const EntityId id = before.GetQueue("orders")->record.id;
    log.Hold();
    const TestUpload upload = BeginUpload(before.broker());
    for (std::size_t at = 0; at < kLargeBytes; at += kBodyChunkBytes) {
      upload.Write(LargeBody().substr(at, kBodyChunkBytes));
      before.Run();
    }
    log.CommitHeld(committed);
    before.Run();

    MemoryCommitLog log_after(store);
    EngineHarness after({}, store, log_after);
    after.Run();

    const QueueSnapshot queue = *after.GetQueue("orders");
    const LaneCounters& counters = queue.main;
    was_there = counters.messages() == 1;
    EXPECT_EQ(upload.code() == ErrorCode::kOk, was_there);
    EXPECT_EQ(FindStrayRows(store, queue), "");
    EXPECT_EQ(FindWrongCounters(store, id, LaneKind::kMain, counters), "");
    log.Close(Status(ErrorCode::kServiceCommunicationProblem, "over", Outcome::kUnknown));
    before.Run();
  }
}

TEST_F(LargeMessageTest, AnAnswerEndsBeforeIt) {
  Send(2);
  SendLarge();
  Send(1);

  EXPECT_EQ(engine_.Receive("orders", 10)->size(), 2U);
  const Status refused = engine_.Receive("orders", 10).status();

  EXPECT_EQ(refused.code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_THAT(refused.message(), ::testing::HasSubstr("ReceiveStream"));
  const QueueSnapshot queue = *engine_.GetQueue("orders");
  EXPECT_EQ(queue.main.locked, 2);
  const TestReceiver receiver = ReceiveOne();
  EXPECT_EQ(receiver.sink->deliveries[0].delivery.count, 0U);
}

TEST_F(LargeMessageTest, ItsNumberGivesItToNoCall) {  // SIZ-8, ONE-1
  const SequenceNumber number = SendLarge();

  EXPECT_EQ(engine_.ReceiveOne("orders", number.value()).status().code(),
            ErrorCode::kMessageSizeExceeded);
  EXPECT_EQ(engine_.GetQueue("orders")->main.locked, 0);
}

TEST_F(LargeMessageTest, ADeferredOneIsGivenToWhoReadsBodies) {  // DEF-3, SIZ-8
  const auto receive = [this](Numbers numbers, bool takes_large, ReceiveMode mode) {
    return engine_.Await<std::vector<Delivered>>([&](Answer<std::vector<Delivered>> answer) {
      broker().requests().Ask(
          {},
          ReceiveDeferredRequest{
              .entity = {"orders"}, .numbers = numbers, .mode = mode, .takes_large = takes_large},
          std::move(answer));
    });
  };
  const SequenceNumber number = SendLarge();
  Send(1);
  const SequenceNumber small(number.value() + 1);
  // Its size is nothing.
  const SequenceNumber empty = *engine_.Send("orders", "");
  for (const bool is_large : {true, false, false}) {
    const TestReceiver receiver = AttachWith(1);
    ASSERT_EQ(receiver.sink->deliveries.at(0).message->facts.has_large_body(), is_large);
    ASSERT_TRUE(engine_.Defer("orders", receiver.token(0)).ok());
  }

  const auto kLocks = ReceiveMode::kPeekLock;
  for (const auto& refused :
       {receive({number}, false, kLocks), receive({number, small}, true, kLocks),
        receive({small, number}, true, kLocks), receive({empty, number}, true, kLocks),
        receive({number}, true, ReceiveMode::kReceiveAndDelete)}) {
    EXPECT_EQ(refused.status().code(), ErrorCode::kMessageSizeExceeded);
  }
  const auto received = receive({number}, true, kLocks);
  ASSERT_TRUE(received.ok()) << received.status().message();
  const Delivered& delivered = received->at(0);
  EXPECT_EQ(delivered.message->message.body, "");
  EXPECT_TRUE(*ReadBody(*delivered.message->facts.body_ref) == LargeBody());
  EXPECT_TRUE(engine_.Complete("orders", delivered.token).ok());
  EXPECT_EQ(BodyRows(), 0U);
}

TEST_F(LargeMessageTest, PeekShowsItsSizeAndNoBody) {  // PEEK-1
  SendLarge();
  Send(1);

  const auto page = engine_.Peek("orders");

  ASSERT_EQ(page->messages.size(), 2U);
  EXPECT_EQ(page->messages[0].message->message.body, "");
  EXPECT_EQ(page->messages[0].message->facts.size, static_cast<std::int64_t>(kLargeBytes));
}

TEST_F(LargeMessageTest, NoneIsHeldInMemory) {  // reliability 6
  for (int i = 0; i < 20; ++i) SendLarge();
  std::vector<Message> in_one_piece(1);
  in_one_piece[0].body = LargeBody();
  ASSERT_TRUE(engine_.Send("orders", in_one_piece).ok());
  for (const bool restarts : {false, true}) {
    if (restarts) engine_.Restart();
    const TestReceiver receiver = AttachWith(21);
    const auto& deliveries = receiver.sink->deliveries;
    for (std::size_t written = 0; written < deliveries.size(); ++written) {
      EXPECT_LE(deliveries.size(), written + 4);  // What the pipe takes (AClientThatDoesNotRead...)
      broker().NoteWritten(receiver.id, 1, deliveries[written].message->facts.size);
      engine_.Run();
    }
    EXPECT_EQ(deliveries.size(), 21U);
    for (const Delivered& delivered : receiver.sink->deliveries) {
      EXPECT_FALSE(delivered.message->has_body());
    }
    EXPECT_EQ(engine_.shard().workers().catalog.Find(id_)->lane(LaneKind::kMain).window_bytes(),
              0U);
    engine_.Advance(seconds(31));
  }
}

TEST_F(LargeMessageTest, ComesAgainAfterItsLockEnded) {  // LCK-12
  SendLarge();
  ReceiveOne();
  engine_.Advance(seconds(31));

  const TestReceiver again = ReceiveOne();

  EXPECT_EQ(again.sink->deliveries[0].delivery.count, 1U);
  EXPECT_TRUE(*ReadBody(BodyOf(again)) == LargeBody());
}

TEST_F(LargeMessageTest, MovesToTheDeadLetterQueueWithoutItsBody) {  // DLQ-7, DLQ-9
  SendLarge();
  const TestReceiver receiver = ReceiveOne();
  const BodyRef body = BodyOf(receiver);

  ASSERT_TRUE(engine_.DeadLetter("orders", receiver.token(0), "because").ok());

  EXPECT_EQ(turns_.Count<BodyChunkStored>(), 5U);
  const TestReceiver dead = ReceiveOne(ReceiveMode::kPeekLock, "orders/$DeadLetterQueue");
  EXPECT_EQ(BodyOf(dead), body);
  EXPECT_FALSE(MessageOf(dead).has_body());
  EXPECT_GT(MessageOf(dead).facts.size, static_cast<std::int64_t>(kLargeBytes));
  EXPECT_TRUE(*ReadBody(body) == LargeBody());
  EXPECT_TRUE(engine_.Complete("orders/$DeadLetterQueue", dead.token(0)).ok());
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, MovesWhenItsLastLockEnds) {  // MAX-2
  QueueDescription queue = LargeQueue();
  queue.max_delivery_count = 1;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  SendLarge();
  ReceiveOne();

  engine_.Advance(seconds(31));

  const TestReceiver dead = ReceiveOne(ReceiveMode::kPeekLock, "orders/$DeadLetterQueue");
  EXPECT_TRUE(*ReadBody(BodyOf(dead)) == LargeBody());
}

TEST_F(LargeMessageTest, ABodyWhoseMessageIsGoneCannotBeRead) {
  SendLarge();
  const TestReceiver receiver = ReceiveOne();
  ASSERT_TRUE(engine_.Complete("orders", receiver.token(0)).ok());

  EXPECT_EQ(ReadBody(BodyOf(receiver)).status().code(), ErrorCode::kMessageLockLost);
}

TEST_F(LargeMessageTest, GoesWithItsQueue) {  // EPR-33
  SendLarge();
  const TestReceiver receiver = ReceiveOne();
  SendLarge();

  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_EQ(ReadBody(BodyOf(receiver)).status().code(), ErrorCode::kMessageLockLost);
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, TakenWithoutALockItsBodyWaitsUntilItWasRead) {  // RCV-1
  SendLarge();

  const TestReceiver receiver = ReceiveOne(ReceiveMode::kReceiveAndDelete);

  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  EXPECT_EQ(LooseBodies(), 1U);
  EXPECT_TRUE(*ReadBody(BodyOf(receiver)) == LargeBody());
  broker().DropBody(BodyOf(receiver));
  engine_.Run();
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, TakenWithoutALockItOutlivesItsQueueUntilItWasRead) {
  SendLarge();
  const TestReceiver receiver = ReceiveOne(ReceiveMode::kReceiveAndDelete);
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_TRUE(*ReadBody(BodyOf(receiver)) == LargeBody());
  broker().DropBody(BodyOf(receiver));
  engine_.Run();
  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, TakenWithoutALockAndNotReadItsBodyGoesAtTheNextStart) {
  SendLarge();
  ReceiveOne(ReceiveMode::kReceiveAndDelete);

  engine_.Restart();

  ExpectNothingLeft();
}

TEST_F(LargeMessageTest, TakenByAReceiverThatLeftBeforeItHeardItsBodyGoes) {
  const TestReceiver receiver = Attach(ReceiveMode::kReceiveAndDelete);
  Grant(receiver, 1);
  engine_.memory_log().Hold();
  const TestUpload upload = Begin();
  upload.Write(LargeBody());
  engine_.Run();
  broker().Detach(receiver.id);
  engine_.Run();

  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_THAT(receiver.events(), IsEmpty());
  ExpectNothingLeft();
}

}  // namespace
}  // namespace wharf
