#include "broker/core/queue/queue.h"

#include <gtest/gtest.h>

#include "tests/core/queue_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr LaneKind kDead = LaneKind::kDeadLetter;

std::vector<Message> Bodies(std::initializer_list<std::size_t> sizes) {
  std::vector<Message> messages;
  for (const std::size_t size : sizes) messages.emplace_back().body = std::string(size, 'x');
  return messages;
}

PropertyMap PropertiesOf(const Delivered& delivered) {
  PropertyMap properties = delivered.message->message.application_properties;
  if (delivered.delivery.changed_properties) {
    Merge(properties, *delivered.delivery.changed_properties);
  }
  return properties;
}

TEST(QueueTest, AGuessThatIsRemovedLeavesNothingCounted) {
  QueueFixture queue;
  Lane& lane = queue.queue().lane(LaneKind::kMain);
  const LockToken token = queue.SendAndReceive().token;
  constexpr SequenceNumber kGuessed(9);
  Changes changes;
  lane.Quarantine({.number = kGuessed, .reason = "damaged", .is_guess = true}, queue.now(),
                  changes);
  ASSERT_EQ(lane.counters().quarantined, 1);
  ASSERT_TRUE(lane.counters().is_uncertain);

  auto stub = std::make_shared<StoredMessage>();
  stub->number = kGuessed;
  const FoundMessage found{
      .standing = Standing::kQuarantined, .delivery = {}, .message = stub, .unreadable = "damaged"};
  EXPECT_TRUE(queue.queue()
                  .by_number()
                  .SettleOne(LaneKind::kMain, kGuessed, {.verb = SettleVerb::kComplete},
                             {{kGuessed, found}}, queue.now(), changes)
                  .ok());
  EXPECT_TRUE(queue.Settle(token, SettleVerb::kComplete).ok());

  lane.AssertWhole();
  EXPECT_TRUE(lane.contradiction().ok());
  EXPECT_EQ(lane.counters().messages(), 0);
  EXPECT_EQ(lane.counters().bytes, 0);
  EXPECT_FALSE(lane.counters().is_uncertain);
}

TEST(QueueTest, WhatCannotBeReadAndIsKnownLeavesCountersCertain) {
  QueueFixture queue;
  Lane& lane = queue.queue().lane(LaneKind::kMain);
  const LockToken token = queue.SendAndReceive().token;
  Changes changes;

  lane.QuarantineLocked(token, "damaged", queue.now(), changes);

  lane.AssertWhole();
  EXPECT_EQ(lane.counters().locked, 0);
  EXPECT_EQ(lane.counters().quarantined, 1);
  EXPECT_FALSE(lane.counters().is_uncertain);
  EXPECT_EQ(lane.TakeFreedHolders().size(), 1U);
}

TEST(QueueTest, WhatIsDeferredAndCannotBeReadIsNotServed) {
  QueueFixture queue;
  const LockToken token = queue.SendAndReceive().token;
  ASSERT_TRUE(queue.Settle(token, SettleVerb::kDefer).ok());
  auto stub = std::make_shared<StoredMessage>();
  stub->number = SequenceNumber(1);
  const FoundMessages found{{SequenceNumber(1), FoundMessage{.standing = Standing::kDeferred,
                                                             .delivery = {},
                                                             .message = stub,
                                                             .unreadable = "damaged"}}};
  Changes changes;

  for (const ReceiveMode mode : {ReceiveMode::kPeekLock, ReceiveMode::kReceiveAndDelete}) {
    const auto received =
        queue.queue().by_number().ReceiveDeferred(LaneKind::kMain, mode, HolderId(1), std::nullopt,
                                                  {SequenceNumber(1)}, found, queue.now(), changes);
    EXPECT_EQ(received.status().code(), ErrorCode::kGeneralError);
  }

  EXPECT_EQ(queue.queue().lane(LaneKind::kMain).counters().deferred, 1);
}

TEST(QueueTest, ALockedMessageIsNotDeliveredAgain) {  // RCV-2
  QueueFixture queue;
  const Delivered first = queue.SendAndReceive();

  EXPECT_EQ(first.until, queue.now() + std::chrono::minutes(1));  // LCK-1, LCK-2
  EXPECT_FALSE(first.token.is_zero());
  EXPECT_EQ(queue.Receive(), std::nullopt);
}

