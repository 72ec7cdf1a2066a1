// Deliveries, credit and settlement, in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/endpoint/ended_deliveries.h"
#include "tests/amqp/endpoint/raw_peer.h"

namespace wharf::amqp {
namespace {

const OutgoingDelivery kOne{.tag = {"t"}};

struct SendingPeer {
  explicit SendingPeer(EndpointOptions options = RawPeer::Options(),
                       std::uint32_t max_frame_size = 65536, std::uint32_t window = 1000)
      : peer(std::move(options)) {
    peer.Open(max_frame_size);
    peer.Begin(window);
    link = &peer.Attach(Role::kReceiver);
  }
  RawPeer peer;
  Link* link = nullptr;  // Sends to the peer.
};

struct ReceivingPeer {
  explicit ReceivingPeer(EndpointOptions options = RawPeer::Options(),
                         std::optional<std::uint64_t> message_bytes_max = std::nullopt)
      : peer(std::move(options)) {
    peer.Open();
    session = &peer.Begin();
    link = &peer.Attach(Role::kSender, 0, "link", message_bytes_max);
    link->SetCredit(10);
    peer.Hear();
  }
  RawPeer peer;
  Session* session = nullptr;
  Link* link = nullptr;  // Receives from the peer.
};

Transfer PartOf(std::uint32_t id, bool is_first, bool more) {
  Transfer transfer;
  if (is_first) {
    transfer.delivery_id = id;
    transfer.delivery_tag = Binary{"t"};
  }
  transfer.more = more;
  return transfer;
}

Disposition Says(Role role, std::uint32_t first, std::optional<std::uint32_t> last, bool settled,
                 std::optional<DeliveryState> state = Accepted()) {
  Disposition disposition;
  disposition.role = role;
  disposition.first = first;
  disposition.last = last;
  disposition.settled = settled;
  disposition.state = std::move(state);
  return disposition;
}

TEST(DeliveriesTest, WithoutCreditNothingIsSent) {
  SendingPeer to;
  EXPECT_FALSE(to.link->Send(kOne, "a").has_begun);
  EXPECT_EQ(to.peer.Hear(), "");

  to.peer.GiveCredit(1);
  EXPECT_EQ(to.peer.Events(), "credit 1");
  EXPECT_TRUE(to.link->Send(kOne, "a").is_done);
  EXPECT_FALSE(to.link->Send(kOne, "b").has_begun);
  EXPECT_EQ(to.peer.Hear(),
            "0 transfer{handle=0, delivery-id=0, delivery-tag=b'74', message-format=0, "
            "settled=false} b'61'");
}

TEST(DeliveriesTest, CreditIsAbsoluteAndGoesDown) {
  SendingPeer to;
  to.peer.GiveCredit(10);
  to.link->Send(kOne, "a");
  to.link->Send(kOne, "b");
  // The peer had seen one delivery when it said two.
  to.peer.GiveCredit(2, 1);
  EXPECT_EQ(to.peer.Events(), "credit 10\ncredit 1");
  // And had seen none when it said none.
  to.peer.GiveCredit(0, 0);
  EXPECT_EQ(to.peer.Events(), "credit 0");
  EXPECT_FALSE(to.link->Send(kOne, "c").has_begun);
}

TEST(DeliveriesTest, ADrainIsAnsweredBehindTheLastDelivery) {
  SendingPeer to;
  to.peer.GiveCredit(5, 0, true);
  EXPECT_EQ(to.peer.Events(), "credit 5 drain");
  to.link->Send(kOne, "a");
  to.link->GiveBackCredit();
  EXPECT_EQ(to.peer.Hear(),
            "0 transfer{handle=0, delivery-id=0, delivery-tag=b'74', message-format=0, "
            "settled=false} b'61'\n"
            "0 flow{next-incoming-id=0, incoming-window=5000, next-outgoing-id=1, "
            "outgoing-window=5000, handle=0, delivery-count=5, link-credit=0, drain=true}");
}

TEST(DeliveriesTest, ADrainWithoutCreditIsAnswered) {
  SendingPeer to;
  to.peer.GiveCredit(0, 0, true);
  EXPECT_EQ(to.peer.Events(), "credit 0 drain");
  to.link->GiveBackCredit();
  EXPECT_THAT(to.peer.Hear(), testing::HasSubstr("delivery-count=0, link-credit=0, drain=true}"));
}

TEST(DeliveriesTest, ALargeDeliveryIsSentInFrames) {
  SendingPeer to(RawPeer::Options(), 512);
  to.peer.GiveCredit(1);
  const std::string payload(1200, 'x');
  const SendResult result = to.link->Send(kOne, payload);
  EXPECT_TRUE(result.is_done);
  EXPECT_EQ(result.taken, payload.size());
  const std::string bytes = to.peer.endpoint().TakeOutput(to.peer.now());
  std::vector<std::string> lines = FrameText().Read(bytes);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], testing::HasSubstr("settled=false, more=true}"));
  EXPECT_THAT(lines[1], testing::HasSubstr("transfer{handle=0, more=true}"));
  EXPECT_THAT(lines[2], testing::HasSubstr("transfer{handle=0}"));
  EXPECT_EQ(static_cast<unsigned char>(bytes[2]) * 256 + static_cast<unsigned char>(bytes[3]), 512);
}

