// Messages over 1 MiB that are sent by a link: what comes back, and what is left of one that does
// not come to its end (SIZ-8, ENC-3).
#include <algorithm>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/message/batch.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/amqp/entities/links_fixture.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/mapping/bare_message.h"
#include "tests/harness/job_rows.h"

namespace wharf::amqp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kBytes = (std::size_t{2} << 20) + 7;
constexpr std::string_view kId = "00 53 73 c0 [01 a1 ['id']]";
constexpr std::string_view kFooter = "00 53 78 c1 [02 a3 ['crc'] 52 07]";

class LargeSendTest : public LinksFixture {
 protected:
  LargeSendTest() {
    QueueDescription queue;
    queue.name = "large";
    queue.max_message_size_in_kilobytes = 4096;
    EXPECT_TRUE(broker_.CreateQueue(queue).ok());
    AttachSender("large");
  }

  static std::string Body(std::size_t bytes = kBytes) {
    std::string body(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) body[i] = static_cast<char>('a' + (i + i / 251) % 26);
    return body;
  }
  // A section that begins so, with the length of its content.
  static std::string Section(std::string_view begin, const std::string& content) {
    std::string section = FromHex(begin);
    for (int shift = 24; shift >= 0; shift -= 8) {
      section += static_cast<char>(content.size() >> shift);
    }
    return section + content;
  }
  static std::string DataSection() { return Section("00 53 75 b0", Body()); }
  // So many strings of 300,000 bytes.
  static std::string ListContent(std::size_t strings) {
    std::string content = {0, 0, 0, static_cast<char>(strings)};
    for (std::size_t i = 0; i < strings; ++i) content += Section("b1", Body(300'000));
    return content;
  }
  static std::string List(std::size_t strings) {
    return Section("00 53 76 d0", ListContent(strings));
  }
  static std::string Value(std::size_t strings) {
    return Section("00 53 77 d0", ListContent(strings));
  }
  std::string Send(const std::string& message) {
    client_.SayTransfer(0, message);
    return client_.Hear(" disposition{");
  }
  // A part of a delivery, the first one of the session unless told otherwise.
  void SayPart(std::string_view part, bool is_first = false, bool is_aborted = false,
               std::uint32_t delivery = 0) {
    Transfer transfer;
    transfer.handle = 0;
    transfer.aborted = is_aborted;
    if (is_first) transfer.delivery_id = delivery;
    if (is_first) transfer.delivery_tag = Binary{"t"};
    do {
      FrameWriter writer;
      writer.set_frame_bytes_max(32768);
      part.remove_prefix(writer.WriteTransfer(0, transfer, part, false));
      client_.SayBytes(writer.Take());
      transfer.delivery_id.reset();
      transfer.delivery_tag.reset();
    } while (!part.empty());
  }
  // Deliveries that came in parts.
  std::uint32_t sent_ = 0;
  void ExpectNothingIsLeft() {
    broker_.Run();
    EXPECT_EQ(broker_.GetQueue("large")->main.messages(), 0);
    const auto view = broker_.store().View();
    EXPECT_THAT(KeysOfJobs(*view, JobKind::kLooseBody), IsEmpty());
    EXPECT_FALSE(view->Scan(IdOf(Table::kBodies), EntityRange(broker_.GetQueue("large")->record.id))
                     ->valid());
  }
};

TEST_F(LargeSendTest, EveryByteOfItComesBack) {
  AttachReceiver("large");
  const std::string id = FromHex(kId);
  const std::string footer = FromHex(kFooter);
  const std::string value = Section("00 53 77 b1", Body());
  const std::string said[] = {id + DataSection(), id + DataSection() + footer,
                              id + Section("00 80 00 00 00 00 00 00 00 75 b0", Body()), id + value,
                              id + Section("00 53 77 b0", Body()) + footer};
  std::uint32_t count = 0;
  for (const std::string& message : said) {
    SCOPED_TRACE(count);
    ASSERT_THAT(Send(message), AllOf(HasSubstr("accepted"), HasSubstr("settled=true")));
    client_.SayFlow(1, ++count);
    ASSERT_THAT(client_.Hear(" transfer{"), HasSubstr("transfer{"));
    while (!client_.Hear(" transfer{").empty()) {
    }
    EXPECT_TRUE(BareBytesIn(client_.last_payload()) == message);
    EXPECT_THAT(Dispose(Accepted(), count - 1), HasSubstr("accepted"));
  }
  EXPECT_EQ(served_->partial_bytes().taken(), 0U);
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
  ExpectNothingIsLeft();
}

// As rhea writes it.
TEST_F(LargeSendTest, AFooterMayStandBeforeTheBodyAndNotTwice) {
  const std::string begin = FromHex(kId) + FromHex(kFooter) + DataSection();
  EXPECT_THAT(Send(begin + FromHex(kFooter)), HasSubstr("rejected"));
  EXPECT_THAT(Send(begin), HasSubstr("accepted"));
  const auto stored = broker_.Peek("large", 0)->messages;
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].message->message.carried->footer.size(), 1U);
}

