// What is in quarantine can be exported as far as it can be read; and what a stream meets is there,
// too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "tests/engine/receiving/recording_sink.h"
#include "tests/engine/stored_broker.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using RowKind = ExportedRow::Kind;

// Bytes that do not become fewer on disk.
std::string BodyOfNoise(std::uint64_t seed, std::size_t size) {
  SeededRandom random(seed);
  std::string noise(size, '\0');
  for (char& byte : noise) byte = static_cast<char>(random.Next());
  return noise;
}

// "message", "delivery", "body 0", and "!" in front of what cannot be read.
std::vector<std::string> NamesOf(const QuarantineExport& exported) {
  std::vector<std::string> names;
  for (const ExportedRow& row : exported.rows) {
    std::string name = row.kind == RowKind::kMessage    ? "message"
                       : row.kind == RowKind::kDelivery ? "delivery"
                                                        : "body " + std::to_string(row.chunk);
    names.push_back((row.unreadable.empty() ? "" : "!") + std::move(name));
    EXPECT_EQ(row.unreadable.empty(), !row.data.empty());
  }
  return names;
}

class QuarantineTest : public ::testing::Test {
 protected:
  QuarantineTest() {
    QueueDescription queue;
    queue.name = "orders";
    queue.lock_duration = minutes(5);
    queue.max_message_size_in_kilobytes = 102400;
    EXPECT_TRUE(engine().CreateQueue(std::move(queue)).ok());
  }

  EngineHarness& engine() { return broker_.engine(); }
  LaneId lane() { return {engine().GetQueue("orders")->record.id, LaneKind::kMain}; }
  LaneCounters Counters() { return engine().GetQueue("orders")->main; }

  void Send(std::string body) { ASSERT_TRUE(engine().Send("orders", std::move(body)).ok()); }
  // Whatever cannot be read is met.
  void ReceiveAll(const std::string& path = "orders") {
    while (!engine().Receive(path, 50)->empty()) broker_.Settle();
    broker_.Settle();
  }

  // One over 1 MiB.
  void SendLarge(const std::string& body) {
    std::optional<Result<SendOutcome>> sent;
    const auto upload = engine().broker().BeginUpload(
        "orders", Message(), body.size(), [] {},
        [&sent](const Result<SendOutcome>& outcome) { sent.emplace(outcome); });
    for (std::size_t at = 0; at < body.size(); at += kBodyChunkBytes) {
      upload->Write(body.substr(at, kBodyChunkBytes));
      broker_.Settle();
    }
    ASSERT_TRUE(sent && sent->ok());
  }
  // As a stream delivers them: the bodies are still to be read.
  std::vector<Delivered> ReceiveLarge(std::uint64_t count,
                                      ReceiveMode mode = ReceiveMode::kPeekLock) {
    auto sink = std::make_shared<RecordingSink>();
    const auto attached = engine().Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
      engine().broker().Attach({"orders", mode}, sink, std::move(answer));
    });
    engine().broker().Grant(attached->id, {count, {}});
    broker_.Settle();
    return sink->deliveries;
  }
  Result<std::string> ReadChunk(const Delivered& delivered, std::uint32_t chunk) {
    const ReadBodyChunkRequest request{*delivered.message->facts.body_ref, chunk, lane(),
                                       delivered.token};
    return engine().Await<std::string>([&](Answer<std::string> answer) {
      engine().broker().requests().Ask({}, request, std::move(answer));
    });
  }

  std::string Stored(Table table, const std::string& key) {
    return broker_.store().View()->Get(IdOf(table), key)->value_or("");
  }

  const QuietLog quiet_;
  StoredBroker broker_;
};

// reliability 20
TEST_F(QuarantineTest, AnExportHasTheRowsAsTheyAreStored) {
  const std::string body = BodyOfNoise(1, 2 * kBodyChunkBytes + 1000);
  Send(body);
  broker_.DamageText(body.substr(kBodyChunkBytes, 64));
  ReceiveAll();
  ASSERT_EQ(Counters().quarantined, 1);

  const auto exported = engine().Export("orders", 1);

  ASSERT_TRUE(exported.ok()) << exported.status().ToString();
  EXPECT_THAT(exported->reason, Not(IsEmpty()));
  ASSERT_THAT(NamesOf(*exported),
              ElementsAre("message", "delivery", "body 0", "!body 1", "body 2"));
  EXPECT_EQ(exported->rows[0].data,
            Stored(Table::kMessages, MessageKey(lane(), SequenceNumber(1))));
  EXPECT_EQ(
      exported->rows[1].data,
      Stored(Table::kDelivery, DeliveryKey(lane(), Standing::kQuarantined, SequenceNumber(1))));
  EXPECT_TRUE(exported->rows[2].data == body.substr(0, kBodyChunkBytes));
  EXPECT_TRUE(exported->rows[4].data == body.substr(2 * kBodyChunkBytes));
}