TEST(DeliveriesTest, PiecesGoOutAsTheyWouldInOne) {
  const auto sent = [](const Payload& payload) {
    SendingPeer to(RawPeer::Options(), 512);
    to.peer.GiveCredit(1);
    EXPECT_TRUE(to.link->Send(kOne, payload).is_done);
    return to.peer.endpoint().TakeOutput(to.peer.now());
  };
  const std::string head(600, 'h');
  const std::string body(1200, 'b');

  EXPECT_EQ(sent({head, body, "tail"}), sent(head + body + "tail"));
  EXPECT_EQ(sent({"", body, ""}), sent(body));
}

TEST(DeliveriesTest, TheWindowOfThePeerHoldsALargeDelivery) {
  SendingPeer to(RawPeer::Options(), 512, 2);
  to.peer.GiveCredit(1, 0, false, 2);
  const std::string payload(1200, 'x');
  const SendResult first = to.link->Send(kOne, payload);
  EXPECT_TRUE(first.has_begun);
  EXPECT_FALSE(first.is_done);
  to.peer.Events();

  Flow flow;
  flow.next_incoming_id = 2;
  flow.incoming_window = 2;
  to.peer.Say(flow);
  EXPECT_EQ(to.peer.Events(), "may write");
  const SendResult second = to.link->Send(kOne, std::string_view(payload).substr(first.taken));
  EXPECT_TRUE(second.is_done);
  EXPECT_EQ(second.delivery, first.delivery);
  EXPECT_EQ(first.taken + second.taken, payload.size());
}

TEST(DeliveriesTest, WhatIsNotWrittenHoldsADelivery) {
  EndpointOptions options = RawPeer::Options();
  options.limits.output_bytes_max = 1000;
  SendingPeer to(options, 512);
  to.peer.GiveCredit(9);
  to.peer.Events();
  const std::string payload(5000, 'x');
  const SendResult first = to.link->Send(kOne, payload);
  EXPECT_FALSE(first.is_done);
  EXPECT_LT(first.taken, 1600U);
  EXPECT_FALSE(to.peer.endpoint().wants_input());
  to.peer.Hear();
  EXPECT_EQ(to.peer.Events(), "may write");
  EXPECT_TRUE(to.peer.endpoint().wants_input());
}

