// Two queues side by side: messages leave the one and enter the other.

#include <memory>

#include <gtest/gtest.h>

#include "broker/core/queue/transfer.h"
#include "tests/core/queue_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

QueueDescription Forwarding(QueueDescription queue = {}) {
  queue.name = "source";
  queue.forward_to = "target";
  return queue;
}

QueueDescription Target(QueueDescription queue = {}) {
  queue.name = "target";
  return queue;
}

class QueueForwardTest : public ::testing::Test {
 protected:
  explicit QueueForwardTest(const QueueDescription& target = {}) : target_(Target(target)) {}

  Forwarded Forward(LaneKind kind = LaneKind::kMain) {
    changes_.clear();
    return ForwardHead(source_.queue(), kind, &target_.queue(), known_, source_.now(), changes_);
  }
  Forwarded ForwardTo(const Status& reason) {
    changes_.clear();
    return ForwardHead(source_.queue(), LaneKind::kMain, reason, known_, source_.now(), changes_);
  }
  void Send(Message message) {
    std::vector<Message> messages;
    messages.push_back(std::move(message));
    ASSERT_TRUE(source_.Send(std::move(messages)).ok());
  }
  // The only change of the last call; without it the test ends.
  template <typename T>
  T Only() const {
    EXPECT_EQ(changes_.size(), 1U);
    return std::get<T>(changes_.at(0));
  }
  // What its dead letter says.
  std::string ReasonOf(std::string_view property = kDeadLetterReason) const {
    const auto dead_lettered = Only<MessageDeadLettered>();
    for (const auto& [name, value] : dead_lettered.message->message.application_properties) {
      if (name == property) return std::get<std::string>(value);
    }
    return "";
  }
  const LaneCounters& MainOf(QueueFixture& queue) {
    return queue.queue().lane(LaneKind::kMain).counters();
  }

  QueueFixture source_{Forwarding()};
  QueueFixture target_;
  KnownIds known_;
  Changes changes_;
};

TEST_F(QueueForwardTest, AMessageLeavesAndEntersInOneChange) {  // FWD-1, FWD-12, SEQ-9, CNT-14
  Message message;
  message.body = "hello";
  message.message_id = "m";
  message.session_id = "s";
  message.partition_key = "s";
  message.time_to_live = hours(1);
  message.application_properties = {{"color", std::string("red")}};
  Send(std::move(message));
  ASSERT_TRUE(target_.Send("before").ok());
  source_.clock().Advance(seconds(5));

  EXPECT_EQ(Forward(), Forwarded::kMoved);

  const auto forwarded = Only<MessageForwarded>();
  EXPECT_EQ(forwarded.number_before, SequenceNumber(1));
  EXPECT_EQ(forwarded.from, Standing::kFresh);
  const StoredMessage& stored = *forwarded.message;
  EXPECT_EQ(stored.number, SequenceNumber(2));
  EXPECT_EQ(stored.enqueued_number, SequenceNumber(1));
  EXPECT_EQ(stored.enqueued_at, source_.now());
  EXPECT_EQ(stored.facts.expires_at, source_.now() + hours(1));
  EXPECT_EQ(stored.hops, 1U);
  EXPECT_EQ(stored.message.message_id, "m");
  EXPECT_EQ(stored.message.session_id, "s");
  EXPECT_EQ(stored.message.partition_key, "s");
  EXPECT_EQ(stored.message.application_properties.size(), 1U);
  EXPECT_EQ(MainOf(source_).messages(), 0);
  EXPECT_EQ(MainOf(source_).bytes, 0);
  EXPECT_EQ(MainOf(source_).cursor, SequenceNumber(2));
  EXPECT_EQ(MainOf(target_).fresh, 2);
  EXPECT_EQ(MainOf(target_).bytes, 6 + stored.facts.size);
}

TEST_F(QueueForwardTest, NothingExpiresOnTheWay) {  // TTL-16
  Message message;
  message.time_to_live = seconds(1);
  Send(std::move(message));
  source_.clock().Advance(seconds(2));

  EXPECT_FALSE(source_.queue().receiving().ExpireHeads({}, source_.now(), 10, changes_));
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(Forward(), Forwarded::kMoved);
  EXPECT_EQ(Only<MessageForwarded>().message->facts.expires_at, source_.now() + seconds(1));
}

