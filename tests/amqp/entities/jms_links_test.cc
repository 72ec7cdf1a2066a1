// Links of JMS clients (semantics 32; doors.md, section 16).
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "broker/access/guard.h"
#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/message/sections.h"
#include "tests/access/sample_rules.h"
#include "tests/amqp/entities/jms_fixture.h"
#include "tests/amqp/entities/links_fixture.h"

namespace wharf::amqp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using JmsLinksTest = JmsFixture;

std::string MessageTo(const std::string& to, const std::string& body) {
  std::string encoded;
  Writer writer(encoded);
  Properties properties;
  properties.message_id = std::string("ID:1");
  if (!to.empty()) properties.to = to;
  Write(writer, properties);
  writer.BeginDescribed(descriptor::kData);
  writer.WriteBinary(body);
  return encoded;
}

std::string MessageAt(const Value& delivery_time, std::string_view body = "later") {
  std::string encoded;
  Writer writer(encoded);
  writer.BeginDescribed(descriptor::kMessageAnnotations);
  Map annotations;
  annotations.Add(Value(Symbol{"x-opt-delivery-time"}), Value(delivery_time));
  writer.Write(Value(std::move(annotations)));
  writer.BeginDescribed(descriptor::kData);
  writer.WriteBinary(body);
  return encoded;
}

// --- connections

TEST_F(JmsLinksTest, WhatIsDesiredAndServedIsOffered) {
  const Guest guest = Connect();
  EXPECT_THAT(SayOpen(guest, "shop",
                      {"SHARED-SUBS", "nobody-knows-it", "ANONYMOUS-RELAY", "DELAYED_DELIVERY",
                       "sole-connection-for-container"}),
              HasSubstr("offered-capabilities=[:sole-connection-for-container, "
                        ":DELAYED_DELIVERY, :ANONYMOUS-RELAY, :SHARED-SUBS]"));
  EXPECT_THAT(SayOpen(Connect(), "other", {}), Not(HasSubstr("capabilities")));
}

TEST_F(JmsLinksTest, AClientIdIsOfOneConnectionAlone) {
  const Guest first = Enter("shop");
  const Guest second = Connect();

  EXPECT_THAT(SayOpen(second, "shop", {}), HasSubstr(":amqp:connection-establishment-failed true"));
  EXPECT_THAT(second->Hear(" close{"),
              AllOf(HasSubstr("amqp:invalid-field"), HasSubstr(":invalid-field :container-id")));

  // And there is no other yet when one wants it alone.
  const Guest plain = Connect();
  SayOpen(plain, "till", {});
  const Guest sole = Connect();
  EXPECT_THAT(SayOpen(sole, "till", {"sole-connection-for-container"}),
              HasSubstr("establishment-failed"));
  EXPECT_THAT(SayOpen(Connect(), "till", {}), Not(HasSubstr("establishment-failed")));

  first.Drop();
  EXPECT_THAT(SayOpen(Connect(), "shop", {"sole-connection-for-container"}),
              Not(HasSubstr("establishment-failed")));
}

// Who may say any id keeps nobody out.
TEST_F(JmsLinksTest, AStrangerHasNoClientId) {
  const access::Book book = access::Book()
                                .With("", access::SampleRule("root", access::Right::kManage))
                                .With("q", access::SampleRule("reader", access::Right::kListen));
  access::Guard guard(std::make_shared<const access::Book>(book), [] { return kHarnessStart; });
  gate_.Open(&guard);
  const std::string root = Plain("root", access::kKeyOne);
  const std::string reader = Plain("reader", access::kKeyOne);
  const Guest stranger = Enter("shop");
  const Guest late = Enter("shop", reader);

  const Guest owner = Connect();
  EXPECT_THAT(SayOpen(owner, "shop", {"sole-connection-for-container"}, root),
              Not(HasSubstr("establishment-failed")));

  EXPECT_THAT(SayOpen(Connect(), "shop", {}, root), HasSubstr("establishment-failed"));
  EXPECT_THAT(SayOpen(Connect(), "shop", {}), HasSubstr("establishment-failed"));
  // A key of an entity is one when it is used: somebody else was faster.
  late->Say(Consumer("r", 0, "q", {"queue"}));
  EXPECT_THAT(late->Hear(" close{"), HasSubstr(":invalid-field :container-id"));
}

// --- producers

TEST_F(JmsLinksTest, AMessageOfAnAnonymousProducerGoesWhereItSays) {
  const Guest guest = Enter("shop");
  EXPECT_THAT(Say(guest, Producer("s", 0, std::nullopt)), HasSubstr("target=target{}"));
  EXPECT_THAT(guest->Hear(" flow{"), HasSubstr("link-credit=1000"));

  guest->SayTransfer(0, MessageTo("q", "hello"));

  EXPECT_THAT(guest->Hear(" disposition{"), HasSubstr("accepted"));
  const auto received = broker_.Receive("q");
  ASSERT_THAT(*received, SizeIs(1));
  EXPECT_EQ((*received)[0].message->message.body, "hello");
  EXPECT_EQ((*received)[0].message->message.to, "q");

  guest->SayTransfer(0, MessageTo("nowhere", "hello"));
  EXPECT_THAT(guest->Hear(" disposition{"), AllOf(HasSubstr("rejected"), HasSubstr("not-found")));
  guest->SayTransfer(0, MessageTo("", "hello"));
  EXPECT_THAT(guest->Hear(" disposition{"), AllOf(HasSubstr("rejected"), HasSubstr("`to`")));
  guest->SayTransfer(0, MessageTo("q/$management", "hello"));
  EXPECT_THAT(guest->Hear(" disposition{"), HasSubstr("amqp:not-allowed"));
  guest->SayTransfer(0, MessageTo("q", std::string(1 << 20, 'x')));
  EXPECT_THAT(guest->Hear(" disposition{"), HasSubstr("message-size-exceeded"));
  EXPECT_EQ((*guest.served)->partial_bytes().taken(), 0U);
}

TEST_F(JmsLinksTest, AProducerMayHaveNoTargetAtAll) {
  const Guest guest = Enter("shop");
  Attach attach = Producer("s", 0, std::nullopt);
  attach.target.reset();
  EXPECT_THAT(Say(guest, attach), HasSubstr("target=target{}"));
}