TEST(DeliveriesTest, ADeliveryMayBeSentInPartsAndAborted) {
  SendingPeer to;
  to.peer.GiveCredit(2);
  EXPECT_FALSE(to.link->Send(kOne, "one ", false).is_done);
  EXPECT_TRUE(to.link->Send(kOne, "two", true).is_done);
  EXPECT_FALSE(to.link->Send(kOne, "never", false).is_done);
  EXPECT_TRUE(to.link->Abort());
  EXPECT_EQ(to.peer.Hear(),
            "0 transfer{handle=0, delivery-id=0, delivery-tag=b'74', message-format=0, "
            "settled=false, more=true} b'6f6e6520'\n"
            "0 transfer{handle=0} b'74776f'\n"
            "0 transfer{handle=0, delivery-id=1, delivery-tag=b'74', message-format=0, "
            "settled=false, more=true} b'6e65766572'\n"
            "0 transfer{handle=0, aborted=true}");
  to.peer.Events();
  // An aborted delivery cannot be settled.
  to.peer.Say(Says(Role::kReceiver, 0, 1, true));
  EXPECT_EQ(to.peer.Events(), "disposed 0 settled accepted{}");
}

TEST(DeliveriesTest, TheFirstModeSettlesWithTheOutcome) {
  SendingPeer to;
  to.peer.GiveCredit(3);
  for (int i = 0; i < 3; ++i) to.link->Send(kOne, "a");
  to.peer.Events();
  to.peer.Say(Says(Role::kReceiver, 0, 1, true));
  EXPECT_EQ(to.peer.Events(), "disposed 0 1 settled accepted{}");
  to.peer.Say(Says(Role::kReceiver, 0, 2, true));
  EXPECT_EQ(to.peer.Events(), "disposed 2 settled accepted{}");
}

TEST(DeliveriesTest, WhateverIsSettledIsAUseOfItsLink) {  // LNK-6
  SendingPeer to;
  to.peer.GiveCredit(2);
  for (int i = 0; i < 2; ++i) to.link->Send(kOne, "a");
  for (const bool is_settled : {true, false}) {
    const std::uint64_t before = to.link->uses();
    to.peer.Say(Says(Role::kReceiver, is_settled ? 0 : 1, std::nullopt, is_settled));
    EXPECT_GT(to.link->uses(), before) << is_settled;
  }
}

TEST(DeliveriesTest, TheSecondModeWaitsForAnAnswer) {
  SendingPeer to;
  to.peer.GiveCredit(3);
  SendResult sent[3];
  for (SendResult& result : sent) result = to.link->Send(kOne, "a");
  to.peer.Hear();
  to.peer.Events();
  to.peer.Say(Says(Role::kReceiver, 0, 2, false));
  EXPECT_EQ(to.peer.Events(), "disposed 0 1 2 accepted{}");

  for (const SendResult& result : sent) EXPECT_TRUE(to.link->Settle(result.delivery, Accepted()));
  EXPECT_FALSE(to.link->Settle(sent[0].delivery, Accepted()));
  EXPECT_EQ(to.peer.Hear(),
            "0 disposition{role=sender, first=0, last=2, settled=true, state=accepted{}}");
}

TEST(DeliveriesTest, ASessionFullOfThemGoesOnWhenSomeAreSettledByWhomever) {
  EndpointOptions options = RawPeer::Options();
  options.limits.unsettled_max = 2;
  SendingPeer to(options);
  to.peer.GiveCredit(10);
  const DeliveryId first = to.link->Send(kOne, "a").delivery;
  to.link->Send(kOne, "b");
  EXPECT_FALSE(to.link->Send(kOne, "c").has_begun);
  to.peer.Events();

  // In the second mode the endpoint itself settles, after what the peer says.
  to.peer.Say(Says(Role::kReceiver, 0, std::nullopt, false));
  EXPECT_THAT(to.peer.Events(), testing::Not(testing::HasSubstr("may write")));
  to.link->Settle(first, Accepted());
  const std::optional<Event> event = to.peer.endpoint().Next();
  ASSERT_TRUE(event.has_value());
  EXPECT_TRUE(std::holds_alternative<MayWrite>(*event));
  EXPECT_TRUE(to.link->Send(kOne, "c").is_done);

  EXPECT_FALSE(to.link->Send(kOne, "d").has_begun);
  to.peer.Say(Says(Role::kReceiver, 1, 2, true));
  EXPECT_THAT(to.peer.Events(), testing::HasSubstr("may write"));
}