TEST_F(QueueForwardTest, TheFirstNumberIsKeptAndEachHopCounts) {  // SEQ-9, FWD-10
  ASSERT_TRUE(source_.Send("before").ok());
  ASSERT_TRUE(source_.Send().ok());
  ASSERT_EQ(Forward(), Forwarded::kMoved);
  ASSERT_EQ(Forward(), Forwarded::kMoved);
  QueueFixture last;
  ASSERT_TRUE(target_.queue().lane(LaneKind::kMain).head(nullptr) != nullptr);
  for (int i = 0; i < 2; ++i) {
    changes_.clear();
    ForwardHead(target_.queue(), LaneKind::kMain, &last.queue(), known_, source_.now(), changes_);
  }

  const StoredMessage& stored = *Only<MessageForwarded>().message;
  EXPECT_EQ(stored.enqueued_number, SequenceNumber(2));
  EXPECT_EQ(stored.hops, 2U);
}

TEST_F(QueueForwardTest, AfterFourHopsItIsDeadLetteredWhereItIs) {  // FWD-9, RSN-5
  ASSERT_TRUE(source_.Send().ok());
  std::vector<std::unique_ptr<QueueFixture>> chain;
  Queue* from = &source_.queue();
  for (int hop = 0; hop < 4; ++hop) {
    chain.push_back(std::make_unique<QueueFixture>());
    ASSERT_EQ(ForwardHead(*from, LaneKind::kMain, &chain.back()->queue(), known_, source_.now(),
                          changes_),
              Forwarded::kMoved);
    from = &chain.back()->queue();
  }
  changes_.clear();

  EXPECT_EQ(ForwardHead(*from, LaneKind::kMain, &target_.queue(), known_, source_.now(), changes_),
            Forwarded::kDeadLettered);

  EXPECT_EQ(ReasonOf(), "MaxTransferHopCountExceeded");
  EXPECT_EQ(ReasonOf(kDeadLetterErrorDescription),
            "The maximum number of allowed hops when forwarding between queues has been exceeded. "
            "This value is set to 4.");
  EXPECT_EQ(from->lane(LaneKind::kDeadLetter).counters().returned, 1);
}

TEST_F(QueueForwardTest, WhatATargetDoesNotTakeIsDeadLetteredWithItsReason) {  // FWD-11, RSN-8
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(source_.Send().ok());

  EXPECT_EQ(ForwardTo({ErrorCode::kMessagingEntityNotFound, "it is gone"}),
            Forwarded::kDeadLettered);
  EXPECT_EQ(ReasonOf(), "MessagingEntityNotFoundException");
  EXPECT_EQ(ReasonOf(kDeadLetterErrorDescription), "it is gone");

  target_.Update(Target({.status = EntityStatus::kSendDisabled}));
  EXPECT_EQ(Forward(), Forwarded::kDeadLettered);
  EXPECT_EQ(ReasonOf(), "MessagingEntityDisabledException");

  target_.Update(Target({.max_size_in_megabytes = 1}));
  ASSERT_TRUE(target_.Send(std::string(1024 * 1024, 'x')).ok());
  EXPECT_EQ(Forward(), Forwarded::kDeadLettered);
  EXPECT_EQ(ReasonOf(), "QuotaExceededException");
  EXPECT_EQ(MainOf(source_).messages(), 0);
}

TEST_F(QueueForwardTest, PropertiesThatGrewTooLargeAreTheReason) {  // RSN-3, SIZ-5
  Message message;
  message.application_properties = {{"a", std::string(31 * 1024, 'x')},
                                    {"b", std::string(31 * 1024, 'x')}};
  source_.Update({.name = "source"});
  Send(std::move(message));
  const Delivered delivered = source_.Receive().value();
  ASSERT_TRUE(
      source_
          .Settle(delivered.token, {.verb = SettleVerb::kAbandon,
                                    .properties_to_modify = {{"c", std::string(8 * 1024, 'x')}}})
          .ok());
  ASSERT_FALSE(source_.Receive(LaneKind::kDeadLetter));
  Lane& lane = source_.queue().lane(LaneKind::kMain);
  ASSERT_TRUE(lane.NextRead(true));
  lane.TakeRead(ContentBatch{{source_.contents().at(SequenceNumber(1))}}, Timestamp(), changes_);

  EXPECT_EQ(Forward(), Forwarded::kDeadLettered);
  EXPECT_EQ(ReasonOf(), "HeaderSizeExceeded");
  EXPECT_EQ(ReasonOf(kDeadLetterErrorDescription),
            "The size quota for this stream has been exceeded.");
}