TEST_F(JmsLinksTest, AMessageIsDeliveredWhenItsDelayIsOver) {
  const Guest guest = Enter("shop");
  const std::int64_t now =
      std::chrono::floor<std::chrono::milliseconds>(kHarnessStart.time_since_epoch()).count();
  Say(guest, Producer("s", 0, "q"));
  guest->Hear(" flow{");

  for (const Value& time : {Value(now + 60'000), Value(TimestampMs{now + 60'000})}) {
    guest->SayTransfer(0, MessageAt(time));
    EXPECT_THAT(guest->Hear(" disposition{"), HasSubstr("accepted"));
  }
  guest->SayTransfer(0, MessageAt(Value(std::int64_t{-1})));
  EXPECT_THAT(guest->Hear(" disposition{"), HasSubstr("x-opt-delivery-time is no time"));
  guest->SayTransfer(0, MessageAt(Value(std::string("soon"))));
  EXPECT_THAT(guest->Hear(" disposition{"), HasSubstr("x-opt-delivery-time is no time"));

  EXPECT_THAT(*broker_.Receive("q", 10), IsEmpty());
  broker_.Advance(std::chrono::minutes(2));
  const auto received = *broker_.Receive("q", 10);
  ASSERT_THAT(received, SizeIs(2));
  // Its consumer reads there when that was to be.
  EXPECT_EQ(received[0].message->message.carried->annotations[0].first, "x-opt-delivery-time");
}

TEST_F(JmsLinksTest, ALargeMessageIsDeliveredWhenItsDelayIsOver) {
  QueueDescription queue;
  queue.name = "large";
  queue.max_message_size_in_kilobytes = 4096;
  ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  const Guest guest = Enter("shop");
  const std::int64_t now =
      std::chrono::floor<std::chrono::milliseconds>(kHarnessStart.time_since_epoch()).count();
  Say(guest, Producer("s", 0, "large"));
  guest->Hear(" flow{");

  guest->SayTransfer(0, MessageAt(Value(TimestampMs{now + 60'000}), std::string(2 << 20, 'x')));

  EXPECT_THAT(guest->Hear(" disposition{"), HasSubstr("accepted"));
  EXPECT_EQ(broker_.GetQueue("large")->main.scheduled, 1);
}

// --- queues

TEST_F(JmsLinksTest, ABrowserSeesCopiesAndLocksNothing) {  // JMS-8
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(broker_.Send("q", std::to_string(i)).ok());
  const Guest guest = Enter("shop");
  Attach attach = Consumer("b", 0, "q", {"queue"});
  attach.snd_settle_mode = SenderSettleMode::kSettled;
  attach.source->distribution_mode = Symbol{"copy"};
  EXPECT_THAT(Say(guest, attach), HasSubstr("snd-settle-mode=settled"));
  guest->HearAll();

  guest->SayFlow(0, 1000, /*drain=*/true);

  const std::vector<std::string> lines = guest->HearAll();
  ASSERT_THAT(lines, SizeIs(251));
  EXPECT_THAT(lines[0], HasSubstr("settled=true"));
  EXPECT_THAT(lines[250], AllOf(HasSubstr("link-credit=0"), HasSubstr("drain=true")));
  EXPECT_THAT(*broker_.Receive("q", 300), SizeIs(250));
}

TEST_F(JmsLinksTest, ABrowserGoesAsFarAsItsCredit) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(broker_.Send("q", std::to_string(i)).ok());
  const Guest guest = Enter("shop");
  Attach attach = Consumer("b", 0, "q", {"queue"});
  attach.source->distribution_mode = Symbol{"copy"};
  Say(guest, attach);
  guest->HearAll();

  guest->SayFlow(0, 2);

  EXPECT_THAT(guest->HearAll(), SizeIs(2));
  EXPECT_THAT(Say(guest,
                  [&] {
                    Attach nowhere = attach;
                    nowhere.name = "n";
                    nowhere.handle = 1;
                    nowhere.source->address = "nowhere";
                    return nowhere;
                  }()),
              Not(HasSubstr("source=")));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:not-found"));
}

// What is kept for somebody who does not take it is memory of nobody's.
TEST_F(JmsLinksTest, ABrowserAsksForNoMoreThanItsCredit) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(broker_.Send("q", std::to_string(i)).ok());
  const Guest guest = Enter("shop");
  Attach attach = Consumer("b", 0, "q", {"queue"});
  attach.source->distribution_mode = Symbol{"copy"};
  Say(guest, attach);
  guest->HearAll();
  const auto show = [&](std::uint32_t up_to) {
    guest->SayFlow(0, up_to);
    guest->HearAll();
    return MessageOf(guest->last_payload())->body;
  };

  const Guest taker = Enter("till");
  Attach takes = Consumer("r", 0, "q", {"queue"});
  takes.snd_settle_mode = SenderSettleMode::kSettled;
  Say(taker, takes);
  const auto take = [&](std::uint32_t up_to) {
    taker->SayFlow(0, up_to);
    taker->HearAll();
  };

  take(1);
  EXPECT_EQ(show(1), "1");
  take(3);
  EXPECT_EQ(show(2), "3");
}

TEST_F(JmsLinksTest, BrowsersOfAConnectionHaveFewPagesAtATime) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const Guest guest = Enter("shop");
  Attach attach = Consumer("", 0, "q", {"queue"});
  attach.source->distribution_mode = Symbol{"copy"};
  for (std::uint32_t i = 0; i < 40; ++i) {
    attach.name = "b" + std::to_string(i);
    attach.handle = i;
    Say(guest, attach);
  }
  guest->HearAll();

  for (std::uint32_t i = 0; i < 40; ++i) guest->SayFlow(i, 10);

  EXPECT_EQ((*guest.served)->unanswered_bytes().taken(), std::size_t{8} * (256 << 10));
  SayDetach(guest, 39, true);
  const std::vector<std::string> heard = guest->HearAll();
  EXPECT_EQ(
      std::count_if(heard.begin(), heard.end(),
                    [](const std::string& line) { return line.find(" transfer{") != line.npos; }),
      39);
}

TEST_F(JmsLinksTest, ASelectorOnAQueueIsRefusedByName) {  // JMS-6
  const Guest guest = Enter("shop");
  Attach attach = Consumer("r", 0, "q", {"queue"});
  AddSelector(attach, "a = 1");
  Say(guest, attach);
  EXPECT_THAT(guest->Hear(" detach{"),
              AllOf(HasSubstr("amqp:not-implemented"), HasSubstr("jms-selector: ")));
  QueueDescription subscription;
  subscription.name = "t/Subscriptions/s";
  ASSERT_TRUE(broker_.Create(EntityKind::kSubscription, subscription).ok());
  attach.name = "r1";
  attach.handle = 2;
  attach.source->address = "t/Subscriptions/s";
  Say(guest, attach);
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("or a subscription by its own address, has none"));
  attach.source->address = "q";

  // One that takes everything is none; and no-local means nothing (JMS-8).
  attach.name = "r2";
  attach.handle = 1;
  attach.source->filter.reset();
  AddSelector(attach, "");
  attach.source->filter->Add(Value(Symbol{"no-local"}),
                             Value(Described{Value(std::uint64_t{0x468C00000003}),
                                             Value(std::string("NoLocalFilter{}"))}));
  EXPECT_THAT(Say(guest, attach),
              AllOf(HasSubstr("source{address=\"q\""), Not(HasSubstr("filter"))));
}

