// What a receive stream says, and in which order.

#include "broker/doors/grpc/streams/receive_outbox.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "broker/doors/grpc/services/call.h"

namespace wharf {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kLargeBytes = 2 * 256 * 1024;

Delivered MessageOf(std::uint64_t number, std::int64_t size = 10) {
  auto message = std::make_shared<StoredMessage>();
  message->number = SequenceNumber(number);
  message->facts.size = size;
  message->message.body = "body";
  return {std::move(message), {}, LockToken(1, number), Timestamp(std::chrono::seconds(30))};
}

Delivered LargeMessageOf(std::uint64_t number) {
  auto message = std::make_shared<StoredMessage>();
  message->number = SequenceNumber(number);
  message->facts.size = static_cast<std::int64_t>(kLargeBytes);
  message->facts.body_ref = BodyRef{EntityId(1), SequenceNumber(number), kLargeBytes};
  return {std::move(message), {}, LockToken(1, number), Timestamp(std::chrono::seconds(30))};
}

grpc::ByteBuffer Answer(std::uint32_t credit) {
  v1::ReceiveStreamResponse response;
  response.mutable_drained()->set_messages(credit);
  return Serialize(response);
}

v1::ReceiveStreamResponse Parsed(const ReceiveOutbox::Response& response) {
  grpc::ByteBuffer bytes = response.ToBytes();
  v1::ReceiveStreamResponse parsed;
  EXPECT_TRUE(Parse(bytes, &parsed).ok());
  return parsed;
}

// "1,2" for the deliveries of these numbers, "a7" for the answer 7, "header 3", "chunk".
std::string Said(const ReceiveOutbox::Response& response) {
  const v1::ReceiveStreamResponse parsed = Parsed(response);
  if (parsed.has_drained()) return "a" + std::to_string(parsed.drained().messages());
  if (parsed.has_chunk()) return "chunk";
  if (parsed.has_header()) {
    return "header " + std::to_string(parsed.header().message().sequence_number());
  }
  std::string numbers;
  for (const v1::ReceivedMessage& message : parsed.deliveries().messages()) {
    numbers += (numbers.empty() ? "" : ",") + std::to_string(message.sequence_number());
  }
  return numbers;
}

std::vector<std::string> TakeAll(ReceiveOutbox& outbox) {
  std::vector<std::string> said;
  while (outbox.is_ready()) said.push_back(Said(outbox.Take()));
  return said;
}

TEST(ReceiveOutboxTest, AnswersKeepTheirPlacesAmongDeliveries) {
  ReceiveOutbox outbox;
  outbox.PushAnswer(Answer(1));
  outbox.Push(MessageOf(1));
  outbox.Push(MessageOf(2));
  outbox.PushAnswer(Answer(2));
  outbox.Push(MessageOf(3));
  EXPECT_EQ(outbox.answer_count(), 2U);

  EXPECT_THAT(TakeAll(outbox), ElementsAre("a1", "1,2", "a2", "3"));
  EXPECT_EQ(outbox.answer_count(), 0U);
}

TEST(ReceiveOutboxTest, AResponseTellsWhatItDelivers) {
  ReceiveOutbox outbox;
  outbox.Push(MessageOf(1, 7));
  outbox.Push(MessageOf(2, 8));

  const WrittenDeliveries written = outbox.Take().written;

  EXPECT_EQ(written.messages, 2U);
  EXPECT_EQ(written.bytes, 15);
  EXPECT_THAT(written.tokens, ElementsAre(LockToken(1, 1), LockToken(1, 2)));
}

TEST(ReceiveOutboxTest, AResponseIsBoundedInMessagesAndBytes) {
  ReceiveOutbox outbox;
  for (std::uint64_t number = 1; number <= 257; ++number) outbox.Push(MessageOf(number));
  EXPECT_EQ(outbox.Take().written.messages, 256U);
  EXPECT_EQ(outbox.Take().written.messages, 1U);

  for (std::uint64_t number = 1; number <= 3; ++number) outbox.Push(MessageOf(number, 400 * 1024));
  EXPECT_THAT(TakeAll(outbox), ElementsAre("1,2", "3"));
}

TEST(ReceiveOutboxTest, AReplyDoesNotWaitForALargeMessageButAnAnswerDoes) {
  ReceiveOutbox outbox;
  outbox.Push(LargeMessageOf(1));
  EXPECT_EQ(Said(outbox.Take()), "header 1");
  outbox.PushAnswer(Answer(8));
  outbox.PushReply(Answer(9));

  EXPECT_THAT(TakeAll(outbox), ElementsAre("a9"));
  for (int chunk = 0; chunk < 2; ++chunk) {
    const auto read = outbox.NextRead();
    ASSERT_TRUE(read);
    EXPECT_TRUE(outbox.IsSending(*read->large));
    read->large->Add(std::string(256 * 1024, 'x'));
  }
  EXPECT_EQ(Parsed(outbox.Take()).chunk().data().size(), 256U * 1024);
  const WrittenDeliveries written = outbox.Take().written;
  EXPECT_EQ(written.messages, 1U);
  EXPECT_THAT(written.tokens, ElementsAre(LockToken(1, 1)));
  EXPECT_THAT(TakeAll(outbox), ElementsAre("a8"));
}

TEST(ReceiveOutboxTest, WhatIsDroppedIsTold) {
  ReceiveOutbox outbox;
  outbox.Push(LargeMessageOf(1));
  outbox.Take();
  outbox.Push(MessageOf(2));
  outbox.PushAnswer(Answer(3));

  const std::vector<Delivered> dropped = outbox.DropDeliveries();

  ASSERT_EQ(dropped.size(), 2U);
  EXPECT_EQ(dropped[0].message->number, SequenceNumber(1));
  EXPECT_EQ(dropped[1].message->number, SequenceNumber(2));
  EXPECT_FALSE(outbox.NextRead());
  EXPECT_THAT(TakeAll(outbox), ElementsAre("a3"));
}

TEST(ReceiveOutboxTest, AnswersCanBeDroppedToo) {
  ReceiveOutbox outbox;
  outbox.PushAnswer(Answer(3));
  outbox.Push(MessageOf(2));
  outbox.PushAnswer(Answer(4));

  outbox.DropAnswers();

  EXPECT_EQ(outbox.answer_count(), 0U);
  EXPECT_THAT(TakeAll(outbox), ElementsAre("2"));
}

TEST(ReceiveOutboxTest, ItKnowsHowLongItsAnswersAre) {
  const std::size_t length = Answer(1).Length();
  ReceiveOutbox outbox;
  outbox.PushAnswer(Answer(1));
  outbox.Push(LargeMessageOf(1));
  EXPECT_EQ(outbox.answer_bytes(), length);
  outbox.Take();
  EXPECT_EQ(outbox.answer_bytes(), 0U);

  outbox.Take();  // The header: a reply goes before the rest.
  outbox.PushReply(Answer(2));
  outbox.PushAnswer(Answer(3));
  EXPECT_EQ(outbox.answer_bytes(), 2 * length);
  outbox.Take();
  EXPECT_EQ(outbox.answer_bytes(), length);
  outbox.DropAnswers();
  EXPECT_EQ(outbox.answer_bytes(), 0U);
}

TEST(ReceiveOutboxTest, ItKnowsWhatItHolds) {
  ReceiveOutbox outbox;
  outbox.Push(MessageOf(1, 100));
  outbox.Push(MessageOf(2, 50));
  outbox.Push(LargeMessageOf(3));
  EXPECT_EQ(outbox.bytes(), 150);

  EXPECT_EQ(outbox.Take().written.held_bytes, 150);
  EXPECT_EQ(outbox.bytes(), 0);

  outbox.Take();
  const auto read = outbox.NextRead();
  ASSERT_TRUE(read);
  read->large->Add(std::string(1000, 'x'));
  EXPECT_EQ(outbox.bytes(), 1000);

  outbox.Push(MessageOf(4, 70));
  outbox.DropDeliveries();
  EXPECT_EQ(outbox.bytes(), 0);
}

}  // namespace
}  // namespace wharf
