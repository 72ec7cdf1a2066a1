// Which number and which place messages get.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/core/queue_fixture.h"

namespace wharf {
namespace {

using Numbers = std::vector<std::uint64_t>;

Message Prior(std::uint32_t priority) {
  CarriedProperties carried;
  carried.priority = priority;
  Message message;
  message.carried = std::make_shared<const CarriedProperties>(carried);
  return message;
}

Message Keyed(std::string key, std::optional<std::string> id = std::nullopt) {
  Message message;
  message.partition_key = std::move(key);
  message.message_id = std::move(id);
  return message;
}

Message Named(std::string id) {
  Message message;
  message.message_id = std::move(id);
  return message;
}

// The number that a message got.
std::uint64_t SendOne(QueueFixture& queue, Message message) {
  const auto sent = queue.Send(std::vector<Message>{std::move(message)});
  return (*sent)[0]->number.value();
}

PartitionId PartitionFor(QueueFixture& queue, Message message) {
  return PartitionOf(SequenceNumber(SendOne(queue, std::move(message))));
}

class PriorityQueueTest : public ::testing::Test {
 protected:
  // All that can be received.
  Numbers ReceiveAll() {
    Numbers numbers;
    while (const auto delivered = queue_.Receive()) {
      numbers.push_back(delivered->message->number.value());
      tokens_.push_back(delivered->token);
    }
    return numbers;
  }