TEST(DeliveriesTest, ARangeOverEverythingIsNotWalked) {
  SendingPeer to;
  to.peer.GiveCredit(3);
  for (int i = 0; i < 3; ++i) to.link->Send(kOne, "a");
  to.peer.Events();
  to.peer.Say(Says(Role::kReceiver, 0, 0x7fffffff, true));
  EXPECT_EQ(to.peer.Events(), "disposed 0 1 2 settled accepted{}");
}

TEST(DeliveriesTest, WhatIsReceivedIsSettledInRanges) {  // ENC-6
  ReceivingPeer from;
  for (std::uint32_t id = 0; id < 5; ++id) from.peer.Deliver(id, "m");
  EXPECT_THAT(from.peer.Events(), testing::StartsWith("delivered 0 first last 'm'\n"));
  std::vector<DeliveryId> ids;
  for (const Event& event : from.peer.events()) {
    if (const auto* const part = std::get_if<Delivered>(&event)) ids.push_back(part->delivery);
  }
  for (const int i : {1, 0, 2, 4}) from.link->Settle(ids[i], Accepted());
  from.link->Settle(ids[3], Released());
  EXPECT_EQ(from.peer.Hear(),
            "0 disposition{role=receiver, first=0, last=2, settled=true, state=accepted{}}\n"
            "0 disposition{role=receiver, first=4, settled=true, state=accepted{}}\n"
            "0 disposition{role=receiver, first=3, settled=true, state=released{}}");
}

TEST(DeliveriesTest, ADeliveryInPartsIsHeardInParts) {
  ReceivingPeer from;
  from.peer.Say(PartOf(0, true, true), "one ");
  from.peer.Say(PartOf(0, false, true), "two ");
  from.peer.Say(PartOf(0, false, false), "three");
  from.peer.Say(PartOf(1, true, true), "never");
  Transfer aborted = PartOf(1, false, false);
  aborted.aborted = true;
  from.peer.Say(aborted);
  from.peer.Deliver(2, "next");
  EXPECT_EQ(from.peer.Events(),
            "delivered 0 first 'one '\n"
            "delivered 0 'two '\n"
            "delivered 0 last 'three'\n"
            "delivered 1 first 'never'\n"
            "delivered 1 aborted ''\n"
            "delivered 2 first last 'next'");
}

TEST(DeliveriesTest, WhatIsTooLargeKeepsTheLinkAndLosesItsBytes) {
  ReceivingPeer from(RawPeer::Options(), 6);
  from.peer.Say(PartOf(0, true, true), "12345");
  from.peer.Say(PartOf(0, false, true), "67890");
  from.peer.Say(PartOf(0, false, false), "1");
  from.peer.Deliver(1, "small");
  EXPECT_EQ(from.peer.Events(),
            "delivered 0 first '12345'\n"
            "delivered 0 too-large ''\n"
            "delivered 0 last too-large ''\n"
            "delivered 1 first last 'small'");
}

TEST(DeliveriesTest, ASettledDeliveryWantsNoAnswer) {
  ReceivingPeer from;
  Transfer transfer = PartOf(0, true, false);
  transfer.settled = true;
  from.peer.Say(transfer, "m");
  EXPECT_EQ(from.peer.Events(), "delivered 0 first last settled 'm'");
  EXPECT_FALSE(from.link->Settle(DeliveryId(std::uint64_t{1} << 32), Accepted()));
}

TEST(DeliveriesTest, NumbersGoOnBehindTheLargest) {
  EndpointOptions options = RawPeer::Options();
  options.first_number = 0xfffffffe;
  SendingPeer to(options);
  Flow flow;
  flow.next_incoming_id = 0xfffffffe;
  flow.incoming_window = 100;
  flow.handle = 0;
  flow.delivery_count = 0xfffffffe;
  flow.link_credit = 5;
  to.peer.Say(flow);
  for (int i = 0; i < 4; ++i) to.link->Send(kOne, "a");
  EXPECT_THAT(to.peer.Hear(), testing::HasSubstr("delivery-id=1,"));
  to.peer.Events();
  to.peer.Say(Says(Role::kReceiver, 0xffffffff, 0, true));
  EXPECT_EQ(to.peer.Events(), "disposed 4294967295 0 settled accepted{}");
  EXPECT_EQ(to.link->credit(), 1U);
}