// A session recovers by modified with delivery-failed, and gives back by released.
TEST_F(JmsLinksTest, WhatAConsumerGivesBackComesAgain) {
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const Guest guest = Enter("shop");
  Say(guest, Consumer("r", 0, "q", {"queue"}));
  guest->SayFlow(0, 10);
  EXPECT_THAT(guest->Hear(" transfer{"), HasSubstr("settled=false"));
  const auto settle = [&](std::uint32_t delivery, DeliveryState state) {
    Disposition disposition;
    disposition.role = Role::kReceiver;
    disposition.first = delivery;
    disposition.settled = true;
    disposition.state = std::move(state);
    guest->Say(disposition);
    guest->Hear(" transfer{");
    return HeaderOf(SplitSections(guest->last_payload(), {})->header, {})->delivery_count;
  };

  Modified failed;
  failed.delivery_failed = true;
  EXPECT_EQ(settle(0, failed), 1U);
  EXPECT_EQ(settle(1, Released()), 1U);
}

// --- transacted sessions

// As qpid-jms has it: what it takes in a transaction it has settled, and forgotten.
class JmsTransactionTest : public JmsFixture {
 protected:
  // Of a guest that has a control link, of the handle 20.
  Guest EnterTransacted() {
    Guest guest = Enter("shop");
    Attach attach = Producer("control", 20, std::nullopt);
    attach.target = Coordinator();
    Say(guest, attach);
    guest->HearAll();
    return guest;
  }
  static Binary Begin(const Guest& guest) {
    const std::string line = SayToControl(guest, Declare());
    const std::size_t begin = line.find("txn-id=b'") + 9;
    return {absl::HexStringToBytes(line.substr(begin, line.find('\'', begin) - begin))};
  }
  static std::string RollBack(const Guest& guest, const Binary& txn_id) {
    return SayToControl(guest, Discharge{.txn_id = txn_id, .fail = true});
  }
  static void AcceptIn(const Guest& guest, const Binary& txn_id, std::uint32_t delivery) {
    Disposition disposition;
    disposition.role = Role::kReceiver;
    disposition.first = delivery;
    disposition.settled = true;
    TransactionalState state{.txn_id = txn_id, .outcome = std::nullopt};
    state.outcome.emplace(Accepted());
    disposition.state = std::move(state);
    guest->Say(disposition);
  }
  // Takes a message of the link of the handle 0, and tells its delivery count.
  static std::uint32_t Take(const Guest& guest, std::uint32_t credit) {
    guest->SayFlow(0, credit);
    EXPECT_THAT(guest->Hear(" transfer{"), HasSubstr("transfer{"));
    return HeaderOf(SplitSections(guest->last_payload(), {})->header, {})
        ->delivery_count.value_or(0);
  }
  std::vector<wharf::Delivered> Left(const std::string& path = "q") {
    return *broker_.Receive(path, 10);
  }

 private:
  template <typename Control>
  static std::string SayToControl(const Guest& guest, const Control& control) {
    std::string message;
    Writer writer(message);
    writer.BeginDescribed(descriptor::kAmqpValue);
    Write(writer, control);
    guest->SayTransfer(20, message);
    return guest->Hear(" disposition{");
  }
};

TEST_F(JmsTransactionTest, WhatIsRolledBackHasFailedAndComesToRestInTheEnd) {  // MAX-2, TXN-12
  QueueDescription queue;
  queue.name = "poison";
  queue.max_delivery_count = 3;
  ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  ASSERT_TRUE(broker_.Send("poison", "hello").ok());
  const Guest guest = EnterTransacted();
  Say(guest, Consumer("r", 0, "poison", {"queue"}));

  for (std::uint32_t count = 0; count < 3; ++count) {
    EXPECT_EQ(Take(guest, count + 1), count);
    const Binary txn = Begin(guest);
    AcceptIn(guest, txn, count);
    EXPECT_THAT(RollBack(guest, txn), HasSubstr("accepted"));
  }

  EXPECT_THAT(Left("poison"), IsEmpty());
  EXPECT_EQ(broker_.GetQueue("poison")->dead_letter.messages(), 1);
}

TEST_F(JmsTransactionTest, SoHasWhatIsRolledBackByTheEndOfItsConnection) {  // TXN-16
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const Guest guest = EnterTransacted();
  Say(guest, Consumer("r", 0, "q", {"queue"}));
  const Binary txn = Begin(guest);
  for (std::uint32_t delivery : {0, 1}) {
    Take(guest, delivery + 1);
    AcceptIn(guest, txn, delivery);
  }
  guest->HearAll();

  guest.Drop();
  broker_.Run();

  const auto left = Left();
  ASSERT_THAT(left, SizeIs(2));
  for (const wharf::Delivered& each : left) EXPECT_EQ(each.delivery.count, 1U);
}

