// Links to the broker itself: sending, receiving, settling, sessions.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/links/settlements.h"
#include "broker/doors/amqp/message/batch.h"
#include "broker/doors/amqp/message/sections.h"
#include "tests/amqp/entities/links_fixture.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/mapping/bare_message.h"
#include "tests/harness/sample_message.h"

namespace wharf::amqp {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Ids of each type, properties of types that nobody else has, every kind of body, a footer; short
// and long.
constexpr std::string_view kBare[] = {
    "00 53 73 c0 [01 53 05] 00 53 75 a0 ['b']",
    "00 53 73 c0 [06 98 '0123456789abcdef' 40 40 40 40 a0 [00 ff]] 00 53 75 a0 ['b']",
    "00 53 73 d0 00 00 00 0b 00 00 00 01 b1 00 00 00 02 'id' 00 53 75 b0 00 00 00 01 'b'",
    "00 53 73 c0 [05 a1 ['id'] 40 40 40 40] 00 53 75 a0 ['b']",
    "00 53 73 c0 [01 a1 ['id']] 00 53 74 c1 [0c a1 ['s'] a3 ['symbol'] a1 ['l'] c0 [02 54 01 "
    "41] "
    "a1 ['i'] 71 00 00 00 05 a1 ['n'] 40 a1 ['t'] 83 00 00 01 90 00 00 00 00 "
    "a1 ['?'] 00 53 ff 41] 00 53 75 a0 ['b']",
    "00 53 73 c0 [01 a1 ['id']] 00 53 75 a0 ['one'] 00 53 75 b0 00 00 00 03 'two'",
    "00 53 73 c0 [01 a1 ['id']] 00 53 77 c0 [01 54 05]",
    "00 53 73 c0 [01 a1 ['id']] 00 53 76 c0 [01 54 05] 00 53 76 45",
    "00 53 73 c0 [01 a1 ['id']] 00 53 75 a0 ['b'] 00 53 78 c1 [02 a3 ['crc'] 70 00 00 00 07]"};

class BrokerLinksTest : public LinksFixture {
 protected:
  // So many deliveries, and behind them the answer to the drain of so much credit.
  void ExpectDrained(std::size_t deliveries, std::uint32_t credit) {
    const std::vector<std::string> lines = client_.HearAll();
    ASSERT_THAT(lines, SizeIs(deliveries + 1));
    EXPECT_THAT(lines.back(),
                AllOf(HasSubstr(" flow{"), HasSubstr("delivery-count=" + std::to_string(credit)),
                      HasSubstr("link-credit=0"), HasSubstr("drain=true")));
  }
};

// --- sending

TEST_F(BrokerLinksTest, AMessageIsAcceptedWhenItIsCommitted) {  // ENC-5
  AttachSender();
  client_.SayTransfer(0, DataMessage("hello"));
  served_->Work(now_);
  EXPECT_THAT(served_->TakeOutput(now_), IsEmpty());

  EXPECT_THAT(client_.Hear(" disposition{"),
              AllOf(HasSubstr("settled=true"), HasSubstr("accepted")));

  const auto received = Receive();
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].message->message.body, "hello");
  EXPECT_EQ(received[0].message->message.message_id, "id");
}

TEST_F(BrokerLinksTest, AnAttachTellsHowLargeAMessageMayBe) {  // LNK-1, LNK-15, SIZ-7
  client_.SayAttach("s", 0, Role::kSender, "q");

  EXPECT_THAT(client_.Hear(" attach{name=\"s\""),
              AllOf(HasSubstr("max-message-size=1048576"),
                    HasSubstr(":com.microsoft:max-message-batch-size 1048576:long")));
  EXPECT_THAT(client_.Hear(" flow{"), HasSubstr("link-credit=1000"));
}

TEST_F(BrokerLinksTest, AMessageWithoutAnIdGetsOne) {
  AttachSender();

  client_.SayTransfer(0, DataMessage("hello", ""));
  client_.Hear(" disposition{");

  EXPECT_THAT(Receive()[0].message->message.message_id.value_or(""), SizeIs(36));
}

std::string BatchOf(const std::vector<std::string>& messages) {
  std::string batch;
  Writer writer(batch);
  for (const std::string& message : messages) {
    writer.BeginDescribed(descriptor::kData);
    writer.WriteBinary(message);
  }
  return batch;
}

TEST_F(BrokerLinksTest, ABatchIsSentAsAWholeOrNotAtAll) {
  AttachSender();
  const auto send = [this](const std::vector<std::string>& messages) {
    client_.SayTransfer(0, BatchOf(messages), kBatchFormat);
    return client_.Hear(" disposition{");
  };

  EXPECT_THAT(send({DataMessage("one"), DataMessage("two", std::string(200, 'x'))}),
              HasSubstr("rejected"));
  EXPECT_THAT(Receive(), IsEmpty());
  EXPECT_THAT(send({DataMessage("one"), DataMessage("two")}), HasSubstr("accepted"));
  EXPECT_THAT(Receive(), SizeIs(2));
}