// Nothing but its number is known.
TEST_F(QuarantineTest, TheBodyOfALostRecordIsFound) {
  const std::string body = BodyOfNoise(1, kBodyChunkBytes + 1000);
  Send(body);
  broker_.Damage("messages", 0.0);
  ReceiveAll();
  ASSERT_EQ(Counters().quarantined, 1);

  const auto exported = engine().Export("orders", 1);

  ASSERT_TRUE(exported.ok()) << exported.status().ToString();
  ASSERT_THAT(NamesOf(*exported), ElementsAre("!message", "delivery", "body 0", "body 1"));
  EXPECT_TRUE(exported->rows[2].data + exported->rows[3].data == body);
}

TEST_F(QuarantineTest, AnExportComesInPages) {
  const std::string body = BodyOfNoise(1, 2 * kBodyChunkBytes + 1000);
  Send(body);
  broker_.DamageText(body.substr(kBodyChunkBytes, 64));
  ReceiveAll();

  const auto page = engine().Await<QuarantineExport>([&](Answer<QuarantineExport> answer) {
    engine().broker().Export({{"orders"}, SequenceNumber(1), 0, 1}, std::move(answer));
  });
  const auto all = engine().Export("orders", 1, /*bytes_max=*/1);

  EXPECT_EQ(page->rows.size(), 1U);
  EXPECT_EQ(page->next, 1U);
  EXPECT_THAT(NamesOf(*all), ElementsAre("message", "delivery", "body 0", "!body 1", "body 2"));
}

TEST_F(QuarantineTest, ADeadLetterIsExported) {
  Send("x");
  ASSERT_TRUE(engine().DeadLetter("orders", (*engine().Receive("orders"))[0].token).ok());
  broker_.Damage("messages", 0.0);
  ReceiveAll("orders/$DeadLetterQueue");

  const auto exported = engine().Export("orders/$DeadLetterQueue", 1);

  ASSERT_TRUE(exported.ok()) << exported.status().ToString();
  EXPECT_THAT(NamesOf(*exported), ElementsAre("!message", "delivery"));
  EXPECT_EQ(engine().Export("orders", 1).status().code(), ErrorCode::kMessageNotFound);
}