TEST(DeliveriesTest, ReceivedNumbersGoOnBehindTheLargest) {
  ReceivingPeer from;
  for (const std::uint32_t id : {0xfffffffeU, 0xffffffffU, 0U, 1U}) from.peer.Deliver(id, "m");
  EXPECT_THAT(from.peer.Events(), testing::HasSubstr("delivered 1 first last 'm'"));
  from.peer.Say(Says(Role::kSender, 0xffffffff, 0, true));
  EXPECT_EQ(from.peer.Events(), "disposed 4294967295 0 settled accepted{}");
}

TEST(DeliveriesTest, WhatLeftBeforeCreditWasTakenBackIsTaken) {
  ReceivingPeer from;
  from.link->SetCredit(0);
  from.peer.Hear();
  for (std::uint32_t id = 0; id < 10; ++id) from.peer.Deliver(id, "m");
  EXPECT_THAT(from.peer.Events(), testing::HasSubstr("delivered 9"));
  from.peer.Deliver(10, "m");
  EXPECT_THAT(from.peer.Events(),
              testing::HasSubstr("detached by us amqp:link:transfer-limit-exceeded"));
}

TEST(DeliveriesTest, ADrainOfOursEnds) {
  ReceivingPeer from;
  from.link->Drain(10);
  EXPECT_THAT(from.peer.Hear(), testing::HasSubstr("link-credit=10, drain=true}"));
  from.peer.Deliver(0, "m");
  Flow flow;
  flow.incoming_window = 100;
  flow.handle = 0;
  flow.delivery_count = 10;
  flow.link_credit = 0;
  flow.drain = true;
  from.peer.Say(flow);
  EXPECT_EQ(from.peer.Events(), "delivered 0 first last 'm'\ndrained");
  from.link->SetCredit(1);
  EXPECT_THAT(from.peer.Hear(), testing::HasSubstr("delivery-count=10, link-credit=1}"));
}

TEST(DeliveriesTest, EchoesAreAnsweredOnce) {
  ReceivingPeer from;
  Flow flow;
  flow.incoming_window = 100;
  flow.echo = true;
  for (int i = 0; i < 1000; ++i) from.peer.Say(flow);
  EXPECT_EQ(from.peer.Hear(),
            "0 flow{next-incoming-id=0, incoming-window=5000, next-outgoing-id=0, "
            "outgoing-window=5000}");
}

TEST(DeliveriesTest, TheWindowIsOpenedAgainWhenHalfOfItIsUsed) {
  EndpointOptions options = RawPeer::Options();
  options.limits.incoming_window = 4;
  ReceivingPeer from(options);
  from.peer.Deliver(0, "m");
  EXPECT_EQ(from.peer.Hear(), "");
  from.peer.Deliver(1, "m");
  EXPECT_EQ(from.peer.Hear(),
            "0 flow{next-incoming-id=2, incoming-window=4, next-outgoing-id=0, "
            "outgoing-window=4}");
}

TEST(DeliveriesTest, AfterItsLinkADeliveryIsForgotten) {
  SendingPeer to;
  to.peer.GiveCredit(1);
  const SendResult sent = to.link->Send(kOne, "a");
  to.link->SendDetach();
  EXPECT_EQ(to.peer.endpoint().unsettled(), 0U);
  EXPECT_FALSE(to.link->Settle(sent.delivery, Accepted()));
  to.peer.Events();
  to.peer.Say(Says(Role::kReceiver, 0, 0, true, std::nullopt));
  EXPECT_EQ(to.peer.Events(), "");
}

DeliveryState InSeven() { return TransactionalState{.txn_id = {"\x07"}, .outcome = std::nullopt}; }
constexpr std::string_view kMissed = "missed transactional-state{txn-id=b'07'}";