// A client fills it by what it encodes, and knows nothing of the ids that they get (SIZ-7).
TEST_F(BrokerLinksTest, ABatchOfTheToldSizeIsTaken) {
  constexpr std::size_t kTold = 1048576;
  AttachSender();
  std::vector<std::string> messages(1025, DataMessage(std::string(1000, 'x'), ""));
  const std::size_t missing = kTold - BatchOf(messages).size();
  messages.back() = DataMessage(std::string(1000 + missing, 'x'), "");
  const std::string batch = BatchOf(messages);
  ASSERT_EQ(batch.size(), kTold);

  client_.SayTransfer(0, batch, kBatchFormat);

  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
  EXPECT_EQ(broker_.GetQueue("q")->main.fresh, 1025);
}

TEST_F(BrokerLinksTest, WhatIsNoMessageIsRejectedAndTheLinkGoesOn) {
  AttachSender();

  client_.SayTransfer(0, "nonsense");
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("rejected"));
  client_.SayTransfer(0, DataMessage("hello"));

  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
  EXPECT_EQ(served_->partial_bytes().taken(), 0U);
}

TEST_F(BrokerLinksTest, WhileTooMuchIsNotAnsweredNothingIsRead) {
  AttachSender();
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(served_->wants_input());
    client_.SayTransfer(0, DataMessage(std::string(900'000, 'x')));
  }
  EXPECT_FALSE(served_->wants_input());

  client_.HearAll();

  EXPECT_TRUE(served_->wants_input());
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
  EXPECT_THAT(Receive(), SizeIs(5));
}

// Each counts, however small: else a session would end that has too many unsettled.
TEST_F(BrokerLinksTest, WhileTooManyAreNotAnsweredNothingIsRead) {
  constexpr std::uint32_t kLinks = 17;
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    client_.SayAttach("s" + std::to_string(i), i, Role::kSender, "q");
  }
  client_.HearAll();
  std::size_t said = 0;
  while (said < std::size_t{kLinks} * 1000 && served_->wants_input()) {
    client_.SayTransfer(static_cast<std::uint32_t>(said++ / 1000), DataMessage(""));
    // The session's window opens again.
    if (said % 1000 == 0) served_->TakeOutput(now_);
  }
  EXPECT_EQ(said, 8192U);

  const std::vector<std::string> lines = client_.HearAll();

  EXPECT_THAT(lines, Each(Not(HasSubstr(" end{"))));
  EXPECT_TRUE(served_->wants_input());
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
}

// Else a client would have as much in the broker as it likes, link by link.
TEST_F(BrokerLinksTest, WhatIsNotAnsweredCountsThoughItsLinkIsGone) {
  AttachSender();
  client_.SayTransfer(0, DataMessage("hello"));
  const std::size_t held = served_->unanswered_bytes().taken();
  EXPECT_GT(held, 0U);

  client_.SayDetach(0);

  EXPECT_EQ(served_->unanswered_bytes().taken(), held);
  client_.HearAll();
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
  EXPECT_THAT(Receive(), SizeIs(1));
}

TEST_F(BrokerLinksTest, WhatWasAskedIsAnsweredBeforeAClose) {
  AttachSender();
  client_.HearAll();
  client_.SayTransfer(0, DataMessage("hello"));
  served_->Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"}, now_);
  EXPECT_FALSE(served_->wants_input());
  EXPECT_THAT(served_->TakeOutput(now_), IsEmpty());

  const std::vector<std::string> lines = client_.HearAll();

  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], AllOf(HasSubstr(" disposition{"), HasSubstr("accepted")));
  EXPECT_THAT(lines[1], AllOf(HasSubstr(" close{"), HasSubstr("amqp:connection:forced")));
}

// Of what is read when a close has begun.
TEST_F(BrokerLinksTest, WhatComesBehindACloseIsNotTakenAndNotAnswered) {
  AttachSender();
  client_.HearAll();
  client_.SayTransfer(0, DataMessage("one"));
  served_->Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"}, now_);
  client_.SayTransfer(0, DataMessage("two"));

  EXPECT_THAT(client_.HearAll(), ElementsAre(HasSubstr(" disposition{"), HasSubstr(" close{")));
  EXPECT_THAT(Receive(), SizeIs(1));
}

// More than there is room for at a time, and all of it is gone from the queue.
TEST_F(BrokerLinksTest, WhatIsGoneWithItsDeliveryIsSentBeforeAClose) {
  AttachConsumer();
  client_.SayFlow(1, 3);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker_.Send("q", std::string(200'000, 'x')).ok());
  broker_.Run();
  EXPECT_THAT(Receive(), IsEmpty());

  served_->Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"}, now_);
  const std::vector<std::string> lines = client_.HearAll();

  const auto is_last = [](const std::string& line) {
    return line.find(" transfer{") != std::string::npos &&
           line.find("more=true") == std::string::npos;
  };
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_last), 3);
  EXPECT_THAT(lines.back(), HasSubstr(" close{"));
}

TEST_F(BrokerLinksTest, AnAnswerThatDoesNotComeHoldsNoCloseUp) {
  AttachSender();
  client_.SayTransfer(0, DataMessage("hello"));
  served_->Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"}, now_);

  now_ += limits_.answer_max;
  ASSERT_EQ(served_->Deadline(), now_);
  served_->Tick(now_);

  EXPECT_THAT(served_->TakeOutput(now_), Not(IsEmpty()));
}

TEST_F(BrokerLinksTest, WithoutABrokerAConnectionCloses) {
  entities_.Close();
  client_.SayAttach("s", 0, Role::kSender, "q");
  EXPECT_THAT(client_.Hear(" close{"), HasSubstr("amqp:connection:forced"));
}