TEST(QueueTest, TheLockClockStartsWhenTheMessageIsTaken) {  // STA-7, LCK-12
  QueueFixture queue({.lock_duration = seconds(30)});
  const Delivered taken = queue.SendAndReceive();

  // However late it is handed over, the lock ends when it was said to.
  EXPECT_EQ(taken.until, queue.now() + seconds(30));
  queue.Advance(seconds(30));

  ASSERT_EQ(queue.ChangesOf<MessageReturned>().size(), 1U);
  EXPECT_EQ(queue.ChangesOf<MessageReturned>()[0].delivery.count, 1U);
}

TEST(QueueTest, CompleteAfterLockExpiryReportsLockLost) {  // LCK-6
  QueueFixture queue({.lock_duration = seconds(30)});
  const LockToken token = queue.SendAndReceive("order-1").token;

  queue.clock().Advance(seconds(31));

  EXPECT_EQ(queue.Settle(token, SettleVerb::kComplete).code(), ErrorCode::kMessageLockLost);
  EXPECT_TRUE(queue.changes().empty());
}

TEST(QueueTest, ARefusalChangesNothing) {
  QueueFixture queue;
  const LockToken token = queue.SendAndReceive().token;
  ASSERT_TRUE(queue.Settle(token, SettleVerb::kDeadLetter).ok());
  const LockToken dead = queue.Receive(kDead)->token;
  const LaneCounters before = queue.queue().lane(kDead).counters();

  EXPECT_EQ(queue.Settle(dead, SettleVerb::kDeadLetter, kDead).code(),
            ErrorCode::kInvalidOperation);  // DLQ-4

  EXPECT_TRUE(queue.changes().empty());
  EXPECT_EQ(queue.queue().lane(kDead).counters(), before);
  EXPECT_TRUE(queue.Settle(dead, SettleVerb::kComplete, kDead).ok());
}

TEST(QueueTest, RenewingIsNotLimited) {  // LCK-3, STL-5
  QueueFixture queue({.lock_duration = seconds(30)});
  const LockToken token = queue.SendAndReceive().token;

  for (int i = 0; i < 1000; ++i) {
    queue.Advance(seconds(29));
    EXPECT_EQ(*queue.Renew(token), queue.now() + seconds(30));  // LCK-2
  }

  EXPECT_TRUE(queue.Settle(token, SettleVerb::kComplete).ok());
}

TEST(QueueTest, ARenewalLastsAsLongAsTheQueueSaysThen) {  // LCK-2, LCK-10
  QueueFixture queue({.lock_duration = seconds(30)});
  const LockToken token = queue.SendAndReceive().token;

  queue.Update({.name = "orders", .lock_duration = seconds(100)});

  EXPECT_EQ(*queue.Renew(token), queue.now() + seconds(100));
}

TEST(QueueTest, ADeadLetterCanBeAbandonedFiftyTimes) {  // MAX-5, CNT-12
  QueueFixture queue({.max_delivery_count = 1});
  ASSERT_TRUE(queue.Settle(queue.SendAndReceive().token, SettleVerb::kAbandon).ok());

  for (int i = 0; i < 50; ++i) {
    const auto dead = queue.Receive(kDead);
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->delivery.count, 1U);
    ASSERT_TRUE(queue.Settle(dead->token, SettleVerb::kAbandon, kDead).ok());
  }

  EXPECT_EQ(queue.queue().lane(kDead).counters().messages(), 1);
}

TEST(QueueTest, MaxDeliveryCountAttemptsAndNotOneMore) {  // MAX-2
  for (const std::int32_t max : {1, 2, 10}) {
    QueueFixture queue({.max_delivery_count = max});
    static_cast<void>(queue.Send().ok());
    int attempts = 0;
    while (const auto delivered = queue.Receive()) {
      ++attempts;
      ASSERT_TRUE(queue.Settle(delivered->token, SettleVerb::kAbandon).ok());
    }
    EXPECT_EQ(attempts, max);
    EXPECT_EQ(queue.Receive(kDead)->delivery.count, static_cast<std::uint32_t>(max));  // MAX-3
  }
}