// As when it was open for too long: the broker has forgotten it, and so has its client the message.
TEST_F(JmsTransactionTest, SoHasWhatIsSettledInOneThatIsNone) {  // TXN-10, TXN-17
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const Guest guest = EnterTransacted();
  Say(guest, Consumer("r", 0, "q", {"queue"}));
  Take(guest, 1);

  AcceptIn(guest, Binary{"none"}, 0);
  guest->HearAll();

  const auto left = Left();
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].delivery.count, 1U);
}

TEST_F(JmsTransactionTest, SoHasWhatMakesItFail) {  // TXN-21
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const Guest guest = EnterTransacted();
  Say(guest, Consumer("r", 0, "q", {"queue"}));
  Say(guest, Producer("s", 1, "q"));
  Take(guest, 1);
  const Binary txn = Begin(guest);
  guest->SayTransfer(1, "nonsense", 0, TransactionalState{.txn_id = txn, .outcome = {}}, true);
  AcceptIn(guest, txn, 0);

  EXPECT_THAT(RollBack(guest, txn), HasSubstr("accepted"));

  const auto left = Left();
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].delivery.count, 1U);
}

TEST_F(JmsTransactionTest, ARollbackOfASubscriptionCountsToo) {
  const Guest guest = EnterTransacted();
  Say(guest, Durable("prices", 0));
  Publish("hello");
  EXPECT_EQ(Take(guest, 1), 0U);
  const Binary txn = Begin(guest);
  AcceptIn(guest, txn, 0);

  RollBack(guest, txn);

  EXPECT_EQ(Take(guest, 2), 1U);
}

// Who does not say that it is one of JMS hears what any other client does.
TEST_F(JmsTransactionTest, OfAnyOtherConsumerItIsReleased) {  // TXN-12
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const Guest guest = EnterTransacted();
  Say(guest, Consumer("r", 0, "q", {}));
  Take(guest, 1);
  const Binary txn = Begin(guest);
  AcceptIn(guest, txn, 0);

  RollBack(guest, txn);

  const auto left = Left();
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].delivery.count, 0U);
}

// --- subscriptions

TEST_F(JmsLinksTest, ADurableSubscriptionCollectsUntilItIsUnsubscribed) {  // JMS-1, JMS-5, JMS-9
  const Guest guest = Enter("shop");
  EXPECT_THAT(Say(guest, Durable("prices", 0)), HasSubstr("source{address=\"t\", durable="));
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("prices$shop$D"));
  SayDetach(guest, 0, false);
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("detach{"));

  Publish("missed");
  EXPECT_THAT(Say(guest, Durable("prices", 0)), HasSubstr("source{address=\"t\""));
  guest->SayFlow(0, 1);
  EXPECT_THAT(guest->Hear(" transfer{"), HasSubstr("transfer{"));
  // Also a consumer that closes leaves it.
  SayDetach(guest, 0, true);
  guest->HearAll();
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("prices$shop$D"));

  EXPECT_THAT(Say(guest, Unsubscribe("prices", 1, {"shared"})),
              AllOf(HasSubstr("address=\"t\""), HasSubstr("expiry-policy=never")));
  EXPECT_THAT(SubscriptionsOf("t"), SizeIs(1));
  SayDetach(guest, 1, true);
  EXPECT_THAT(guest->Hear(" detach{"), AllOf(HasSubstr("closed=true"), Not(HasSubstr("error"))));
  EXPECT_THAT(SubscriptionsOf("t"), IsEmpty());

  EXPECT_THAT(Say(guest, Unsubscribe("prices", 2, {"shared"})), Not(HasSubstr("source=")));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:not-found"));
}

TEST_F(JmsLinksTest, WhoGoesWithoutSayingSoUnsubscribesNothing) {
  const Guest guest = Enter("shop");
  Say(guest, Durable("prices", 0));
  // A link of another name, behind the bar: the same one would take the consumer's place.
  Say(guest, Unsubscribe("prices|1", 1, {}));
  EXPECT_THAT(guest->Hear(" detach{"),
              AllOf(HasSubstr("not-allowed"), HasSubstr("has a consumer")));
  SayDetach(guest, 0, false);
  guest->HearAll();
  Say(guest, Unsubscribe("prices", 2, {}));

  SayDetach(guest, 2, false);
  guest->HearAll();
  EXPECT_THAT(SubscriptionsOf("t"), SizeIs(1));
  Say(guest, Unsubscribe("prices", 3, {}));
  guest.Drop();
  broker_.Run();
  EXPECT_THAT(SubscriptionsOf("t"), SizeIs(1));
}

TEST_F(JmsLinksTest, ASubscriptionIsOfItsClientAlone) {  // JMS-2
  const Guest shop = Enter("shop");
  const Guest till = Enter("till");
  Say(shop, Durable("prices", 0));
  Say(till, Durable("prices", 0));
  Say(shop, Durable("prices|2", 1, "t", {"shared", "global"}));

  EXPECT_THAT(SubscriptionsOf("t"),
              UnorderedElementsAre("prices$shop$D", "prices$till$D", "prices$$D"));
  EXPECT_THAT(Say(till, Unsubscribe("prices|global", 1, {"shared", "global"})),
              Not(HasSubstr("source=")));
  EXPECT_THAT(till->Hear(" detach{"), HasSubstr("has a consumer"));
}