TEST_F(BrokerLinksTest, TheBrokerMayGoWhenNoConnectionHasItAnyMore) {
  AttachSender();
  entities_.Close();
  EXPECT_FALSE(entities_.WaitUntilNone(std::chrono::milliseconds(0)));
  GoAway();
  EXPECT_TRUE(entities_.WaitUntilNone(std::chrono::milliseconds(0)));
}

// ENC-3
TEST_F(BrokerLinksTest, EveryByteOfABareMessageComesBack) {
  AttachSender();
  AttachReceiver();
  std::uint32_t count = 0;
  for (const std::string_view said : kBare) {
    SCOPED_TRACE(said);
    client_.SayTransfer(0, FromHex(said));
    ASSERT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));

    client_.SayFlow(1, ++count);
    ASSERT_THAT(client_.Hear(" transfer{"), HasSubstr("transfer{"));

    EXPECT_EQ(HexText(BareBytesIn(client_.last_payload())), HexText(FromHex(said)));
    EXPECT_THAT(Dispose(Accepted(), count - 1), HasSubstr("accepted"));
  }
}

TEST_F(BrokerLinksTest, BehindALargeBodyComesTheFooter) {
  const std::string body(2 << 20, 'x');
  QueueDescription queue;
  queue.name = "large";
  queue.max_message_size_in_kilobytes = 4096;
  ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  Message message;
  CarriedProperties carried;
  carried.footer.emplace_back("crc", std::uint32_t{7});
  message.carried = std::make_shared<const CarriedProperties>(std::move(carried));
  message.message_id = "m";
  const auto upload = broker_.broker().requests().Upload(
      {}, {{"large"}, message, body.size()}, [] {},
      [](const Result<SendOutcome>& sent) { EXPECT_TRUE(sent.ok()); });
  upload->Write(body);
  AttachReceiver("large");
  client_.SayFlow(1, 1);
  client_.HearAll();

  const Result<Sections> sections = SplitSections(client_.last_payload(), {});
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  const auto data = DataOf(sections->body, sections->body_sections);
  ASSERT_TRUE(data.ok());
  EXPECT_TRUE(data->front() == body);
  EXPECT_EQ(sections->footer, FromHex("00 53 78 c1 [02 a3 ['crc'] 52 07]"));

  // Who looks only sees all of it but the body.
  const auto peeked = broker_.Peek("large")->messages.front();
  const std::string without = EncodedOf({.message = peeked.message}, 1);
  EXPECT_EQ(BareBytesIn(without),
            FromHex("00 53 73 c0 [01 a1 ['m']] 00 53 75 a0 00 00 53 78 c1 [02 a3 ['crc'] 52 07]"));
}

// The broker's own stand beside them.
TEST_F(BrokerLinksTest, AnnotationsComeBackAndThoseOfTheBrokerAreItsOwn) {
  const std::string theirs = "a3 ['note'] c0 [01 54 05] a3 ['x-opt-theirs'] 53 07";
  const std::string ours = "a3 ['x-opt-sequence-number'] 55 63 a3 ['x-opt-partition-key'] a1 ['k']";
  AttachSender();
  AttachReceiver();
  client_.SayTransfer(0, FromHex("00 53 71 c1 [02 a3 ['hop'] 41] 00 53 72 c1 [08 " + theirs + ours +
                                 "] 00 53 73 c0 [01 a1 ['id']] 00 53 75 a0 ['b']"));
  client_.Hear(" disposition{");
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");

  const std::string& payload = client_.last_payload();
  EXPECT_THAT(payload, HasSubstr(FromHex(theirs)));
  EXPECT_THAT(payload, Not(HasSubstr("hop")));
  EXPECT_THAT(payload, Not(HasSubstr(FromHex("a3 ['x-opt-sequence-number'] 55 63"))));
  EXPECT_THAT(payload, HasSubstr(FromHex("a3 ['x-opt-sequence-number'] 55 01")));
  const auto sections = SplitSections(payload, {});
  ASSERT_TRUE(sections.ok());
  const auto annotations = MapOf(sections->message_annotations, {});
  const Value* const key = annotations->FindSymbol("x-opt-partition-key");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(*key, Value(std::string("k")));
}

TEST_F(BrokerLinksTest, AMessageThatTheBrokerCannotReadIsRefused) {
  AttachSender();
  for (const std::string_view bad :
       {"00 53 73 c0 [01 54 07] 00 53 75 a0 ['b']",
        "00 53 72 c1 [02 a3 ['x-opt-partition-key'] 54 07] 00 53 75 a0 ['b']",
        "00 53 72 c1 [02 a3 ['x-opt-scheduled-enqueue-time'] 83 7f ff ff ff ff ff ff ff] "
        "00 53 75 a0 ['b']",
        "00 53 74 c1 [02 54 01 54 02] 00 53 75 a0 ['b']"}) {
    client_.SayTransfer(0, FromHex(bad));
    EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("rejected")) << bad;
  }
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(BrokerLinksTest, AnEntityThatIsNotThereRefusesBothLinks) {
  client_.SayAttach("s", 0, Role::kSender, "nowhere");
  EXPECT_THAT(client_.Hear(" detach{"),
              AllOf(HasSubstr("amqp:not-found"),
                    HasSubstr("The messaging entity 'nowhere' could not be found.")));
  client_.SayAttach("r", 1, Role::kReceiver, "nowhere");
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-found"));
}