TEST(QueueTest, ALockThatEndsTheLastAttemptWaitsForItsContent) {
  QueueFixture queue({.lock_duration = seconds(30), .max_delivery_count = 1});
  const LockToken token = queue.SendAndReceive().token;

  const std::vector<LockToken> need_content = queue.Advance(seconds(30));

  EXPECT_EQ(need_content, std::vector{token});
  EXPECT_TRUE(queue.changes().empty());
  EXPECT_EQ(queue.Receive(), std::nullopt);  // Nobody else gets it meanwhile.
  EXPECT_EQ(queue.Settle(token, SettleVerb::kComplete).code(), ErrorCode::kMessageLockLost);
  Changes changes;
  EXPECT_FALSE(
      queue.queue().redelivery().ExpireLock(LaneKind::kMain, token, {}, queue.now(), changes));
  EXPECT_TRUE(queue.queue().redelivery().ExpireLock(LaneKind::kMain, token, queue.contents(),
                                                    queue.now(), changes));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<MessageDeadLettered>(changes[0]));
}

TEST(QueueTest, WhatADeadLetterKeeps) {  // DLQ-9, DLQ-10, CNT-7, SEQ-7
  QueueFixture queue;
  std::vector<Message> messages(1);
  Message& message = messages[0];
  message.body = "hello";
  message.message_id = "m";
  message.session_id = "s";
  message.application_properties = {{"color", std::string("red")}};
  ASSERT_TRUE(queue.Send(std::move(messages)).ok());
  const Delivered before = *queue.Receive();
  queue.clock().Advance(seconds(5));

  ASSERT_TRUE(queue
                  .Settle(before.token, {.verb = SettleVerb::kDeadLetter,
                                         .reason = "BadOrder",
                                         .description = "no such article"})
                  .ok());
  const Delivered after = *queue.Receive(kDead);

  EXPECT_EQ(after.message->number, before.message->number);
  EXPECT_EQ(after.message->enqueued_at, before.message->enqueued_at);
  EXPECT_EQ(after.message->message.body, "hello");
  EXPECT_EQ(after.message->message.message_id, "m");
  EXPECT_EQ(after.message->message.session_id, "s");
  EXPECT_EQ(after.delivery.count, 0U);
  EXPECT_EQ(after.message->dead_letter_source, "");  // PRP-20
  const PropertyMap expected = {{"color", std::string("red")},
                                {"DeadLetterReason", std::string("BadOrder")},
                                {"DeadLetterErrorDescription", std::string("no such article")}};
  EXPECT_EQ(PropertiesOf(after), expected);  // PRP-21
}

TEST(QueueTest, AReasonHas4096CharactersAtMost) {  // STL-8, PRP-21
  Settlement settlement{.verb = SettleVerb::kDeadLetter, .reason = std::string(4096, 'x')};
  EXPECT_TRUE(CheckSettlement(settlement).ok());
  settlement.reason->push_back('x');
  EXPECT_EQ(CheckSettlement(settlement).code(), ErrorCode::kArgumentError);

  // Characters, not bytes.
  std::string umlauts;
  for (int i = 0; i < 4096; ++i) umlauts += "\xC3\xA4";
  settlement.reason = umlauts;
  settlement.description = umlauts;
  EXPECT_TRUE(CheckSettlement(settlement).ok());
  settlement.description->push_back('x');
  EXPECT_EQ(CheckSettlement(settlement).code(), ErrorCode::kArgumentError);
}

TEST(QueueTest, AbandoningCannotGrowPropertiesWithoutEnd) {  // STL-7, SIZ-5
  QueueFixture queue;
  LockToken token = queue.SendAndReceive().token;
  const auto abandon_with = [&](const std::string& name) {
    return queue.Settle(token, {.verb = SettleVerb::kAbandon,
                                .properties_to_modify = {{name, std::string(30000, 'x')}}});
  };
  for (const auto* name : {"a", "b"}) {
    ASSERT_TRUE(abandon_with(name).ok());
    token = queue.Receive()->token;
  }

  EXPECT_EQ(abandon_with("c").code(), ErrorCode::kMessageSizeExceeded);

  // The lock is as it was.
  EXPECT_TRUE(queue.changes().empty());
  EXPECT_TRUE(queue.Settle(token, SettleVerb::kComplete).ok());
}

TEST(QueueTest, AnAtomicSendIsAllOrNothing) {  // SND-5
  QueueFixture queue({.max_message_size_in_kilobytes = 1});

  EXPECT_EQ(queue.Send(Bodies({1, 2000, 1}), true).status().code(),
            ErrorCode::kMessageSizeExceeded);
  EXPECT_TRUE(queue.changes().empty());
  const auto sent = queue.Send(Bodies({1, 2, 3}), true);

  ASSERT_TRUE(sent.ok());
  EXPECT_EQ(sent->front()->number.value(), 1U);  // SEQ-2: the refused one took no number.
  EXPECT_EQ(sent->back()->number.value(), 3U);
}