// Paths have no case. Else it would get what the other one is owed, or take it away.
TEST_F(JmsLinksTest, AClientWhoseIdDiffersInCaseOnlyIsRefusedWhatIsAnothers) {  // JMS-2
  const Guest shop = Enter("shop");
  const Guest other = Enter("SHOP");
  Say(shop, Durable("prices", 0));
  const auto refused = [&](const Attach& attach) {
    Say(other, attach);
    const std::string line = other->Hear(" detach{");
    SayDetach(other, attach.handle, true);
    other->HearAll();
    return line;
  };
  const auto names_both = AllOf(HasSubstr("there is a subscription 'prices$shop$D'"),
                                HasSubstr("'prices$SHOP$D' differs from it in upper and lower"));

  EXPECT_THAT(refused(Durable("prices", 0)), AllOf(HasSubstr("not-allowed"), names_both));
  EXPECT_THAT(refused(Durable("prices", 0, "T", {"shared"})), names_both);
  SayDetach(shop, 0, false);
  shop->HearAll();
  Publish("missed");
  EXPECT_THAT(refused(Durable("prices", 0)), AllOf(HasSubstr("not-allowed"), names_both));
  // It has none of its own.
  EXPECT_THAT(refused(Unsubscribe("prices", 0, {})), HasSubstr("amqp:not-found"));
  QueueDescription topic;
  topic.name = "u";
  ASSERT_TRUE(broker_.Create(EntityKind::kTopic, topic).ok());
  EXPECT_THAT(refused(Durable("prices", 0, "u")), AllOf(HasSubstr("not-allowed"), names_both));
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("prices$shop$D"));

  // A topic is the same in any case, and so is what its own client has there.
  EXPECT_THAT(Say(shop, Durable("prices", 0, "T")), HasSubstr("source{address=\"T\""));
  shop->SayFlow(0, 1);
  EXPECT_THAT(shop->Hear(" transfer{"), HasSubstr("transfer{"));
}

TEST_F(JmsLinksTest, NamesOfSharedSubscriptionsThatDifferInCaseOnlyAreNotMixed) {  // JMS-2
  const Guest one = Enter("shop");
  const Guest two = Enter("till");
  const auto shared = [](std::string name, std::uint32_t handle) {
    return Consumer(std::move(name), handle, "t", {"topic", "shared", "global"});
  };
  Say(one, shared("board|global-volatile1", 0));
  Say(two, shared("Board|global-volatile1", 0));
  EXPECT_THAT(two->Hear(" detach{"), HasSubstr("there is a subscription 'board$$ND'"));

  // It goes with its last consumer, and so does its name.
  SayDetach(one, 0, true);
  one->HearAll();
  EXPECT_THAT(Say(two, shared("Board|global-volatile1", 1)), HasSubstr("address"));
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("Board$$ND"));
}

TEST_F(JmsLinksTest, AnUnsharedSubscriptionHasOneConsumerAndASharedOneMany) {  // JMS-3
  const Guest guest = Enter("shop");
  Say(guest, Durable("alone", 0));
  Attach again = Durable("alone", 1);
  again.name = "alone";
  // On another session, as links of one name must be.
  guest->Begin(1);
  guest->Say(again, 1);
  EXPECT_THAT(guest->Hear(" detach{"),
              AllOf(HasSubstr("not-allowed"), HasSubstr("has a consumer")));

  EXPECT_THAT(Say(guest, Durable("ours", 2, "t", {"shared"})), HasSubstr("address"));
  EXPECT_THAT(Say(guest, Durable("ours|2", 3, "t", {"shared"})), HasSubstr("address"));
  guest->Say(Durable("ours", 4), 1);
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("has a consumer"));
  EXPECT_THAT(SubscriptionsOf("t"), UnorderedElementsAre("alone$shop$D", "ours$shop$D"));

  SayDetach(guest, 0, false);
  guest->HearAll();
  EXPECT_THAT(Say(guest, Durable("alone", 0)), HasSubstr("address"));
}

TEST_F(JmsLinksTest, WhatIsNotDurableGoesWithItsLastConsumer) {  // JMS-4
  const Guest one = Enter("shop");
  const Guest two = Enter("till");
  const auto shared = [](std::string name) {
    return Consumer(std::move(name), 0, "t", {"topic", "shared", "global"});
  };
  Say(one, shared("board|global-volatile1"));
  Say(two, shared("board|global-volatile1"));
  Say(one, Consumer("qpid-jms:receiver:ID:1:1:1:1", 1, "t", {"topic"}));
  const std::vector<std::string> names = SubscriptionsOf("t");
  ASSERT_THAT(names, SizeIs(2));
  EXPECT_THAT(names, ::testing::Contains("board$$ND"));
  EXPECT_THAT(names, ::testing::Contains(::testing::MatchesRegex("[-0-9a-f]{36}\\$\\$ND")));

  Publish("hello");
  one->SayFlow(1, 5);
  EXPECT_THAT(one->Hear(" transfer{"), HasSubstr("transfer{"));
  SayDetach(one, 1, true);
  SayDetach(one, 0, true);
  one->HearAll();
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("board$$ND"));
  two.Drop();
  broker_.Run();
  EXPECT_THAT(SubscriptionsOf("t"), IsEmpty());
}

// It is locked to whoever comes while it goes: the next one meets none of what was there.
TEST_F(JmsLinksTest, WhoComesWhileItGoesGetsANewOne) {
  const Guest one = Enter("shop");
  const Guest two = Enter("till");
  const Attach attach = Consumer("board|global-volatile1", 0, "t", {"topic", "shared", "global"});
  Say(one, attach);
  Publish("before");
  one.Drop();
  two->Say(attach);

  EXPECT_THAT(two->Hear(" attach{"), HasSubstr("address"));
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("board$$ND"));
  Publish("after");
  two->SayFlow(0, 5);
  EXPECT_THAT(two->Hear(" transfer{"), HasSubstr("transfer{"));
  EXPECT_EQ(MessageOf(two->last_payload())->body, "after");
}

// Else one connection could ask for any number of places and of walks, and go.
TEST_F(JmsLinksTest, WhoWaitsForASubscriptionCountsForAQuestion) {
  const Guest guest = Enter("shop");
  const ByteBudget& unanswered = (*guest.served)->unanswered_bytes();
  // The broker answers while the client hears.
  guest->Say(Durable("prices", 0, "t", {"shared"}));
  const std::size_t of_first = unanswered.taken();

  guest->Say(Durable("prices|2", 1, "t", {"shared"}));
  EXPECT_GT(unanswered.taken(), of_first);
  SayDetach(guest, 1, true);
  EXPECT_EQ(unanswered.taken(), of_first);

  guest->Say(Unsubscribe("other", 2, {}));
  SayDetach(guest, 2, true);
  EXPECT_GT(unanswered.taken(), of_first);
  guest->HearAll();
  EXPECT_EQ(unanswered.taken(), 0U);
}