TEST_F(QueueForwardTest, WhatReceiversChangedGoesAlong) {  // FWD-12
  source_.Update({.name = "source"});
  const Delivered delivered = source_.SendAndReceive();
  ASSERT_TRUE(source_
                  .Settle(delivered.token, {.verb = SettleVerb::kAbandon,
                                            .properties_to_modify = {{"tries", std::int32_t{1}}}})
                  .ok());
  Lane& lane = source_.queue().lane(LaneKind::kMain);
  ASSERT_TRUE(lane.NextRead(true));
  lane.TakeRead(ContentBatch{{source_.contents().at(SequenceNumber(1))}}, Timestamp(), changes_);

  EXPECT_EQ(Forward(), Forwarded::kMoved);

  const auto forwarded = Only<MessageForwarded>();
  EXPECT_EQ(forwarded.from, Standing::kReturned);
  EXPECT_EQ(forwarded.message->message.application_properties,
            (PropertyMap{{"tries", std::int32_t{1}}}));
  EXPECT_EQ(target_.Receive()->delivery.count, 0U);  // CNT-14
}

// A rule of a subscription may set the time; a queue would have kept the message until then.
TEST_F(QueueForwardTest, AMessageWhoseTimeHasNotComeIsScheduledAtTheTarget) {  // FWD-13, SCH-15
  auto copy = std::make_shared<StoredMessage>();
  copy->message.scheduled_enqueue_time = source_.now() + seconds(5);
  copy->message.time_to_live = seconds(1);
  source_.queue().arrivals().TakeCopy(std::move(copy), source_.now(), changes_);

  EXPECT_EQ(Forward(), Forwarded::kMoved);

  const auto forwarded = Only<MessageForwarded>();
  EXPECT_EQ(forwarded.scheduled_for, source_.now() + seconds(5));
  EXPECT_EQ(forwarded.message->facts.expires_at, kNever);
  EXPECT_EQ(MainOf(target_).scheduled, 1);
  EXPECT_EQ(MainOf(target_).messages(), 0);
}

TEST_F(QueueForwardTest, ABodyInRowsOfItsOwnStaysWhereItIs) {
  ASSERT_TRUE(source_.Send(std::string(5000, 'x')).ok());

  EXPECT_EQ(Forward(), Forwarded::kMoved);

  const auto forwarded = Only<MessageForwarded>();
  EXPECT_EQ(forwarded.message->facts.body_ref, forwarded.facts_before.body_ref);
  EXPECT_EQ(target_.Receive()->message->message.body.size(), 5000U);
}

TEST_F(QueueForwardTest, AForwardIsActivityOfTheTarget) {  // ADI-7
  target_.Update(Target({.auto_delete_on_idle = hours(1)}));
  ASSERT_TRUE(source_.Send().ok());
  source_.clock().Advance(hours(2));

  ASSERT_EQ(Forward(), Forwarded::kMoved);

  EXPECT_EQ(target_.queue().idle_deadline(), source_.now() + hours(1));
}

TEST_F(QueueForwardTest, ARedriveGivesAMessageItsHopsBack) {  // RDR-1
  ASSERT_TRUE(source_.Send().ok());
  ASSERT_EQ(Forward(), Forwarded::kMoved);
  target_.Update(Target());
  const Delivered delivered = target_.Receive().value();
  FoundMessage dead{Standing::kReturned, {}, delivered.message};
  changes_.clear();
  Contents contents{{delivered.message->number, delivered.message}};
  ASSERT_TRUE(target_.queue()
                  .settling()
                  .Settle(LaneKind::kMain, delivered.token, {.verb = SettleVerb::kDeadLetter},
                          contents, source_.now(), changes_)
                  .ok());
  dead.message = std::get<MessageDeadLettered>(changes_.at(0)).message;
  EXPECT_EQ(dead.message->hops, 1U);
  changes_.clear();

  ASSERT_TRUE(Redrive(target_.queue(), dead, target_.queue(), source_.now(), changes_).ok());

  EXPECT_EQ(std::get<MessageRedriven>(changes_.at(0)).message->hops, 0U);
}

TEST_F(QueueForwardTest, ReceivingIsRefusedWhereMessagesAreForwarded) {  // RCV-5, FWD-14
  EXPECT_EQ(source_.queue().receiving().Check(LaneKind::kMain).code(),
            ErrorCode::kInvalidOperation);
  EXPECT_TRUE(source_.queue().receiving().Check(LaneKind::kDeadLetter).ok());

  target_.Update(Target({.forward_dead_lettered_messages_to = "source"}));
  EXPECT_TRUE(target_.queue().receiving().Check(LaneKind::kMain).ok());
  EXPECT_EQ(target_.queue().receiving().Check(LaneKind::kDeadLetter).code(),
            ErrorCode::kInvalidOperation);
}

class ForwardToSessionsTest : public QueueForwardTest {
 protected:
  ForwardToSessionsTest() : QueueForwardTest({.requires_session = true}) {}
};