TEST(QueueTest, AnAtomicSendIsLimitedToAMebibyteOrOneMessage) {  // SIZ-2, SIZ-8
  QueueFixture queue({.max_message_size_in_kilobytes = 102400});
  EXPECT_TRUE(queue.Send(Bodies({524288, 524288}), true).ok());
  EXPECT_EQ(queue.Send(Bodies({524288, 524289}), true).status().code(),
            ErrorCode::kMessageSizeExceeded);

  QueueFixture small({.max_message_size_in_kilobytes = 1});
  EXPECT_TRUE(small.Send(Bodies({512, 512}), true).ok());
  EXPECT_EQ(small.Send(Bodies({512, 513}), true).status().code(), ErrorCode::kMessageSizeExceeded);
}

TEST(QueueTest, TheSizeLimitCountsPropertiesAndBody) {  // SIZ-1, SIZ-8
  QueueFixture queue({.max_message_size_in_kilobytes = 1});
  std::vector<Message> messages = Bodies({1000, 1000});
  messages[0].subject = std::string(24, 's');
  messages[1].subject = std::string(25, 's');

  const auto sent = queue.Send(std::move(messages));

  EXPECT_TRUE(sent->front().ok());
  EXPECT_EQ(sent->back().status().code(), ErrorCode::kMessageSizeExceeded);
}

TEST(QueueTest, AFullQueueNamesItsSizes) {  // QUO-1
  QueueFixture queue({.max_size_in_megabytes = 1});
  ASSERT_TRUE(queue.Send(Bodies({1000000, 1000000})).ok());

  const Status refused = queue.Send("x").status();

  EXPECT_EQ(refused.code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(refused.message(),
            "The maximum entity size has been reached or exceeded for Queue: 'orders'. Size of "
            "entity in bytes:2000000, Max entity size in bytes:1048576");
}

TEST(QueueTest, ALargeMessageCountsOnce) {  // QUO-3
  QueueFixture queue({.max_message_size_in_kilobytes = 4096});

  ASSERT_TRUE(queue.Send(std::string(3000000, 'x')).ok());

  EXPECT_EQ(queue.queue().quota().bytes(), 3000000);
}

TEST(QueueTest, DeadLettersCountTowardTheQuota) {  // DLQ-8, QUO-2
  QueueFixture queue({.max_size_in_megabytes = 1});
  const LockToken token = queue.SendAndReceive(std::string(1048576, 'x')).token;

  ASSERT_TRUE(queue.Settle(token, SettleVerb::kDeadLetter).ok());
  EXPECT_EQ(queue.Send("x").status().code(), ErrorCode::kQuotaExceeded);

  ASSERT_TRUE(queue.Settle(queue.Receive(kDead)->token, SettleVerb::kComplete, kDead).ok());
  EXPECT_TRUE(queue.Send("x").ok());
}

TEST(QueueTest, NoMoreLocksThanAllowed) {  // LCK-13
  QueueFixture queue({}, {.locked_messages_max = 2});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.Send().ok());
  const auto first = queue.Receive();
  const auto second = queue.Receive();
  ASSERT_TRUE(first && second);

  EXPECT_EQ(queue.Receive(), std::nullopt);

  ASSERT_TRUE(queue.Settle(first->token, SettleVerb::kComplete).ok());
  EXPECT_EQ(queue.Receive()->message->number, SequenceNumber(3));
}