// Which topics and subscriptions there are is told to who may use them.
TEST_F(JmsLinksTest, WhoMayNotUseASubscriptionIsNotToldItsTopic) {
  {
    const Guest owner = Enter("shop");
    Say(owner, Durable("prices", 0));
  }
  QueueDescription other;
  other.name = "u";
  ASSERT_TRUE(broker_.Create(EntityKind::kTopic, other).ok());
  const access::Book book = access::Book()
                                .With("", access::SampleRule("root", access::Right::kManage))
                                .With("u", access::SampleRule("reader", access::Right::kListen));
  access::Guard guard(std::make_shared<const access::Book>(book), [] { return kHarnessStart; });
  gate_.Open(&guard);
  const auto refused = [](const Guest& guest, const Attach& attach) {
    EXPECT_THAT(Say(guest, attach), Not(HasSubstr("source=")));
    const std::string line = guest->Hear(" detach{");
    EXPECT_THAT(line, Not(HasSubstr("/Subscriptions/")));
    return line;
  };

  {
    const Guest stranger = Enter("shop");
    EXPECT_THAT(refused(stranger, Unsubscribe("prices", 0, {})), HasSubstr("unauthorized-access"));
  }
  {
    const Guest liar = Enter("shop", Plain("root", access::kKeyThree));
    for (const std::string name : {"prices", "nothing"}) {
      EXPECT_THAT(refused(liar, Unsubscribe(name, 0, {})),
                  AllOf(HasSubstr("amqp:not-found"), HasSubstr("entity '" + name + "'")));
      SayDetach(liar, 0, true);
    }
  }
  {
    const Guest reader = Enter("shop", Plain("reader", access::kKeyOne));
    EXPECT_THAT(refused(reader, Durable("prices", 0, "u")),
                HasSubstr("the subscription is there, of another topic"));
  }
  const Guest root = Enter("shop", Plain("root", access::kKeyOne));
  Say(root, Durable("prices", 0, "u"));
  EXPECT_THAT(root->Hear(" detach{"), HasSubstr("t/Subscriptions/prices$shop$D"));
  EXPECT_THAT(Say(root, Unsubscribe("prices|1", 1, {})), HasSubstr("address=\"t\""));
  gate_.Close();
}

TEST_F(JmsLinksTest, AnOpenUnsubscribeIsToldToConsumers) {
  const Guest guest = Enter("shop");
  Say(guest, Durable("prices", 0));
  SayDetach(guest, 0, false);
  guest->HearAll();
  Say(guest, Unsubscribe("prices|1", 1, {}));
  guest->HearAll();

  guest->Say(Durable("prices", 2));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("has a consumer"));
  guest->HearAll();

  // Behind its close they wait, and have a new one.
  SayDetach(guest, 1, true);
  EXPECT_THAT(Say(guest, Durable("prices|2", 3, "t", {"shared"})), HasSubstr("address"));
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("prices$shop$D"));
}

TEST_F(JmsLinksTest, WhatABrokerLeftIsRemovedByTheNextOne) {  // JMS-4, JMS-7
  const Guest guest = Enter("shop");
  Say(guest, Consumer("r", 0, "t", {"topic"}));
  Say(guest, Durable("prices", 1));
  Say(guest, Temporary("q1", 2, "temporary-queue"));
  Say(guest, Temporary("t1", 3, "temporary-topic"));
  // Somebody's own, that is called so.
  QueueDescription own;
  own.name = "t/Subscriptions/own$$ND";
  ASSERT_TRUE(broker_.Create(EntityKind::kSubscription, own).ok());
  own.name = "jms/temporary/own";
  ASSERT_TRUE(broker_.CreateQueue(own).ok());
  EXPECT_THAT(SubscriptionsOf("t"), SizeIs(3));

  // As after a kill -9: nobody has said good-bye, and another door knows of nobody.
  BrokerDoor next(true);
  next.Open(broker_.broker().requests());
  broker_.Run();

  EXPECT_THAT(SubscriptionsOf("t"), UnorderedElementsAre("prices$shop$D", "own$$ND"));
  const auto left = broker_.Await<QueuePage>([&](Answer<QueuePage> answer) {
    broker_.broker().requests().Ask(Caller(), ListEntitiesRequest{.count_max = 100},
                                    std::move(answer));
  });
  ASSERT_THAT(left->queues, SizeIs(2));
  EXPECT_EQ(left->queues[0].record.description.name, "jms/temporary/own");
  EXPECT_TRUE(next.WaitUntilNone(std::chrono::milliseconds(0)));
}

TEST_F(JmsLinksTest, WhatIsInUseIsNotSwept) {
  const Guest guest = Enter("shop");
  Say(guest, Consumer("r", 0, "t", {"topic"}));

  entities_.Open(broker_.broker().requests());
  broker_.Run();

  EXPECT_THAT(SubscriptionsOf("t"), SizeIs(1));
}

TEST_F(JmsLinksTest, ASelectorIsARuleOfItsSubscription) {  // JMS-6
  const Guest guest = Enter("shop");
  Attach attach = Durable("old", 0);
  AddSelector(attach, "age BETWEEN 30 AND 40");
  EXPECT_THAT(Say(guest, attach), HasSubstr("age BETWEEN 30 AND 40"));
  guest->HearAll();

  const auto rules = broker_.ListRules("t/Subscriptions/old$shop$D");
  ASSERT_THAT(rules->rules, SizeIs(1));
  EXPECT_EQ(std::get<SqlText>(rules->rules[0].filter).text, "([age] >= 30 AND [age] <= 40)");
  Publish("young", {{"age", std::int32_t{20}}});
  Publish("old", {{"age", std::int32_t{35}}});
  guest->SayFlow(0, 10);
  EXPECT_THAT(guest->HearAll(), SizeIs(1));

  // Another selector is another subscription.
  SayDetach(guest, 0, false);
  guest->HearAll();
  attach.source->filter.reset();
  AddSelector(attach, "age < 30");
  Say(guest, attach);
  Publish("child", {{"age", std::int32_t{3}}});
  guest->SayFlow(0, 10);
  EXPECT_THAT(guest->Hear(" transfer{"), HasSubstr("transfer{"));
  EXPECT_EQ(MessageOf(guest->last_payload())->body, "child");
}