TEST_F(ForwardToSessionsTest, AMessageJoinsItsSession) {  // FWD-5, FWD-13
  Message message;
  message.session_id = "red";
  Send(std::move(message));

  EXPECT_EQ(Forward(), Forwarded::kMoved);

  const auto& forwarded = std::get<MessageForwarded>(changes_.back());
  EXPECT_EQ(forwarded.facts_before.session_id, "");
  EXPECT_EQ(forwarded.message->facts.session_id, "red");
}

TEST_F(ForwardToSessionsTest, AMessageWithoutOneIsDeadLettered) {  // FWD-5, RSN-4
  ASSERT_TRUE(source_.Send().ok());

  EXPECT_EQ(Forward(), Forwarded::kDeadLettered);

  EXPECT_EQ(ReasonOf(), "Session ID is null.");
  EXPECT_EQ(ReasonOf(kDeadLetterErrorDescription),
            "Session enabled entity doesn't allow a message whose session identifier is null.");
}

class ForwardToUniqueTest : public QueueForwardTest {
 protected:
  ForwardToUniqueTest() : QueueForwardTest({.requires_duplicate_detection = true}) {}

  static Message Named(std::string body) {
    Message message;
    message.message_id = "m";
    message.body = std::move(body);
    return message;
  }
};

TEST_F(ForwardToUniqueTest, ADuplicateIsDropped) {  // DUP-9, DUP-4
  Send(Named("one"));
  Send(Named(std::string(5000, 'x')));
  ASSERT_EQ(Forward(), Forwarded::kMoved);
  EXPECT_EQ(known_.at({"", "m"}).number, SequenceNumber(1));

  EXPECT_EQ(Forward(), Forwarded::kMoved);

  const auto removed = Only<MessageRemoved>();
  EXPECT_EQ(removed.cause, RemovalCause::kDuplicate);
  EXPECT_TRUE(removed.facts.body_ref.has_value());
  EXPECT_EQ(MainOf(source_).bytes, 0);
  EXPECT_EQ(MainOf(target_).messages(), 1);
  EXPECT_EQ(MainOf(target_).next_number, SequenceNumber(2));
}

// Dead letters of the source go to the target.
class ForwardDeadLettersTest : public QueueForwardTest {
 protected:
  ForwardDeadLettersTest() {
    source_.Update({.name = "source", .forward_dead_lettered_messages_to = "target"});
  }

  // One that has made so many hops.
  void DeadLetter(std::uint32_t hops = 0) {
    const Delivered delivered = source_.SendAndReceive();
    ASSERT_TRUE(source_.Settle(delivered.token, SettleVerb::kDeadLetter).ok());
    const SequenceNumber number = delivered.message->number;
    Lane& lane = source_.queue().lane(LaneKind::kDeadLetter);
    auto stored = std::make_shared<StoredMessage>(*source_.contents().at(number));
    stored->hops = hops;
    if (lane.NextRead(true))
      lane.TakeRead(ContentBatch{{std::move(stored)}}, Timestamp(), changes_);
  }
  Forwarded ForwardDeadLetter() { return Forward(LaneKind::kDeadLetter); }
  const LaneCounters& DeadLetters() {
    return source_.queue().lane(LaneKind::kDeadLetter).counters();
  }
};

TEST_F(ForwardDeadLettersTest, TheySayWhereTheyComeFrom) {  // FWD-14, PRP-20
  DeadLetter();

  EXPECT_EQ(ForwardDeadLetter(), Forwarded::kMoved);

  const auto forwarded = Only<MessageForwarded>();
  EXPECT_EQ(forwarded.from, Standing::kReturned);
  EXPECT_EQ(forwarded.message->dead_letter_source, "source");
  EXPECT_EQ(DeadLetters().messages(), 0);
}

TEST_F(ForwardDeadLettersTest, TheyStayWhileTheTargetTakesNothing) {  // FWD-15
  DeadLetter();
  target_.Update(Target({.status = EntityStatus::kDisabled}));

  EXPECT_EQ(ForwardDeadLetter(), Forwarded::kBlocked);
  EXPECT_TRUE(changes_.empty());

  target_.Update(Target());
  EXPECT_EQ(ForwardDeadLetter(), Forwarded::kMoved);
}

TEST_F(ForwardDeadLettersTest, OneThatNoTargetTakesDoesNotHoldUpTheOthers) {  // FWD-16
  DeadLetter(/*hops=*/4);
  EXPECT_EQ(ForwardDeadLetter(), Forwarded::kPassed);
  EXPECT_TRUE(changes_.empty());
  EXPECT_FALSE(source_.queue().lane(LaneKind::kDeadLetter).has_unpassed());

  DeadLetter();
  EXPECT_EQ(ForwardDeadLetter(), Forwarded::kMoved);
  EXPECT_EQ(DeadLetters().returned, 1);
}

}  // namespace
}  // namespace wharf