TEST(QueueTest, DeferredOnesAreLockedAllOrNoneWithinTheLimit) {  // LCK-13, DEF-3
  QueueFixture queue({}, {.locked_messages_max = 2});
  FoundMessages found;
  for (int i = 0; i < 3; ++i) {
    const Delivered delivered = queue.SendAndReceive();
    ASSERT_TRUE(queue.Settle(delivered.token, SettleVerb::kDefer).ok());
    found[delivered.message->number] = FoundMessage{Standing::kDeferred, {}, delivered.message};
  }
  const auto receive = [&](const std::vector<SequenceNumber>& numbers) {
    Changes changes;
    return queue.queue().by_number().ReceiveDeferred(LaneKind::kMain, ReceiveMode::kPeekLock,
                                                     HolderId(1), std::nullopt, numbers, found,
                                                     queue.now(), changes);
  };
  const SequenceNumber first(1), second(2), third(3);

  EXPECT_EQ(receive({first, second, third}).status().code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(queue.queue().lane(LaneKind::kMain).counters().locked, 0);
  EXPECT_TRUE(receive({third, first}).ok());
  EXPECT_EQ(receive({second}).status().code(), ErrorCode::kQuotaExceeded);
}

TEST(QueueTest, TheLimitOfLocksHoldsForEachLane) {  // LCK-13
  QueueFixture queue({}, {.locked_messages_max = 1});
  ASSERT_TRUE(queue.Settle(queue.SendAndReceive().token, SettleVerb::kDeadLetter).ok());
  ASSERT_TRUE(queue.Send().ok());

  EXPECT_TRUE(queue.Receive());
  EXPECT_TRUE(queue.Receive(kDead));
}

TEST(QueueTest, ADisabledQueueDeliversNothing) {  // STS-2, STS-4
  for (const EntityStatus status : {EntityStatus::kDisabled, EntityStatus::kReceiveDisabled}) {
    QueueFixture queue;
    ASSERT_TRUE(queue.Send().ok());
    queue.Update({.name = "orders", .status = status});

    EXPECT_EQ(queue.queue().receiving().Check(LaneKind::kMain).code(),
              ErrorCode::kMessagingEntityDisabled);
    EXPECT_EQ(queue.Receive(), std::nullopt);

    queue.Update({.name = "orders"});
    EXPECT_TRUE(queue.Receive());
  }
}

TEST(QueueTest, WhatTheSenderCannotSetTheBrokerSets) {  // PRP-13, PRP-15, PRP-23, SND-10
  QueueFixture queue;
  std::vector<Message> messages(1);
  messages[0].body = "12345";
  messages[0].message_id = "id";

  ASSERT_TRUE(queue.Send(std::move(messages)).ok());
  const StoredMessage& stored = *queue.Receive()->message;

  EXPECT_EQ(stored.number, SequenceNumber(1));
  EXPECT_EQ(stored.enqueued_at, queue.now());
  EXPECT_EQ(stored.facts.size, 7);
  EXPECT_EQ(stored.enqueued_number, SequenceNumber());  // PRP-14: it came from nowhere else.
}

TEST(QueueTest, AReleaseOnlyUnlocks) {  // STL-13, CNT-11
  QueueFixture queue({.max_delivery_count = 1});
  ASSERT_TRUE(queue.Send().ok());

  for (int i = 0; i < 5; ++i) {
    const auto delivered = queue.Receive();
    ASSERT_TRUE(delivered);
    EXPECT_EQ(delivered->delivery.count, 0U);
    ASSERT_TRUE(queue.Settle(delivered->token, SettleVerb::kRelease).ok());
  }
}

TEST(QueueTest, CountersAreNeverNegativeAndAddUp) {  // RTP-1, RTP-7, RTP-11
  QueueFixture queue;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.Send("12345").ok());
  const auto first = queue.Receive();
  const auto second = queue.Receive();
  ASSERT_TRUE(queue.Settle(first->token, SettleVerb::kAbandon).ok());
  ASSERT_TRUE(queue.Settle(second->token, SettleVerb::kDeadLetter).ok());

  const LaneCounters& main = queue.queue().lane(LaneKind::kMain).counters();
  EXPECT_EQ(main.fresh, 2);
  EXPECT_EQ(main.returned, 1);
  EXPECT_EQ(main.locked, 0);
  EXPECT_EQ(main.bytes, 15);
  EXPECT_EQ(queue.queue().lane(kDead).counters().messages(), 1);
  EXPECT_EQ(queue.queue().quota().bytes(), 20);
}

TEST(QueueTest, ReceiveAndDeleteTakesTheMessageOut) {  // RCV-1
  QueueFixture queue;
  ASSERT_TRUE(queue.Send().ok());

  const auto taken = queue.Receive(LaneKind::kMain, ReceiveMode::kReceiveAndDelete);

  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->token.is_zero());
  EXPECT_EQ(taken->until, kNever);
  EXPECT_EQ(queue.queue().quota().bytes(), 0);
  EXPECT_EQ(queue.Settle(taken->token, SettleVerb::kComplete).code(), ErrorCode::kMessageLockLost);
}