TEST_F(JmsLinksTest, WhatASelectorCannotBeIsRefusedAndChangesNothing) {
  const Guest guest = Enter("shop");
  Say(guest, Durable("prices", 0));
  SayDetach(guest, 0, false);
  guest->HearAll();
  Publish("kept");
  const auto refused = [&](const std::string& selector) {
    Attach attach = Durable("prices", 0);
    AddSelector(attach, selector);
    Say(guest, attach);
    const std::string line = guest->Hear(" detach{");
    SayDetach(guest, 0, true);
    guest->HearAll();
    return line;
  };

  EXPECT_THAT(refused("a ="), AllOf(HasSubstr("argument-error"), HasSubstr("jms-selector: ")));
  EXPECT_THAT(refused("JMSReplyTo = 'x'"), HasSubstr("'JMSReplyTo' cannot be selected by"));
  EXPECT_THAT(refused(std::string(10'000, '(')), HasSubstr("longer than 4096 bytes"));

  Attach twice = Durable("prices", 0);
  AddSelector(twice, "a = 1");
  twice.source->filter->Add(
      Value(Symbol{"another"}),
      Value(Described{Value(std::uint64_t{0x468C00000004}), Value(std::string("a = 2"))}));
  Say(guest, twice);
  EXPECT_THAT(guest->Hear(" detach{"),
              AllOf(HasSubstr("argument-error"), HasSubstr("a consumer has one, and not two")));
  SayDetach(guest, 0, true);
  guest->HearAll();

  Attach unknown = Durable("prices", 0);
  unknown.source->filter.emplace().Add(Value(Symbol{"apache.org:xquery-filter:string"}),
                                       Value(std::string("x")));
  Say(guest, unknown);
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:not-implemented"));
  EXPECT_THAT(*broker_.Receive("t/Subscriptions/prices$shop$D"), SizeIs(1));
}

TEST_F(JmsLinksTest, ConsumersOfOneSubscriptionHaveOneSelector) {
  const Guest guest = Enter("shop");
  Attach attach = Durable("ours", 0, "t", {"shared"});
  AddSelector(attach, "a = 1");
  Say(guest, attach);
  Attach other = Durable("ours|2", 1, "t", {"shared"});
  Say(guest, other);
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("a consumer with another selector"));

  // Rules that an operator has added are not taken for one, and not thrown away.
  SayDetach(guest, 0, false);
  guest->HearAll();
  ASSERT_TRUE(broker_.AddRule("t/Subscriptions/ours$shop$D", {.name = "more"}).ok());
  Say(guest, attach);
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("not those of a selector any more"));
}

TEST_F(JmsLinksTest, WhatCannotBeASubscriptionIsRefusedByName) {
  const Guest guest = Enter("shop");
  Say(guest, Durable(std::string(50, 'n'), 0));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("longer than 50 characters"));
  Say(guest, Durable("a$b", 1));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("cannot stand in the name of a subscription"));
  Say(guest, Durable("prices", 2, "nowhere"));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:not-found"));
  // Nothing is made because somebody asks for it (JMS-8).
  Say(guest, Consumer("r", 3, "nowhere", {"queue"}));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:not-found"));

  QueueDescription other;
  other.name = "other";
  ASSERT_TRUE(broker_.Create(EntityKind::kTopic, other).ok());
  Say(guest, Durable("mine", 4));
  SayDetach(guest, 4, false);
  guest->HearAll();
  Say(guest, Durable("mine", 5, "other"));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("unsubscribe it first"));
  EXPECT_THAT(SubscriptionsOf("t"), ElementsAre("mine$shop$D"));
}

// Where each asked for as much as it has credit for, the first of them would have all of it.
TEST_F(JmsLinksTest, AHundredConsumersShareABacklogEvenly) {
  const std::array<Guest, 2> guests = {Enter("shop"), Enter("till")};
  for (std::uint32_t i = 0; i < 100; ++i) {
    Say(guests[i % 2], Durable("ours|" + std::to_string(i), i / 2, "t", {"shared", "global"}));
  }
  for (int i = 0; i < 20; ++i) {
    std::vector<Message> messages(100);
    ASSERT_TRUE(broker_.Send("t", std::move(messages)).ok());
  }

  for (std::uint32_t i = 0; i < 100; ++i) {
    Flow flow;
    flow.next_incoming_id = 0;
    flow.incoming_window = 100'000;
    flow.outgoing_window = 1000;
    flow.handle = i / 2;
    flow.delivery_count = 0;
    flow.link_credit = 1000;
    guests[i % 2]->Say(flow);
  }
  std::map<std::string, int> counts;
  for (std::size_t heard = 1; std::exchange(heard, 0) > 0;) {
    for (std::size_t guest = 0; guest < 2; ++guest) {
      for (const std::string& line : guests[guest]->HearAll()) {
        const std::size_t at = line.find("transfer{handle=");
        if (at == std::string::npos) continue;
        ++counts[std::to_string(guest) + line.substr(at, line.find(',', at) - at)];
        ++heard;
      }
    }
  }

  ASSERT_THAT(counts, SizeIs(100));
  for (const auto& [link, count] : counts) {
    EXPECT_GE(count, 10) << link;
    EXPECT_LE(count, 30) << link;
  }
}

TEST_F(JmsLinksTest, AHundredConsumersShareOneSubscriptionEvenly) {
  const Guest guest = Enter("shop");
  for (std::uint32_t i = 0; i < 100; ++i) {
    Say(guest, Durable("ours|" + std::to_string(i), i, "t", {"shared"}));
    // As much as qpid-jms fetches ahead.
    Flow flow;
    flow.next_incoming_id = 0;
    flow.incoming_window = 100'000;
    flow.outgoing_window = 1000;
    flow.handle = i;
    flow.delivery_count = 0;
    flow.link_credit = 1000;
    guest->Say(flow);
  }
  guest->HearAll();

  // Each time as many as the broker would give to one of them.
  std::map<std::string, int> counts;
  for (int i = 0; i < 100; ++i) {
    std::vector<Message> messages(100);
    EXPECT_TRUE(broker_.Send("t", std::move(messages)).ok());
    for (const std::string& line : guest->HearAll()) {
      const std::size_t at = line.find("transfer{handle=");
      if (at != std::string::npos) ++counts[line.substr(at, line.find(',', at) - at)];
    }
  }
  ASSERT_THAT(counts, SizeIs(100));
  for (const auto& [handle, count] : counts) {
    EXPECT_GE(count, 80) << handle;
    EXPECT_LE(count, 120) << handle;
  }
}