TEST_F(LargeSendTest, OneWithoutAnIdGetsOne) {
  EXPECT_THAT(Send(DataSection()), HasSubstr("accepted"));
  const auto stored = broker_.Peek("large", 0)->messages;
  EXPECT_EQ(stored.at(0).message->message.message_id.value_or("").size(), 36U);
}

TEST_F(LargeSendTest, WhatIsHeldOfItIsARow) {
  const std::string message = FromHex(kId) + DataSection();
  SayPart(std::string_view(message).substr(0, 100'000), true);
  for (std::size_t at = 100'000; at < message.size(); at += 100'000) {
    SayPart(std::string_view(message).substr(at, 100'000));
    EXPECT_LE(served_->partial_bytes().taken(), std::size_t{300} << 10);
  }
  // Until the broker has stored what came nothing more is read.
  EXPECT_GE(served_->unanswered_bytes().taken(), std::size_t{2} << 20);
  client_.HearAll();
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
}

TEST_F(LargeSendTest, OneThatIsAbortedLeavesNothing) {
  SayPart(FromHex(kId) + DataSection(), true);
  client_.HearAll();
  SayPart({}, false, true);
  client_.HearAll();

  EXPECT_EQ(served_->partial_bytes().taken(), 0U);
  ExpectNothingIsLeft();
}

TEST_F(LargeSendTest, OneWhoseLinkGoesLeavesNothing) {
  SayPart(FromHex(kId) + DataSection(), true);
  client_.HearAll();
  client_.SayDetach(0);
  client_.HearAll();

  EXPECT_EQ(served_->partial_bytes().taken(), 0U);
  ExpectNothingIsLeft();
}

TEST_F(LargeSendTest, OneWhoseConnectionGoesLeavesNothing) {
  SayPart(FromHex(kId) + DataSection(), true);
  client_.HearAll();
  GoAway();

  ExpectNothingIsLeft();
}

TEST_F(LargeSendTest, OneThatEndsWithinItsBodyIsRejected) {
  std::string message = FromHex(kId) + DataSection();
  message.pop_back();
  EXPECT_THAT(Send(message), HasSubstr("rejected"));
  ExpectNothingIsLeft();
  EXPECT_THAT(Send(FromHex(kId) + DataSection()), HasSubstr("accepted"));
}

TEST_F(LargeSendTest, OneThatIsLargerThanItsEntityTakesIsRejectedAtOnce) {
  const std::string body = Body(std::size_t{5} << 20);
  SayPart((FromHex(kId) + Section("00 53 75 b0", body)).substr(0, 100'000), true);
  EXPECT_THAT(client_.Hear(" disposition{"),
              AllOf(HasSubstr("rejected"), HasSubstr("amqp:link:message-size-exceeded")));
}

// The end of it comes before the broker has said so.
TEST_F(LargeSendTest, OneThatIsLargerThanItsEntityTakesIsAnsweredOnce) {
  client_.SayTransfer(0, FromHex(kId) + Section("00 53 75 b0", Body(std::size_t{5} << 20)));
  EXPECT_THAT(client_.Hear(" disposition{"),
              AllOf(HasSubstr("rejected"), HasSubstr("amqp:link:message-size-exceeded")));
  EXPECT_THAT(client_.Hear(" disposition{"), IsEmpty());
  ExpectNothingIsLeft();
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
  EXPECT_THAT(Send(FromHex(kId) + DataSection()), HasSubstr("accepted"));
}

TEST_F(LargeSendTest, WhatCannotBeSentSoIsRejectedAndTheLinkGoesOn) {
  const std::string id = FromHex(kId);
  // Behind a section over 1 MiB another one; a batch; sections of two kinds; a value and another.
  EXPECT_THAT(Send(id + DataSection() + DataSection()),
              AllOf(HasSubstr("rejected"), HasSubstr("amqp:link:message-size-exceeded")));
  client_.SayTransfer(0, Section("00 53 75 b0", id + DataSection()), kBatchFormat);
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("amqp:link:message-size-exceeded"));
  const std::string half = Section("00 53 75 b0", Body(std::size_t{700} << 10));
  EXPECT_THAT(Send(id + half + List(8)), HasSubstr("rejected"));
  EXPECT_THAT(Send(id + Value(4) + Value(4)), HasSubstr("rejected"));
  EXPECT_EQ(served_->partial_bytes().taken(), 0U);
  ExpectNothingIsLeft();
  EXPECT_THAT(Send(id + DataSection()), HasSubstr("accepted"));
}

// --- bodies that do not tell their length

TEST_F(LargeSendTest, ABodyOfManySectionsComesBackByteForByte) {
  AttachReceiver("large");
  const std::string id = FromHex(kId);
  const std::string footer = FromHex(kFooter);
  const std::string mib = Section("00 53 75 b0", Body(std::size_t{1} << 20));
  const std::string small = FromHex("00 53 75 a0 [01]");
  const std::string said[] = {
      id + mib + mib + mib, id + small + mib + footer,
      // Between them they are as long as may be held, and one byte longer.
      id + Section("00 53 75 b0", Body((std::size_t{1} << 20) - 20)) + small + small,
      id + Section("00 53 75 b0", Body((std::size_t{1} << 20) - 19)) + small + small,
      id + List(8) + List(1) + List(2), id + Value(9) + footer,
      id + Section("00 80 00 00 00 00 00 00 00 77 d0", ListContent(8))};
  std::uint32_t count = 0;
  for (const std::string& message : said) {
    SCOPED_TRACE(count);
    ASSERT_THAT(Send(message), AllOf(HasSubstr("accepted"), HasSubstr("settled=true")));
    client_.SayFlow(1, ++count);
    while (!client_.Hear(" transfer{").empty()) {
    }
    EXPECT_TRUE(BareBytesIn(client_.last_payload()) == message);
    EXPECT_THAT(Dispose(Accepted(), count - 1), HasSubstr("accepted"));
  }
  EXPECT_EQ(served_->partial_bytes().taken(), 0U);
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
  ExpectNothingIsLeft();
}

// However its bytes come.
TEST_F(LargeSendTest, ABodyOfManySectionsComesInPiecesOfAnySize) {
  std::string message = FromHex(kId);
  while (message.size() < (std::size_t{2} << 20)) {
    message += Section("00 a3 10 61 6d 71 70 3a 64 61 74 61 3a 62 69 6e 61 72 79 b0", Body(70'001));
  }
  message += FromHex(kFooter);
  for (const std::size_t step : {std::size_t{9973}, std::size_t{70'003}, std::size_t{800'000}}) {
    for (std::size_t at = 0; at < message.size(); at += step) {
      SayPart(std::string_view(message).substr(at, step), at == 0, false, sent_);
      client_.HearAll();
      EXPECT_LE(served_->partial_bytes().taken(), std::size_t{2200} << 10);
    }
    Transfer last;
    last.handle = 0;
    client_.Say(last);
    ++sent_;
    EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
  }
  const auto stored = broker_.Peek("large", 0)->messages;
  ASSERT_EQ(stored.size(), 3U);
  for (const auto& each : stored) {
    EXPECT_EQ(each.message->facts.body_ref->size,
              message.size() - FromHex(kId).size() - FromHex(kFooter).size());
  }
}

TEST_F(LargeSendTest, OneOfUnknownLengthThatDoesNotComeToItsEndLeavesNothing) {
  const std::string message = FromHex(kId) + Value(9);
  EXPECT_THAT(Send(message.substr(0, message.size() - 1)), HasSubstr("rejected"));
  ExpectNothingIsLeft();
  SayPart(message, true, false, 1);
  client_.HearAll();
  SayPart({}, false, true);
  client_.HearAll();
  ExpectNothingIsLeft();
  SayPart(message, true, false, 2);
  client_.HearAll();
  GoAway();
  ExpectNothingIsLeft();
}

TEST_F(LargeSendTest, OneOfUnknownLengthIsRefusedWhereItBecomesTooLong) {
  QueueDescription queue;
  queue.name = "narrow";
  queue.max_message_size_in_kilobytes = 2048;
  ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  client_.SayAttach("narrow", 5, Role::kSender, "narrow");
  client_.Hear(" flow{");
  client_.SayTransfer(5, FromHex(kId) + Value(9));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("amqp:link:message-size-exceeded"));
  EXPECT_THAT(Send(FromHex(kId) + Value(9)), HasSubstr("accepted"));
}

// The id that is drawn for it does not count.
TEST_F(LargeSendTest, OneWithoutAnIdMayBeAsLongAsTheClientWasTold) {
  const std::size_t max = std::size_t{4} << 20;
  EXPECT_THAT(Send(Section("00 53 75 b0", Body(max - 8))), HasSubstr("accepted"));
  EXPECT_THAT(Send(Section("00 53 75 b0", Body(max - 7))), HasSubstr("rejected"));
}

TEST_F(LargeSendTest, NoneIsAPartOfATransaction) {
  AttachControl();
  const Binary txn = Declare();
  client_.SayTransfer(0, FromHex(kId) + DataSection(), 0, In(txn));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("amqp:link:message-size-exceeded"));
  EXPECT_THAT(Discharge(txn), HasSubstr("amqp:transaction:rollback"));
  ExpectNothingIsLeft();
}

// The state may come with any part.
TEST_F(LargeSendTest, OneThatSaysAtItsEndThatItIsAPartOfATransactionIsRejected) {
  SayPart(FromHex(kId) + DataSection(), true);
  Transfer last;
  last.handle = 0;
  last.state = In(Binary{"any"});
  client_.Say(last);

  EXPECT_THAT(client_.Hear(" disposition{"),
              AllOf(HasSubstr("rejected"), HasSubstr("amqp:link:message-size-exceeded")));
  ExpectNothingIsLeft();
}

}  // namespace
}  // namespace wharf::amqp