TEST_F(BrokerLinksTest, WhatIsNotServedIsRefusedAndCounted) {
  client_.SayAttach("d", 1, Role::kSender, "q/$DeadLetterQueue");
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-allowed"));
  client_.SayAttach("e", 2, Role::kSender, "q/$Transfer/$DeadLetterQueue");
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-allowed"));
  client_.SayAttach("b", 3, Role::kSender, "t/Subscriptions/s");
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-allowed"));
  Attach chooses = Receiver("f", 4, "q");
  chooses.source->filter.emplace().Add(Value(Symbol{"jms-selector"}), Value(std::string("a = 1")));
  client_.Say(chooses);
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-implemented"));
  EXPECT_EQ(counts_.links_refused, 4U);
  EXPECT_EQ(counts_.open_links, 0U);
}

// --- receiving

// 5 of doors.md: the high bits of its number.
TEST_F(BrokerLinksTest, AMessageOfAPartitionedEntityTellsItsPartition) {
  QueueDescription queue;
  queue.name = "parts";
  queue.enable_partitioning = true;
  ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  AttachReceiver("parts");
  for (const char* key : {"a", "customer-7"}) {
    Message message;
    message.partition_key = key;
    std::vector<Message> messages;
    messages.push_back(std::move(message));
    ASSERT_TRUE(broker_.Send("parts", std::move(messages)).ok());
  }

  client_.SayFlow(1, 2);

  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT(client_.Hear(" transfer{"), HasSubstr("transfer{"));
    const Result<Sections> sections = SplitSections(client_.last_payload(), {});
    const Map told = *MapOf(sections->message_annotations, {});
    const Value* const number = told.FindSymbol("x-opt-sequence-number");
    const Value* const partition = told.FindSymbol("x-opt-partition-id");
    ASSERT_TRUE(number != nullptr && partition != nullptr);
    EXPECT_EQ(*partition->As<std::int16_t>(), *number->As<std::int64_t>() >> 48);
  }
  const Map plain = [this] {
    EXPECT_TRUE(broker_.Send("q", "hello").ok());
    client_.SayAttach("p", 2, Role::kReceiver, "q");
    client_.SayFlow(2, 1);
    client_.Hear(" transfer{");
    return *MapOf(SplitSections(client_.last_payload(), {})->message_annotations, {});
  }();
  EXPECT_EQ(plain.FindSymbol("x-opt-partition-id"), nullptr);
}

TEST_F(BrokerLinksTest, AMessageIsLockedForWhoHasCreditAndCompleted) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  EXPECT_EQ(client_.Hear(" transfer{"), "");

  client_.SayFlow(1, 1);

  EXPECT_THAT(client_.Hear(" transfer{"), Not(HasSubstr("settled=true")));
  EXPECT_THAT(Dispose(Accepted()),
              AllOf(HasSubstr("role=sender"), HasSubstr("settled=true"), HasSubstr("accepted")));
  broker_.Advance(std::chrono::minutes(1));
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(BrokerLinksTest, AnAbandonedMessageComesAgainAndCounts) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");

  EXPECT_THAT(Dispose(Modified()), HasSubstr("modified"));

  EXPECT_EQ(Receive()[0].delivery.count, 1U);
}

TEST_F(BrokerLinksTest, AReleasedMessageComesAgainAndDoesNotCount) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");

  EXPECT_THAT(Dispose(Released()), HasSubstr("released"));

  EXPECT_EQ(Receive()[0].delivery.count, 0U);
}

// However much credit there is: nothing is written any more, for as long as the closing takes.
TEST_F(BrokerLinksTest, BehindOurCloseWhatWouldBeSentStaysInTheQueue) {
  AttachReceiver();
  client_.SayFlow(1, 1);
  Hear();

  served_->Close({ErrorCode::kServiceBusy, "the broker stops"}, now_);
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  Hear();

  ASSERT_THAT(Receive(), SizeIs(1));
}

TEST_F(BrokerLinksTest, BehindAClientsCloseWhatWouldBeSentStaysInTheQueue) {
  AttachReceiver();
  client_.SayFlow(1, 1);
  Hear();

  client_.Say(amqp::Close());
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  Hear();

  const auto received = Receive();
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].delivery.count, 0U);
}

TEST_F(BrokerLinksTest, ADeadLetteredMessageTellsWhy) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");
  Rejected rejected;
  Error& error = rejected.error.emplace();
  error.condition.text = "com.microsoft:dead-letter";
  error.info.emplace().Add(Value(Symbol{"DeadLetterReason"}), Value(std::string("broken")));
  error.info->Add(Value(Symbol{"DeadLetterErrorDescription"}), Value());

  // An error in the answer would be a failure.
  EXPECT_THAT(Dispose(rejected), AllOf(HasSubstr("rejected"), Not(HasSubstr("error"))));

  const auto dead = Receive("q/$DeadLetterQueue");
  ASSERT_THAT(dead, SizeIs(1));
  EXPECT_THAT(EncodedOf(dead[0]), HasSubstr("broken"));
}