// Credit may come with the attach, before there is anything that it is for.
TEST_F(JmsLinksTest, CreditThatComesEarlyCounts) {
  const Guest guest = Enter("shop");
  guest->Say(Durable("prices", 0));
  guest->SayFlow(0, 5);
  guest->HearAll();
  Publish("hello");
  EXPECT_THAT(guest->Hear(" transfer{"), HasSubstr("transfer{"));
}

// --- temporary ones

TEST_F(JmsLinksTest, ATemporaryQueueGoesWithItsConnection) {  // JMS-7
  const Guest guest = Enter("shop");
  const std::string line = Say(guest, Temporary("t1", 0, "temporary-queue"));
  const std::size_t at = line.find("jms/temporary/");
  ASSERT_NE(at, std::string::npos) << line;
  const std::string name = line.substr(at, 14 + 36);
  EXPECT_EQ(broker_.GetQueue(name)->record.description.user_metadata,
            "wharf: goes with its JMS consumers");

  // Others answer there, and its consumer is a link of its own.
  Say(guest, Consumer("r", 1, name, {"temporary-queue"}));
  guest->SayFlow(1, 1);
  ASSERT_TRUE(broker_.Send(name, "reply").ok());
  EXPECT_THAT(guest->Hear(" transfer{"), HasSubstr("transfer{"));
  guest.Drop();
  broker_.Run();
  EXPECT_FALSE(broker_.GetQueue(name).ok());
}

TEST_F(JmsLinksTest, ATemporaryTopicIsDeletedByTheEndOfItsLink) {
  const Guest guest = Enter("shop");
  const std::string line = Say(guest, Temporary("t1", 0, "temporary-topic"));
  const std::string name = line.substr(line.find("jms/temporary/"), 14 + 36);
  EXPECT_TRUE(broker_.Get(EntityKind::kTopic, name).ok());
  EXPECT_THAT(Say(guest, Consumer("r", 1, name, {"temporary-topic"})), HasSubstr(name));

  SayDetach(guest, 0, true);
  guest->HearAll();

  EXPECT_FALSE(broker_.Get(EntityKind::kTopic, name).ok());
}

TEST_F(JmsLinksTest, AReceiverMayHaveAQueueMadeForIt) {  // JMS-9
  const Guest guest = Enter("shop");
  Attach attach = Consumer("r", 0, "", {});
  attach.source->address.reset();
  attach.source->dynamic = true;
  const std::string line = Say(guest, attach);
  const std::string name = line.substr(line.find("jms/temporary/"), 14 + 36);
  guest->SayFlow(0, 1);
  ASSERT_TRUE(broker_.Send(name, "hello").ok());
  EXPECT_THAT(guest->Hear(" transfer{"), HasSubstr("transfer{"));

  attach.name = "r2";
  attach.handle = 1;
  attach.source->capabilities = {Symbol{"temporary-topic"}};
  Say(guest, attach);
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("by a link that sends"));
}

TEST_F(JmsLinksTest, AConnectionHasAHundredTemporaryOnesAndNoMore) {
  const Guest guest = Enter("shop");
  for (std::uint32_t i = 0; i < 3'000; ++i) {
    guest->Say(Temporary("t" + std::to_string(i), i, "temporary-queue"));
    if (i % 100 == 0) guest->HearAll();
    if (i != 101) continue;
    EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("at most 100 temporary"));
  }
  guest->HearAll();
  const auto made = broker_.Await<QueuePage>([&](Answer<QueuePage> answer) {
    broker_.broker().requests().Ask(
        Caller(), ListEntitiesRequest{.after = "jms/temporary/", .count_max = 200},
        std::move(answer));
  });
  EXPECT_EQ(std::count_if(made->queues.begin(), made->queues.end(),
                          [](const QueueSnapshot& each) {
                            return each.record.description.name.starts_with("jms/");
                          }),
            100);
  guest.Drop();
  broker_.Run();
  EXPECT_EQ(broker_
                .Await<QueuePage>([&](Answer<QueuePage> answer) {
                  broker_.broker().requests().Ask(Caller(), ListEntitiesRequest{.count_max = 200},
                                                  std::move(answer));
                })
                ->queues.size(),
            1U);
}

// --- without the setting

class WithoutJmsTest : public LinksFixture {
 protected:
  std::string Refused(Attach attach) {
    attach.handle = handle_++;
    attach.name = "link " + std::to_string(attach.handle);
    client_.Say(attach);
    client_.Hear(" attach{");
    return client_.Hear(" detach{");
  }

 private:
  std::uint32_t handle_ = 10;
};

// All of it is refused, or means nothing, as for any client.
TEST_F(WithoutJmsTest, NothingOfJmsIsServed) {
  QueueDescription topic;
  topic.name = "t";
  ASSERT_TRUE(broker_.Create(EntityKind::kTopic, topic).ok());
  Attach none = Receiver("r", 1, "q");
  none.source.reset();
  EXPECT_THAT(Refused(none), HasSubstr("has no address"));
  Attach dynamic = Receiver("r", 1, "q");
  dynamic.source->address.reset();
  dynamic.source->dynamic = true;
  EXPECT_THAT(Refused(dynamic), HasSubstr("has no address"));
  Attach anonymous;
  anonymous.role = Role::kSender;
  anonymous.source.emplace();
  anonymous.target = Target();
  anonymous.initial_delivery_count = 0;
  EXPECT_THAT(Refused(anonymous), HasSubstr("has no address"));
  Attach consumer = Receiver("r", 1, "t");
  consumer.source->capabilities = {Symbol{"topic"}};
  EXPECT_THAT(Refused(consumer), HasSubstr("detach{"));

  // A client id is nobody's alone, and a delivery time is one annotation of many.
  AttachSender();
  client_.SayTransfer(0, MessageAt(Value(std::int64_t{253'402'300'000'000})));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
  EXPECT_THAT(Receive(), SizeIs(1));
}

}  // namespace
}  // namespace wharf::amqp