  QueueFixture queue_{{.max_delivery_count = 2, .enable_priority = true}};
  std::vector<LockToken> tokens_;
};

TEST_F(PriorityQueueTest, DeliveryGoesByLevelThenByNumberAndFourIsTheDefault) {  // PRI-1
  for (const std::uint32_t priority : {3, 5, 9, 0}) SendOne(queue_, Prior(priority));
  SendOne(queue_, Message());
  SendOne(queue_, Prior(9));

  EXPECT_EQ(ReceiveAll(), Numbers({3, 6, 2, 5, 1, 4}));
}

TEST_F(PriorityQueueTest, AHigherPriorityThanNineIsRefusedAndTakesNoNumber) {  // PRI-1, SEQ-2
  const auto sent = queue_.Send({Prior(10), Prior(9)});

  EXPECT_EQ((*sent)[0].status().code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ((*sent)[1]->number, SequenceNumber(1));
}

TEST_F(PriorityQueueTest, WhatComesBackGoesToItsPlaceInItsLevel) {  // PRI-1, STA-2
  for (const std::uint32_t priority : {1, 1, 7, 7}) SendOne(queue_, Prior(priority));
  ReceiveAll();

  for (const LockToken& token : tokens_) {
    ASSERT_TRUE(queue_.Settle(token, SettleVerb::kRelease).ok());
  }

  EXPECT_EQ(ReceiveAll(), Numbers({3, 4, 1, 2}));
}

TEST_F(PriorityQueueTest, ADelayedMessageHoldsNobodyBack) {  // RTY-2
  SendOne(queue_, Prior(9));
  SendOne(queue_, Prior(1));
  const LockToken first = queue_.Receive()->token;

  ASSERT_TRUE(queue_
                  .Settle(first, Settlement{.verb = SettleVerb::kAbandon,
                                            .delay = std::chrono::seconds(30)})
                  .ok());

  EXPECT_EQ(ReceiveAll(), Numbers({2}));
}

TEST_F(PriorityQueueTest, TheDeadLetterQueueIsInPlainOrder) {  // PRI-1, SEQ-7
  SendOne(queue_, Prior(1));
  SendOne(queue_, Prior(9));
  ReceiveAll();
  for (const LockToken& token : tokens_) {
    ASSERT_TRUE(queue_.Settle(token, SettleVerb::kDeadLetter).ok());
  }

  EXPECT_EQ(queue_.Receive(LaneKind::kDeadLetter)->message->number, SequenceNumber(1));
  EXPECT_EQ(queue_.Receive(LaneKind::kDeadLetter)->message->number, SequenceNumber(2));
}

class PartitionedQueueTest : public ::testing::Test {
 protected:
  QueueFixture queue_{{.enable_partitioning = true}};
  QueueFixture unique_{{.requires_duplicate_detection = true, .enable_partitioning = true}};
};

TEST_F(PartitionedQueueTest, EveryPartitionCountsForItselfWithoutGaps) {  // PAR-3, SEQ-2, SEQ-5
  for (std::uint64_t round = 0; round < 3; ++round) {
    for (PartitionId partition = 0; partition < kPartitions; ++partition) {
      EXPECT_EQ(SendOne(queue_, Message()), FirstNumberOf(partition).value() + round);
    }
  }
}

TEST_F(PartitionedQueueTest, EqualKeysGoToOnePartition) {  // PAR-1
  for (const char* key : {"a", "customer-7", "x"}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(PartitionFor(queue_, Keyed(key)), PartitionOfKey(key));
  }
}

TEST_F(PartitionedQueueTest, ASessionIdGoesBeforeAPartitionKeyAndThatBeforeAMessageId) {  // PAR-1
  Message in_session = Named("id");
  in_session.session_id.emplace("session");
  EXPECT_EQ(PartitionFor(unique_, in_session), PartitionOfKey("session"));
  EXPECT_EQ(PartitionFor(unique_, Keyed("key", "id")), PartitionOfKey("key"));
  EXPECT_EQ(PartitionFor(unique_, Named("other")), PartitionOfKey("other"));

  // An id is no key where nobody compares it.
  EXPECT_EQ(PartitionFor(queue_, Named("other")), 0);
  EXPECT_EQ(PartitionFor(queue_, Named("other")), 1);
}

TEST_F(PartitionedQueueTest, ASessionIdAndAPartitionKeyMustBeEqual) {  // PRP-9, PAR-7
  Message message = Keyed("a");
  message.session_id = "b";

  const auto sent = queue_.Send(std::vector<Message>{message});

  EXPECT_EQ((*sent)[0].status().code(), ErrorCode::kInvalidOperation);
}

TEST_F(PartitionedQueueTest, AnAtomicSendHasOneKeyOrNone) {  // PAR-5
  EXPECT_EQ(queue_.Send({Keyed("a"), Keyed("b")}, true).status().code(),
            ErrorCode::kInvalidOperation);
  EXPECT_EQ(queue_.Send({Keyed("a"), Message()}, true).status().code(),
            ErrorCode::kInvalidOperation);
  EXPECT_EQ(unique_.Send({Named("a"), Named("b")}, true).status().code(),
            ErrorCode::kInvalidOperation);
  EXPECT_TRUE(queue_.changes().empty());

  const auto keyed = queue_.Send({Keyed("a"), Keyed("a")}, true);
  EXPECT_EQ((*keyed)[1]->number, (*keyed)[0]->number.Next());
  const auto free = queue_.Send({Message(), Message()}, true);
  EXPECT_EQ((*free)[1]->number, (*free)[0]->number.Next());
}

TEST_F(PartitionedQueueTest, AnIdIsADuplicateWithinItsPartitionKey) {  // DUP-3
  ASSERT_TRUE(unique_.Send({Keyed("a", "id")}).ok());
  const auto again = unique_.Send({Keyed("a", "id"), Keyed("b", "id"), Named("id"), Named("id")});

  EXPECT_TRUE((*again)[0]->is_duplicate);
  EXPECT_FALSE((*again)[1]->is_duplicate);
  EXPECT_FALSE((*again)[2]->is_duplicate);
  EXPECT_TRUE((*again)[3]->is_duplicate);
}

TEST_F(PartitionedQueueTest, ScheduledMessagesWaitInPartitionZero) {  // SCH-5, PAR-1
  Message message = Keyed("customer-7");
  message.scheduled_enqueue_time = queue_.now() + std::chrono::seconds(10);
  ASSERT_EQ(PartitionFor(queue_, message), 0);

  Changes changes;
  const auto number = queue_.queue().scheduled().Activate({SequenceNumber(1)}, {queue_.contents()},
                                                          queue_.now(), changes);

  EXPECT_EQ(PartitionOf(number->front()), PartitionOfKey("customer-7"));
}

TEST_F(PartitionedQueueTest, ReceiversGetFromAllPartitionsAndEachKeyInOrder) {  // PAR-4, PAR-2
  for (const char* key : {"a", "a", "a", "customer-7", "x"}) SendOne(queue_, Keyed(key));

  std::vector<PartitionId> partitions;
  std::map<PartitionId, std::uint64_t> last;
  while (const auto delivered = queue_.Receive()) {
    const SequenceNumber number = delivered->message->number;
    partitions.push_back(PartitionOf(number));
    EXPECT_GT(number.value(), last[PartitionOf(number)]);
    last[PartitionOf(number)] = number.value();
  }

  ASSERT_EQ(partitions.size(), 5U);
  EXPECT_EQ(std::set(partitions.begin(), partitions.begin() + 3).size(), 3U);
}

TEST_F(PartitionedQueueTest, DeadLettersStayInTheirPartition) {  // SEQ-7, PAR-4
  for (const char* key : {"a", "a", "customer-7"}) SendOne(queue_, Keyed(key));
  while (const auto delivered = queue_.Receive()) {
    ASSERT_TRUE(queue_.Settle(delivered->token, SettleVerb::kDeadLetter).ok());
  }

  std::set<PartitionId> first_two;
  for (int i = 0; i < 2; ++i) {
    first_two.insert(PartitionOf(queue_.Receive(LaneKind::kDeadLetter)->message->number));
  }
  EXPECT_EQ(first_two, std::set({PartitionOfKey("a"), PartitionOfKey("customer-7")}));
}

TEST(PlainQueueTest, IsPartitionZero) {  // PAR-7
  QueueFixture queue;
  EXPECT_EQ(SendOne(queue, Keyed("customer-7")), 1U);
  EXPECT_EQ(SendOne(queue, Message()), 2U);
}

}  // namespace
}  // namespace wharf