// A receiver may come before the sweeper.
TEST(QueueTest, ExpiredHeadsGoSoManyAtATime) {
  QueueFixture fixture;
  std::vector<Message> messages(3);
  for (Message& message : messages) message.time_to_live = std::chrono::seconds(1);
  ASSERT_TRUE(fixture.Send(messages).ok());
  ASSERT_TRUE(fixture.Send("lasting").ok());
  fixture.clock().Advance(std::chrono::seconds(1));
  ASSERT_FALSE(fixture.Receive().has_value());

  Changes changes;
  EXPECT_TRUE(fixture.queue().receiving().ExpireHeads({}, fixture.now(), 2, changes));
  EXPECT_EQ(changes.size(), 2U);
  EXPECT_FALSE(fixture.queue().receiving().ExpireHeads({}, fixture.now(), 2, changes));
  EXPECT_EQ(changes.size(), 3U);
  EXPECT_EQ(fixture.queue().lane(LaneKind::kMain).counters().messages(), 1);
  EXPECT_TRUE(fixture.Receive().has_value());
}

TEST(QueueTest, BodiesInRowsOfTheirOwnAreCountedWhereTheirMessagesAre) {
  QueueFixture queue;
  const Lane& main = queue.queue().lane(LaneKind::kMain);
  const Lane& dead = queue.queue().lane(kDead);
  ASSERT_TRUE(queue.Send("short").ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.Send(std::string(5000, 'x')).ok());
  EXPECT_EQ(main.counters().separate_bodies, 3);
  EXPECT_FALSE(main.remains().can_go_unread);

  ASSERT_TRUE(queue.Settle(queue.Receive()->token, SettleVerb::kComplete).ok());
  EXPECT_EQ(main.counters().separate_bodies, 3);

  const LockToken token = queue.Receive()->token;
  EXPECT_EQ(main.counters().separate_bodies, 3);
  ASSERT_TRUE(queue.Settle(token, SettleVerb::kAbandon).ok());
  ASSERT_TRUE(queue.Settle(queue.Receive()->token, SettleVerb::kDeadLetter).ok());
  EXPECT_EQ(main.counters().separate_bodies, 2);
  EXPECT_EQ(dead.counters().separate_bodies, 1);

  ASSERT_TRUE(queue.Settle(queue.Receive()->token, SettleVerb::kComplete).ok());
  ASSERT_TRUE(queue.Receive(LaneKind::kMain, ReceiveMode::kReceiveAndDelete).has_value());
  EXPECT_EQ(main.counters().separate_bodies, 0);
  EXPECT_TRUE(main.remains().can_go_unread);
  EXPECT_FALSE(queue.queue().remains().can_go_unread);

  ASSERT_TRUE(queue.Settle(queue.Receive(kDead)->token, SettleVerb::kComplete, kDead).ok());
  EXPECT_TRUE(queue.queue().remains().can_go_unread);
}

TEST(QueueTest, APurgeLeavesNoBodyCounted) {  // PRG-1
  QueueFixture queue;
  ASSERT_TRUE(queue.Send(std::string(5000, 'x')).ok());
  ASSERT_TRUE(queue.Send("short").ok());
  EXPECT_EQ(queue.queue().remains().messages, 2);
  Changes changes;

  queue.queue().Purge(LaneKind::kMain, 1, false, queue.now(), changes);

  EXPECT_EQ(queue.queue().lane(LaneKind::kMain).counters().separate_bodies, 0);
  EXPECT_TRUE(queue.queue().remains().can_go_unread);
}

TEST(QueueTest, WhatIsScheduledHasToBeRead) {
  QueueFixture queue;
  std::vector<Message> later(1);
  later[0].scheduled_enqueue_time = queue.now() + seconds(60);
  ASSERT_TRUE(queue.Send(later).ok());

  EXPECT_TRUE(queue.queue().lane(LaneKind::kMain).remains().can_go_unread);
  EXPECT_FALSE(queue.queue().remains().can_go_unread);
}

TEST(QueueTest, WhileCountersAreUncertainTheRowsHaveToBeRead) {
  QueueFixture queue;
  Lane& lane = queue.queue().lane(LaneKind::kMain);
  Changes changes;

  lane.Quarantine({.number = SequenceNumber(9), .reason = "damaged", .is_guess = true}, queue.now(),
                  changes);

  EXPECT_EQ(lane.counters().separate_bodies, 0);
  EXPECT_FALSE(lane.remains().can_go_unread);
}