TEST_F(BrokerLinksTest, ADeferredMessageWaitsForItsNumberWithWhatWasChanged) {
  const Result<SequenceNumber> number = broker_.Send("q", "hello");
  ASSERT_TRUE(number.ok());
  AttachReceiver();
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");
  Modified modified;
  modified.undeliverable_here = true;
  modified.message_annotations.emplace().Add(Value(Symbol{"color"}), Value(std::string("red")));

  EXPECT_THAT(Dispose(modified), HasSubstr("modified"));

  EXPECT_THAT(Receive(), IsEmpty());
  const auto deferred = broker_.ReceiveDeferred("q", {number->value()});
  ASSERT_TRUE(deferred.ok());
  ASSERT_THAT(*deferred, SizeIs(1));
  EXPECT_THAT(EncodedOf(deferred->front()), HasSubstr("red"));
}

TEST_F(BrokerLinksTest, AnAbandonedMessageMayRestUntilATime) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");
  Modified modified;
  const Timestamp then = broker_.clock().Now() + std::chrono::minutes(1);
  modified.message_annotations.emplace().Add(
      Value(Symbol{"x-opt-delivery-time"}),
      Value(TimestampMs{
          std::chrono::floor<std::chrono::milliseconds>(then.time_since_epoch()).count()}));

  EXPECT_THAT(Dispose(modified), HasSubstr("modified"));

  broker_.Advance(std::chrono::seconds(59));
  EXPECT_THAT(Receive(), IsEmpty());
  broker_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(Receive(), SizeIs(1));
}

TEST_F(BrokerLinksTest, ALockThatIsOverIsTold) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");
  broker_.Advance(std::chrono::seconds(31));

  EXPECT_THAT(Dispose(Accepted()), HasSubstr("com.microsoft:message-lock-lost"));
}

TEST_F(BrokerLinksTest, ADrainIsAnsweredBehindTheLastDelivery) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.HearAll();

  client_.SayFlow(1, 10, /*drain=*/true);

  const std::vector<std::string> lines = client_.HearAll();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], HasSubstr(" transfer{"));
  EXPECT_THAT(lines[1], AllOf(HasSubstr(" flow{"), HasSubstr("delivery-count=10"),
                              HasSubstr("link-credit=0"), HasSubstr("drain=true")));
}

TEST_F(BrokerLinksTest, AFlowThatEndsADrainEndsIt) {
  AttachReceiver();
  client_.HearAll();
  client_.SayFlow(1, 1, /*drain=*/true);

  client_.SayFlow(1, 10);

  EXPECT_THAT(client_.HearAll(), IsEmpty());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(broker_.Send("q", "hello").ok());
  EXPECT_THAT(client_.HearAll(), SizeIs(10));
}

TEST_F(BrokerLinksTest, ADrainBehindADrainIsAnsweredForAllItsCredit) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.HearAll();
  client_.SayFlow(1, 1, /*drain=*/true);
  client_.SayFlow(1, 1);

  client_.SayFlow(1, 5, /*drain=*/true);

  ExpectDrained(3, 5);
}

TEST_F(BrokerLinksTest, CreditThatIsTakenBackGetsNothing) {
  AttachReceiver();
  client_.SayFlow(1, 5);
  client_.HearAll();

  client_.SayFlow(1, 0);
  client_.HearAll();
  ASSERT_TRUE(broker_.Send("q", "hello").ok());

  EXPECT_EQ(client_.Hear(" transfer{"), "");
  EXPECT_THAT(Receive(), SizeIs(1));
}

TEST_F(BrokerLinksTest, WhatIsReceivedAndDeletedIsGoneWhenItIsGiven) {  // ENC-2, LNK-4
  ASSERT_TRUE(broker_.Send("q", "one").ok());
  ASSERT_TRUE(broker_.Send("q", "two").ok());
  Attach consumes = Receiver("r", 1, "q");
  consumes.snd_settle_mode = SenderSettleMode::kSettled;
  client_.Say(consumes);
  EXPECT_THAT(client_.Hear(" attach{name=\"r\""), HasSubstr("snd-settle-mode=settled"));

  client_.SayFlow(1, 1);
  EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("settled=true"));
  EXPECT_EQ(client_.Hear(" transfer{"), "");
  client_.SayDetach(1);

  const auto left = Receive();
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].message->message.body, "two");
}

TEST_F(BrokerLinksTest, ACloseWaitsForNoReceiverWhoseQueueIsGone) {
  AttachConsumer();
  ASSERT_TRUE(broker_.DeleteQueue("q").ok());
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:resource-deleted"));

  served_->Close({ErrorCode::kServiceCommunicationProblem, "it stops"}, now_);

  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
}

TEST_F(BrokerLinksTest, HoweverMuchIsWantedFewMessagesWaitThatAreGone) {
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(broker_.Send("q", "x").ok());
  AttachConsumer();
  Flow flow;
  flow.next_incoming_id = 0;
  flow.incoming_window = 0;
  flow.outgoing_window = 1;
  flow.handle = 1;
  flow.delivery_count = 0;
  flow.link_credit = 1'000'000;
  client_.Say(flow);
  client_.HearAll();
  GoAway();
  broker_.Run();

  EXPECT_THAT(*broker_.Receive("q", 300), SizeIs(200));
}