TEST_F(QuarantineTest, OnlyWhatIsInQuarantineIsExported) {
  const std::string body = BodyOfNoise(1, 10'000);
  Send(body);
  broker_.DamageText(body.substr(0, 64));
  Send("x");

  EXPECT_EQ(engine().Export("orders", 1).status().code(), ErrorCode::kInvalidOperation);
  ReceiveAll();
  EXPECT_TRUE(engine().Export("orders", 1).ok());
  EXPECT_EQ(engine().Export("orders", 2).status().code(), ErrorCode::kInvalidOperation);
  EXPECT_EQ(engine().Export("orders", 3).status().code(), ErrorCode::kMessageNotFound);

  ASSERT_TRUE(engine().SettleOne("orders", 1, {.verb = SettleVerb::kComplete}).ok());
  EXPECT_EQ(engine().Export("orders", 1).status().code(), ErrorCode::kMessageNotFound);
}

// reliability 20
TEST_F(QuarantineTest, WhatAStreamCannotReadIsInQuarantine) {
  const std::string body = BodyOfNoise(1, 5 * kBodyChunkBytes);
  SendLarge(body);
  SendLarge(BodyOfNoise(2, 5 * kBodyChunkBytes));
  broker_.DamageText(body.substr(2 * kBodyChunkBytes, 64));
  const std::vector<Delivered> delivered = ReceiveLarge(2);
  ASSERT_EQ(delivered.size(), 2U);

  EXPECT_TRUE(*ReadChunk(delivered[0], 0) == body.substr(0, kBodyChunkBytes));
  const Status failed = ReadChunk(delivered[0], 2).status();

  EXPECT_EQ(failed.code(), ErrorCode::kGeneralError);
  EXPECT_THAT(failed.message(), StartsWith("message 1 of 'orders' cannot be read, and is in "
                                           "quarantine now: chunk 2 of its body"));
  EXPECT_EQ(Counters().quarantined, 1);
  EXPECT_EQ(Counters().locked, 1);
  EXPECT_EQ(engine().Complete("orders", delivered[0].token).code(), ErrorCode::kMessageLockLost);
  EXPECT_TRUE(ReadChunk(delivered[1], 2).ok());
}

// reliability 20
TEST_F(QuarantineTest, WhatAStreamHasMetIsOfferedToNobodyAgain) {
  const std::string body = BodyOfNoise(1, 5 * kBodyChunkBytes);
  SendLarge(body);
  broker_.DamageText(body.substr(2 * kBodyChunkBytes, 64));
  EXPECT_FALSE(ReadChunk(ReceiveLarge(1).at(0), 2).ok());

  broker_.Reopen();
  engine().Advance(minutes(10));
  broker_.Settle();

  EXPECT_THAT(ReceiveLarge(1), IsEmpty());
  EXPECT_EQ(Counters().quarantined, 1);
  EXPECT_EQ(Counters().messages(), 1);
  const auto page = engine().Peek("orders", 0, 10, PeekFilter::kQuarantined);
  EXPECT_THAT(page->messages.at(0).unreadable, StartsWith("chunk 2 of its body cannot be read"));
  EXPECT_THAT(
      NamesOf(*engine().Export("orders", 1)),
      ElementsAre("message", "delivery", "body 0", "body 1", "!body 2", "body 3", "body 4"));
  ASSERT_TRUE(engine().SettleOne("orders", 1, {.verb = SettleVerb::kComplete}).ok());
  EXPECT_EQ(Counters().messages(), 0);
  EXPECT_EQ(Counters().bytes, 0);
  EXPECT_FALSE(broker_.store().View()->Scan(IdOf(Table::kBodies), {"", "\xff"})->valid());
}

TEST_F(QuarantineTest, WhatIsConsumedIsGoneThoughItCannotBeRead) {
  const std::string body = BodyOfNoise(1, 5 * kBodyChunkBytes);
  SendLarge(body);
  broker_.DamageText(body.substr(2 * kBodyChunkBytes, 64));
  const std::vector<Delivered> delivered = ReceiveLarge(1, ReceiveMode::kReceiveAndDelete);

  EXPECT_TRUE(ReadChunk(delivered.at(0), 2).status().is_damage());

  EXPECT_EQ(Counters().messages(), 0);
}

// Its next receiver meets it.
TEST_F(QuarantineTest, WhatIsReadBehindTheEndOfItsLockIsNotInQuarantine) {
  const std::string body = BodyOfNoise(1, 5 * kBodyChunkBytes);
  SendLarge(body);
  broker_.DamageText(body.substr(2 * kBodyChunkBytes, 64));
  const std::vector<Delivered> delivered = ReceiveLarge(1);
  engine().Advance(minutes(10));

  EXPECT_TRUE(ReadChunk(delivered.at(0), 2).status().is_damage());

  EXPECT_EQ(Counters().quarantined, 0);
}

// A chunk that is not there, of a message that is.
TEST_F(QuarantineTest, AChunkThatIsMissingIsDamage) {
  SendLarge(BodyOfNoise(1, 5 * kBodyChunkBytes));
  const std::vector<Delivered> delivered = ReceiveLarge(1);
  Delivered cut = delivered.at(0);
  auto message = std::make_shared<StoredMessage>(*cut.message);
  message->facts.body_ref->number = SequenceNumber(7);
  cut.message = message;

  EXPECT_THAT(ReadChunk(cut, 1).status().message(), HasSubstr("chunk 1 of its body is not"));

  EXPECT_EQ(Counters().quarantined, 1);
}

TEST_F(QuarantineTest, AChunkOfASettledMessageIsNoDamage) {
  SendLarge(BodyOfNoise(1, 5 * kBodyChunkBytes));
  const std::vector<Delivered> delivered = ReceiveLarge(1);
  ASSERT_TRUE(engine().Complete("orders", delivered.at(0).token).ok());
  broker_.Settle();

  EXPECT_EQ(ReadChunk(delivered.at(0), 1).status().code(), ErrorCode::kMessageLockLost);

  EXPECT_EQ(Counters().messages(), 0);
}

}  // namespace
}  // namespace wharf