// A program may not have heard of it when what speaks for it has.
TEST(DeliveriesTest, WhatIsSaidOfADeliveryBehindItsLinkIsMissed) {
  SendingPeer to;
  Link& other = to.peer.Attach(Role::kReceiver, 1, "other");
  to.peer.GiveCredit(3);
  for (int i = 0; i < 3; ++i) to.link->Send(kOne, "a");
  to.link->SendDetach();
  to.peer.Events();

  to.peer.Say(Says(Role::kReceiver, 0, 0, true, InSeven()));
  EXPECT_EQ(to.peer.Events(), kMissed);
  to.peer.Say(Detach());
  to.peer.Say(Says(Role::kReceiver, 0, 1, false, InSeven()));
  EXPECT_EQ(to.peer.Events(), "detached for now\n" + std::string(kMissed));
  to.peer.Say(Says(Role::kReceiver, 0, 1, true, InSeven()));
  EXPECT_EQ(to.peer.Events(), kMissed);
  // Said already.
  to.peer.Say(Says(Role::kReceiver, 0, 1, true, InSeven()));
  EXPECT_EQ(to.peer.Events(), "");
  // Of what others have delivered it is not said.
  Flow credit = Flow();
  credit.handle = 1;
  credit.link_credit = 1;
  credit.incoming_window = 1000;
  to.peer.Say(credit);
  ASSERT_TRUE(other.Send(kOne, "b").is_done);
  to.peer.Events();
  to.peer.Say(Says(Role::kReceiver, 3, 3, true, InSeven()));
  EXPECT_THAT(to.peer.Events(), testing::StartsWith("disposed 3 settled"));
}

TEST(DeliveriesTest, SoManyAreRememberedBehindTheirLinks) {
  EndedDeliveries ended(2);
  ended.Add({DeliveryId(1), DeliveryId(2)});
  ended.Add({DeliveryId(3)});
  EXPECT_FALSE(ended.Find(DeliveryId(0), DeliveryId(1), false));
  EXPECT_TRUE(ended.Find(DeliveryId(2), DeliveryId(2), true));
  EXPECT_FALSE(ended.Find(DeliveryId(0), DeliveryId(2), false));
  EXPECT_TRUE(ended.Find(DeliveryId(0), DeliveryId(9), false));
}

TEST(DeliveriesTest, ATransferThatReachesNobodyIsMissed) {
  Transfer late = PartOf(0, true, false);
  late.state = InSeven();
  ReceivingPeer from;
  from.link->SendDetach();
  from.peer.Say(late, "m");
  from.peer.Deliver(1, "it says none");
  EXPECT_EQ(from.peer.Events(), kMissed);

  // One that nobody may send.
  late.delivery_id = 2;
  late.handle = 1;
  from.peer.Attach(Role::kSender, 1, "without credit");
  from.peer.Events();
  from.peer.Say(late, "m");
  EXPECT_THAT(from.peer.Events(), testing::StartsWith(kMissed));

  // Nor one that cannot be read, by which its session ends.
  ReceivingPeer other;
  other.peer.Say(Says(Role::kReceiver, 2, 1, true, InSeven()));
  EXPECT_THAT(other.peer.Events(), testing::StartsWith(std::string(kMissed) + "\nended"));

  // By what nobody has, and the session ends.
  late.handle = 9;
  from.peer.Say(late, "m");
  EXPECT_THAT(from.peer.Events(), testing::StartsWith(std::string(kMissed) + "\nended"));
  from.peer.Say(Says(Role::kReceiver, 0, 0, true, InSeven()));
  from.peer.Say(late, "m");
  EXPECT_EQ(from.peer.Events(), std::string(kMissed) + "\n" + std::string(kMissed));
  // An answer to our answer, by which nothing becomes a part of anything.
  from.peer.Say(Says(Role::kSender, 0, 0, true, InSeven()));
  EXPECT_EQ(from.peer.Events(), "");
}

}  // namespace
}  // namespace wharf::amqp