// What was taken away to be written may not have left.
TEST_F(BrokerLinksTest, WhatTheSocketHasNotTakenCountsToo) {
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(broker_.Send("q", "x").ok());
  AttachConsumer();
  client_.SayFlow(1, 1000);
  for (int i = 0; i < 3; ++i) {
    broker_.Run();
    served_->Work(now_);
    EXPECT_EQ(served_->TakeOutput(now_).empty(), i > 0);
  }
  GoAway();
  broker_.Run();

  EXPECT_THAT(*broker_.Receive("q", 300), SizeIs(200));
}

TEST_F(BrokerLinksTest, ADrainThatGoesByTheHundredEndsWhereThereIsNoMore) {
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(broker_.Send("q", "x").ok());
  AttachConsumer();
  client_.HearAll();

  client_.SayFlow(1, 900, /*drain=*/true);

  ExpectDrained(250, 900);
}

// So many go at once: one more is asked for behind them, of which there is none.
TEST_F(BrokerLinksTest, ADrainThatWantsOneMoreThanThereAreIsAnswered) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(broker_.Send("q", "x").ok());
  AttachConsumer();
  client_.HearAll();

  client_.SayFlow(1, 201, /*drain=*/true);

  ExpectDrained(200, 201);
}

TEST_F(BrokerLinksTest, ATransferDeadLetterQueueIsThereAndEmpty) {  // ADR-6
  AttachReceiver("q/$Transfer/$DeadLetterQueue");
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const LockToken token = Receive()[0].token;
  ASSERT_TRUE(broker_.DeadLetter("q", token).ok());

  client_.SayFlow(1, 5, /*drain=*/true);

  EXPECT_THAT(client_.Hear(" flow{"), HasSubstr("link-credit=0, drain=true"));
  EXPECT_THAT(Receive("q/$DeadLetterQueue"), SizeIs(1));
}

TEST_F(BrokerLinksTest, ANamedSessionIsHeldByItsLinkAndGivenBackWithIt) {
  CreateSessions();
  SendInSession("anna", "Dear Anna");
  SayWantsSession("anna");
  EXPECT_THAT(client_.Hear(" attach{name=\"r\""),
              AllOf(HasSubstr(":com.microsoft:session-filter \"anna\""),
                    HasSubstr(":com.microsoft:locked-until-utc 637")));
  client_.SayFlow(1, 1);
  EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("group-id=\"anna\""));
  EXPECT_FALSE(broker_.AcceptSession("letters", "anna").ok());

  client_.SayDetach(1);
  client_.HearAll();

  const auto again = broker_.AcceptSession("letters", "anna");
  ASSERT_TRUE(again.ok());
  const auto received = broker_.Receive("letters", 1, ReceiveMode::kPeekLock, again->token);
  EXPECT_EQ((*received)[0].delivery.count, 0U);
}

TEST_F(BrokerLinksTest, WhoWaitsForASessionForLongWaitsForAsLongAsTheBrokerDoes) {
  CreateSessions();
  client_.HearAll();
  SayWantsSession(std::nullopt, 3'600'000);
  EXPECT_THAT(client_.HearAll(), IsEmpty());

  broker_.Advance(std::chrono::minutes(5));

  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("com.microsoft:timeout"));
}

TEST_F(BrokerLinksTest, TheNextSessionIsWaitedForUntilThereIsOne) {
  CreateSessions();
  SayWantsSession(std::nullopt);
  EXPECT_EQ(client_.Hear(" attach{name=\"r\""), "");

  SendInSession("bert", "Yours, Bert");

  EXPECT_THAT(client_.Hear(" attach{name=\"r\""), HasSubstr("session-filter \"bert\""));
  EXPECT_EQ(counts_.open_links, 1U);
}

TEST_F(BrokerLinksTest, ASessionThatCannotBeHadIsToldInItsOwnWords) {
  CreateSessions();
  ASSERT_TRUE(broker_.AcceptSession("letters", "anna").ok());
  SayWantsSession("anna");
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("com.microsoft:session-cannot-be-locked"));
  client_.SayDetach(1);

  // Before the client's own time is over.
  SayWantsSession(std::nullopt, 60'000);
  client_.HearAll();
  broker_.Advance(std::chrono::seconds(55));
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("com.microsoft:timeout"));
}

TEST_F(BrokerLinksTest, WhoDetachesBeforeItHasASessionGetsNone) {
  CreateSessions();
  SayWantsSession(std::nullopt);
  client_.HearAll();
  client_.SayDetach(1);
  client_.HearAll();

  SendInSession("anna", "Dear Anna");
  broker_.Run();

  EXPECT_TRUE(broker_.AcceptSession("letters").ok());
}

TEST_F(BrokerLinksTest, ASessionThatIsLostEndsItsLink) {
  CreateSessions();
  SayWantsSession("anna");
  client_.Hear(" attach{name=\"r\"");

  broker_.Advance(std::chrono::minutes(1));

  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("com.microsoft:session-lock-lost"));
}

TEST_F(BrokerLinksTest, SessionsAreAskedForWhereThereAreSome) {
  CreateSessions();
  client_.Say(Receiver("r", 1, "letters"));
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-allowed"));
  Attach attach = Receiver("p", 2, "q");
  attach.source->filter.emplace().Add(Value(Symbol{"com.microsoft:session-filter"}),
                                      Value(std::string("anna")));
  client_.Say(attach);
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-allowed"));
}