// An older version counted its messages.
TEST(QueueTest, WhereBodiesWereNotCountedTheyAreKnownWhenTheLaneIsEmpty) {
  QueueFixture queue;
  const Lane& lane = queue.queue().lane(LaneKind::kMain);
  const LockToken token = queue.SendAndReceive(std::string(5000, 'x')).token;
  Queue::Image image;
  image.main.counters = lane.counters();
  image.main.counters.separate_bodies = 0;
  image.main.counters.knows_separate_bodies = false;
  image.main.locked.push_back({token, *lane.locks().Get(token)});
  queue.queue().Reload(std::move(image));
  EXPECT_FALSE(lane.remains().can_go_unread);

  ASSERT_TRUE(queue.Settle(token, SettleVerb::kComplete).ok());

  EXPECT_TRUE(lane.contradiction().ok());
  EXPECT_TRUE(lane.remains().can_go_unread);
  ASSERT_TRUE(queue.Send(std::string(5000, 'x')).ok());
  EXPECT_EQ(lane.counters().separate_bodies, 1);
}

TEST(QueueTest, MoreBodiesThanAreCountedAreAContradiction) {
  QueueFixture queue;
  const Lane& lane = queue.queue().lane(LaneKind::kMain);
  const LockToken token = queue.SendAndReceive(std::string(5000, 'x')).token;
  Queue::Image image;
  image.main.counters = lane.counters();
  image.main.counters.separate_bodies = 0;
  image.main.locked.push_back({token, *lane.locks().Get(token)});
  queue.queue().Reload(std::move(image));

  ASSERT_TRUE(queue.Settle(token, SettleVerb::kComplete).ok());

  EXPECT_EQ(lane.contradiction().message(), "messages have more bodies than are counted");
  EXPECT_FALSE(lane.remains().can_go_unread);
}

// Messages that live for a minute, and that minute is over.
void LetExpire(QueueFixture& queue, std::size_t count) {
  Message brief;
  brief.body = "x";
  brief.time_to_live = std::chrono::minutes(1);
  ASSERT_TRUE(queue.Send(std::vector<Message>(count, brief)).ok());
  queue.clock().Advance(std::chrono::minutes(1));
}

TEST(QueueTest, HeadsThatExpiredGoInOneChange) {  // TTL-6
  QueueFixture queue;
  LetExpire(queue, 4000);

  Changes changes;
  EXPECT_FALSE(queue.queue().receiving().ExpireHeads({LaneKind::kMain}, queue.now(), 1, changes));

  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(std::get<MessagesExpired>(changes[0]).count, 4000);
}

TEST(QueueTest, HeadsThatBecomeDeadLettersGoOneByOne) {  // TTL-9
  QueueFixture queue({.dead_lettering_on_message_expiration = true});
  LetExpire(queue, 100);

  Changes changes;
  EXPECT_TRUE(queue.queue().receiving().ExpireHeads({LaneKind::kMain}, queue.now(), 60, changes));

  EXPECT_EQ(changes.size(), 60U);
  EXPECT_TRUE(std::holds_alternative<MessageDeadLettered>(changes[0]));
}

// A body of its own is among them.
TEST(QueueTest, HeadsBetweenRunsGoOneByOne) {  // TTL-6
  QueueFixture queue;
  Message brief;
  brief.body = "x";
  brief.time_to_live = std::chrono::minutes(1);
  std::vector<Message> messages(50, brief);
  messages[20].body = std::string(10'000, 'x');
  for (const std::size_t longer : {40, 45}) messages[longer].body = std::string(10'000, 'x');
  ASSERT_TRUE(queue.Send(std::move(messages)).ok());
  queue.clock().Advance(std::chrono::minutes(1));

  Changes changes;
  EXPECT_FALSE(queue.queue().receiving().ExpireHeads({LaneKind::kMain}, queue.now(), 99, changes));

  std::vector<std::int64_t> runs;
  for (const Change& change : changes) {
    if (const auto* run = std::get_if<MessagesExpired>(&change)) runs.push_back(run->count);
  }
  // Four would be too few, if they did not lie at the others.
  EXPECT_EQ(runs, (std::vector<std::int64_t>{20, 19, 4, 4}));
  EXPECT_EQ(changes.size(), 4U + 3U);
  EXPECT_EQ(queue.queue().lane(LaneKind::kMain).counters().messages(), 0);
}

}  // namespace
}  // namespace wharf