TEST_F(BrokerLinksTest, AnEntityThatGoesOrIsDisabledEndsItsLinks) {
  AttachReceiver();
  QueueDescription queue = broker_.GetQueue("q")->record.description;
  queue.status = EntityStatus::kDisabled;
  ASSERT_TRUE(broker_.UpdateQueue(queue).ok());
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("com.microsoft:entity-disabled"));
  client_.SayDetach(1);

  queue.status = EntityStatus::kActive;
  ASSERT_TRUE(broker_.UpdateQueue(queue).ok());
  AttachReceiver();
  ASSERT_TRUE(broker_.DeleteQueue("q").ok());
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:resource-deleted"));
}

// What the broker has taken is not told of as lost, nor is anybody left to wait.
TEST_F(BrokerLinksTest, WhatWasSentIsAnsweredBeforeItsLinkEnds) {
  AttachSender();
  client_.HearAll();
  client_.SayTransfer(0, DataMessage("taken"));
  broker_.broker().Delete(EntityKind::kQueue, "q", [](const Result<std::monostate>&) {});
  client_.SayTransfer(0, DataMessage("not taken"));

  EXPECT_THAT(
      client_.HearAll(),
      ElementsAre(AllOf(HasSubstr(" disposition{"), HasSubstr("accepted")),
                  AllOf(HasSubstr(" disposition{"), HasSubstr("rejected")), HasSubstr(" detach{")));
}

TEST_F(BrokerLinksTest, AnEntityThatTakesNoMoreEndsItsSenders) {
  AttachSender();
  QueueDescription queue = broker_.GetQueue("q")->record.description;
  queue.status = EntityStatus::kReceiveDisabled;
  ASSERT_TRUE(broker_.UpdateQueue(queue).ok());
  EXPECT_THAT(client_.HearAll(), Each(Not(HasSubstr(" detach{"))));
  queue.status = EntityStatus::kSendDisabled;
  ASSERT_TRUE(broker_.UpdateQueue(queue).ok());
  EXPECT_THAT(client_.Hear(" detach{"),
              AllOf(HasSubstr("closed=true"), HasSubstr("com.microsoft:entity-disabled")));
  client_.SayDetach(0);
  client_.SayAttach("again", 0, Role::kSender, "q");
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("com.microsoft:entity-disabled"));
  client_.SayDetach(0);

  queue.status = EntityStatus::kActive;
  ASSERT_TRUE(broker_.UpdateQueue(queue).ok());
  AttachSender();
  client_.SayTransfer(0, DataMessage("hello"));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
  ASSERT_TRUE(broker_.DeleteQueue("q").ok());
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:resource-deleted"));
}

TEST_F(BrokerLinksTest, WhatAClientForgetsWithoutAnOutcomeGoesBack) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  AttachReceiver();
  client_.SayFlow(1, 1);
  client_.Hear(" transfer{");
  Disposition disposition;
  disposition.role = Role::kReceiver;
  disposition.settled = true;
  disposition.state = Received();

  client_.Say(disposition);
  client_.HearAll();

  const auto received = Receive();
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].delivery.count, 0U);
}

TEST_F(BrokerLinksTest, ALinkWithMoreThanThereIsRoomForLeavesSomeToOthers) {
  QueueDescription other;
  other.name = "other";
  ASSERT_TRUE(broker_.CreateQueue(other).ok());
  ASSERT_TRUE(broker_.Send("other", "small").ok());
  for (int i = 0; i < 20; ++i) {
    std::vector<Message> messages(100);
    for (Message& message : messages) message.body = std::string(1024, 'x');
    ASSERT_TRUE(broker_.Send("q", std::move(messages)).ok());
  }
  AttachReceiver();
  client_.SayAttach("o", 2, Role::kReceiver, "other");
  client_.HearAll();

  for (const auto& [handle, credit] : {std::pair(1U, 2000U), std::pair(2U, 1U)}) {
    Flow flow;
    flow.next_incoming_id = 0;
    flow.incoming_window = 100'000;
    flow.outgoing_window = 1000;
    flow.handle = handle;
    flow.delivery_count = 0;
    flow.link_credit = credit;
    client_.Say(flow);
  }

  const std::vector<std::string> lines = client_.HearAll();
  const auto is_others = [](const std::string& line) {
    return line.find(" transfer{handle=1") != std::string::npos;
  };
  EXPECT_LT(std::find_if(lines.begin(), lines.end(), is_others) - lines.begin(), 1000);
  EXPECT_GT(lines.size(), 2000U);
}

TEST_F(BrokerLinksTest, WhatWasNeverWrittenGoesBackWithoutCounting) {
  for (const bool goes_away : {false, true}) {
    // One is begun with, the others wait behind it.
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker_.Send("q", "hello").ok());
    AttachReceiver();
    Flow flow;
    flow.next_incoming_id = 0;
    flow.incoming_window = 0;
    flow.outgoing_window = 1;
    flow.handle = 1;
    flow.delivery_count = 0;
    flow.link_credit = 5;
    client_.Say(flow);
    EXPECT_EQ(client_.Hear(" transfer{"), "");

    if (goes_away) GoAway();
    if (!goes_away) client_.SayDetach(1);
    broker_.Run();

    const auto received = Receive();
    ASSERT_THAT(received, SizeIs(3));
    for (const wharf::Delivered& delivered : received) {
      EXPECT_EQ(delivered.delivery.count, 0U);
      ASSERT_TRUE(broker_.Complete("q", delivered.token).ok());
    }
  }
}

// --- messages

// Of another protocol's sender, which wrote no AMQP.
TEST(AmqpMessageTest, WhatAnyClientSaysComesOutAndIsUnderstood) {
  Message message = SampleMessage();
  message.amqp_form = nullptr;
  message.body = "body";
  message.body_kind = wharf::BodyKind::kData;
  message.time_to_live.reset();
  auto stored = std::make_shared<StoredMessage>();
  stored->message = message;

  const Result<Message> again = MessageOf(EncodedOf({.message = stored}));

  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->message_id, message.message_id);
  EXPECT_EQ(again->application_properties.size(), message.application_properties.size());
  EXPECT_EQ(again->carried->annotations.size(), message.carried->annotations.size());
  EXPECT_EQ(again->body, "body");
}

Modified ModifiedWith(const std::string& key, Value value) {
  Modified modified;
  modified.message_annotations.emplace().Add(Value(Symbol{key}), std::move(value));
  return modified;
}

TEST(SettlementsTest, WhatIsChangedKeepsItsType) {
  const auto changed = [](Value value) {
    const auto settlement = SettlementOf(ModifiedWith("a", std::move(value)));
    return (*settlement)->properties_to_modify.front().second;
  };

  EXPECT_EQ(changed(Value(std::int32_t{5})), PropertyValue(std::int32_t{5}));
  EXPECT_EQ(changed(Value(std::string("red"))), PropertyValue(std::string("red")));
  EXPECT_EQ(changed(Value()), PropertyValue());
  EXPECT_EQ(changed(Value(Symbol{"s"})), PropertyValue(EncodedValue{"\xA3\x01s"}));
  EXPECT_EQ(changed(Value(Binary{"b"})), PropertyValue(EncodedValue{"\xA0\x01"
                                                                    "b"}));
}

// Whatever number it is, it is reckoned with, or refused.
TEST(SettlementsTest, ARestIsUntilATimeThatThereIs) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const auto until = [](Value value) {
    return SettlementOf(ModifiedWith("x-opt-delivery-time", std::move(value)));
  };

  EXPECT_EQ((*until(Value(std::int64_t{1500})))->delay_until,
            Timestamp(std::chrono::milliseconds(1500)));
  EXPECT_EQ((*until(Value(TimestampMs{1500})))->delay_until,
            Timestamp(std::chrono::milliseconds(1500)));
  EXPECT_EQ((*until(Value()))->delay_until, std::nullopt);
  for (const std::int64_t bad :
       {kMax, kMin, kMax / 1000, std::int64_t{-1}, std::int64_t{253'402'300'800'000}}) {
    EXPECT_EQ(until(Value(bad)).status().code(), ErrorCode::kArgumentError) << bad;
  }
  for (const std::int64_t bad : {kMax, kMin, std::int64_t{253'402'300'800'000}}) {
    EXPECT_EQ(until(Value(TimestampMs{bad})).status().code(), ErrorCode::kArgumentError) << bad;
  }
  EXPECT_EQ(until(Value(std::string("soon"))).status().code(), ErrorCode::kArgumentError);
}

TEST(SettlementsTest, AReasonIsAText) {
  const auto reason = [](Value value) {
    Rejected rejected;
    Error& error = rejected.error.emplace();
    error.condition.text = "com.microsoft:dead-letter";
    error.info.emplace().Add(Value(Symbol{"DeadLetterReason"}), std::move(value));
    return SettlementOf(rejected);
  };

  EXPECT_EQ((*reason(Value(std::string("broken"))))->reason, "broken");
  EXPECT_EQ((*reason(Value(Symbol{"broken"})))->reason, "broken");
  EXPECT_EQ((*reason(Value()))->reason, std::nullopt);
  EXPECT_EQ(reason(Value(std::int32_t{5})).status().code(), ErrorCode::kArgumentError);
}

TEST(SettlementsTest, WhatElseIsToldOfADeadLetterIsAPropertyOfIt) {
  Rejected rejected;
  Error& error = rejected.error.emplace();
  error.condition.text = "com.microsoft:dead-letter";
  error.info.emplace().Add(Value(Symbol{"DeadLetterReason"}), Value(std::string("broken")));
  error.info->Add(Value(Symbol{"color"}), Value(std::string("red")));

  const Result<std::optional<Settlement>> settlement = SettlementOf(rejected);

  ASSERT_TRUE(settlement.ok() && *settlement);
  EXPECT_EQ((*settlement)->properties_to_modify,
            (PropertyMap{{"color", PropertyValue(std::string("red"))}}));
}

TEST(SettlementsTest, ATagIsTheTokenAsDotNetReadsIt) {
  const LockToken token = LockToken::FromBytes(
      "\x01\x02\x03\x04\x05\x06\x07\x08"
      "\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10");
  EXPECT_EQ(TagOf(token).bytes,
            "\x04\x03\x02\x01\x06\x05\x08\x07"
            "\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10");
}

}  // namespace
}  // namespace wharf::amqp
