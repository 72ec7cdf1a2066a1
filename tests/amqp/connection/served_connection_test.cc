#include "broker/doors/amqp/connection/served_connection.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/access/client_rules.h"
#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "tests/access/web_token.h"
#include "tests/amqp/connection/served_fixture.h"

namespace wharf::amqp {
namespace {

using access::kKeyOne;
using access::kKeyThree;
using access::kKeyTwo;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Plain(const std::string& rule, const std::string& key) {
  return std::string(1, '\0') + rule + std::string(1, '\0') + key;
}

// --- coming in

using LoginTest = ServedFixture;

TEST_F(LoginTest, MechanismsAreOfferedInTheOrderThatClientsAreToPrefer) {  // LNK-11
  Guest guest = Connect();

  guest->SayBytes(HeaderOf(Protocol::kSasl));

  EXPECT_THAT(guest->Hear("sasl-mechanisms"), HasSubstr("[:MSSBCBS, :PLAIN, :ANONYMOUS]"));
}

TEST_F(LoginTest, ExternalIsOfferedToWhoHasACertificate) {
  Guest guest = Connect("CN=somebody");

  guest->SayBytes(HeaderOf(Protocol::kSasl));

  EXPECT_THAT(guest->Hear("sasl-mechanisms"),
              HasSubstr("[:MSSBCBS, :PLAIN, :ANONYMOUS, :EXTERNAL]"));
}

TEST_F(LoginTest, WhoProvesLaterIsLetInWhateverItSays) {
  for (const char* mechanism : {"MSSBCBS", "ANONYMOUS"}) {
    EXPECT_THAT(Connect()->Login(mechanism), HasSubstr("code=ok"));
    EXPECT_THAT(Connect()->Login(mechanism, std::string("\0reader", 7)), HasSubstr("code=ok"));
  }
}

TEST_F(LoginTest, WhatIsNoNameAndKeyIsNotLetIn) {
  for (const std::string& said :
       {std::string("reader"), Plain("", "k"), Plain("reader", ""), "other" + Plain("reader", "k"),
        Plain("reader", std::string(2000, 'k')), Plain("reader", Plain("k", "k"))}) {
    Guest guest = Connect();
    const std::size_t lines = log_.lines().size();
    EXPECT_THAT(guest->Login("PLAIN", said), HasSubstr("code=auth")) << said;
    EXPECT_TRUE(guest.served->is_over());
    EXPECT_EQ(log_.lines().size(), lines + 1) << said;
  }
  EXPECT_THAT(Connect()->Login("PLAIN"), HasSubstr("code=auth"));
}

TEST_F(LoginTest, ACertificateThatNobodyGaveARuleIsNotLetIn) {
  EXPECT_THAT(Connect("CN=somebody")->Login("EXTERNAL"), HasSubstr("code=auth"));
  EXPECT_THAT(Connect("CN=somebody")->Login("EXTERNAL", "other"), HasSubstr("code=auth"));
  EXPECT_THAT(Connect()->Login("EXTERNAL"), HasSubstr("code=auth"));
}

TEST_F(LoginTest, OpenSaysWhatTheDoorHolds) {
  Guest guest = Connect();
  guest->Login("ANONYMOUS");

  EXPECT_THAT(guest->Open(),
              AllOf(HasSubstr("container-id=\"wharf\""), HasSubstr("max-frame-size=65536"),
                    HasSubstr("channel-max=4999"), HasSubstr("idle-time-out=240000")));
}

TEST_F(LoginTest, WhatIsNoAmqpHearsWhichHeaderIsMeant) {
  for (const char* said : {"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x01", "AMQP\2\1\0\0"}) {
    Guest guest = Connect();
    guest->SayBytes(std::string_view(said, 8));
    EXPECT_EQ(guest->Hear("header"), "header sasl");
    EXPECT_TRUE(guest.served->is_over());
  }
}

// RabbitMQ's client leaves it out, where it is given no password.
TEST_F(LoginTest, WhoSaysNothingToSaslProvesLaterToo) {
  Guest guest = Connect();
  EXPECT_THAT(guest->Open(), HasSubstr("container-id=\"wharf\""));
  guest->Begin();
  guest->SayAttach("s", 0, Role::kSender, "orders");
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
  guest->AttachToCbs();
  EXPECT_THAT(guest->PutToken("sb://host/orders", TokenFor("orders", "sender")), HasSubstr("202"));
}

TEST_F(LoginTest, WhoSaysNothingToSaslAndProvesNothingIsSentAway) {
  Guest guest = Connect();
  guest->Open();
  guest.served->Tick(now_ + seconds(20));
  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("amqp:connection:forced"));
}

TEST_F(LoginTest, WithoutABrokerAClientIsSentAway) {
  gate_.Close();
  Guest guest = Connect();
  guest->Login("ANONYMOUS");

  guest->Open();

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("amqp:connection:forced"));
}

// --- claims

using CbsTest = ServedFixture;

TEST_F(CbsTest, ATokenGivesLinksToItsAudience) {  // ADR-8, SEC-8
  Guest guest = ConnectToCbs();

  const std::string answer = guest->PutToken("sb://host/orders", TokenFor("orders", "sender"));

  EXPECT_THAT(answer,
              AllOf(HasSubstr("correlation-id=\"m1\""), HasSubstr("\"status-code\" 202:int"),
                    HasSubstr("\"status-description\" \"Accepted\"")));
  guest->SayAttach("s", 0, Role::kSender, "amqps://host/Orders/");
  EXPECT_THAT(guest->Hear(" attach{name=\"s\""), HasSubstr("target=target{"));
  EXPECT_THAT(TakeLines(), ElementsAre("attached Orders by orders#sender"));
}

TEST_F(CbsTest, BeforeATokenLinksToEntitiesAreRefused) {  // LNK-12, ENC-8
  Guest guest = ConnectToCbs();

  guest->SayAttach("s", 0, Role::kSender, "orders");

  EXPECT_THAT(guest->Hear(" attach{name=\"s\""), Not(HasSubstr("target=target{")));
  EXPECT_THAT(guest->Hear(" detach{"),
              AllOf(HasSubstr("amqp:unauthorized-access"), HasSubstr("closed=true"),
                    HasSubstr("TrackingId:"), HasSubstr("SystemTracker:wharf:orders"),
                    HasSubstr("Timestamp:")));
  EXPECT_THAT(TakeLines(), IsEmpty());
}

TEST_F(CbsTest, ATokenGivesNoOtherRightAndNoOtherPath) {
  Guest guest = ConnectToCbs();
  guest->PutToken("sb://host/orders", TokenFor("orders", "reader"));

  guest->SayAttach("right", 0, Role::kSender, "orders");
  guest->SayAttach("path", 1, Role::kReceiver, "bills");
  guest->SayAttach("prefix", 2, Role::kReceiver, "orders2");
  guest->SayAttach("well", 3, Role::kReceiver, "orders/$DeadLetterQueue");

  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
  }
  EXPECT_THAT(TakeLines(), ElementsAre("attached orders/$DeadLetterQueue by orders#reader"));
}

TEST_F(CbsTest, AWideTokenOpensItsAudienceAlone) {
  Guest guest = ConnectToCbs();
  guest->PutToken("sb://host/orders", TokenFor("", "root"));

  guest->SayAttach("other", 0, Role::kSender, "bills");
  guest->SayAttach("management", 1, Role::kSender, "orders/$management");

  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
  EXPECT_THAT(TakeLines(), ElementsAre("attached orders by #root"));
}

TEST_F(CbsTest, TokensThatDoNotHoldAreRefused) {
  Guest guest = ConnectToCbs();
  const std::string good = TokenFor("orders", "sender");

  for (const std::string& bad :
       {TokenFor("orders", "sender", kKeyThree), TokenFor("orders", "nobody"),
        TokenFor("orders", "sender", kKeyOne, wall_now_), TokenFor("bills", "sender"),
        TokenFor("orders/below", "sender"), good.substr(0, good.size() / 2), std::string("x"),
        "SharedAccessSignature sr=sb%3a%2f%2fhost%2forders&sig=x&se=" + std::string(30, '9') +
            "&skn=sender"}) {
    EXPECT_THAT(guest->PutToken("sb://host/orders", bad),
                AllOf(HasSubstr("\"status-code\" 401:int"), HasSubstr("TrackingId:")))
        << bad;
  }
  EXPECT_EQ(guest.served->claims(), 0U);
}

TEST_F(CbsTest, AskingForAnythingElseIsAnswered) {
  Guest guest = ConnectToCbs();
  const auto ask = [&guest](const PutTokenMessage& message) {
    guest->SayTransfer(100, message.Encoded());
    return guest->Hear("status-code");
  };

  EXPECT_THAT(ask({.token = "t", .operation = "delete-token"}), HasSubstr("501:int"));
  EXPECT_THAT(ask({}), HasSubstr("400:int"));
  EXPECT_THAT(ask({.token = "t", .type = "amqp:basic"}), HasSubstr("400:int"));
  EXPECT_THAT(ask({.audience = std::string(2000, 'a'), .token = "t"}), HasSubstr("400:int"));
}

TEST_F(CbsTest, TheAnswerNamesTheRequestByTheSameType) {
  Guest guest = ConnectToCbs();
  const auto ask = [&guest](MessageId id) {
    guest->SayTransfer(100, PutTokenMessage{.message_id = std::move(id)}.Encoded());
    return guest->Hear("status-code");
  };

  EXPECT_THAT(ask(std::uint64_t{7}), HasSubstr("correlation-id=7}"));
  EXPECT_THAT(ask(std::string("7")), HasSubstr("correlation-id=\"7\""));
  EXPECT_THAT(ask(Uuid()), HasSubstr("correlation-id=uuid'0000"));
}

// Answers that nobody takes would be as long.
TEST_F(CbsTest, ARequestWithALongIdIsRejected) {
  Guest guest = ConnectToCbs();

  guest->SayTransfer(100, PutTokenMessage{.message_id = std::string(5000, 'i')}.Encoded());

  EXPECT_THAT(guest->Hear("rejected"), HasSubstr("longer than 4096 bytes"));
}

TEST_F(CbsTest, AnAnswerWaitsForCredit) {
  Guest guest = Connect();
  guest->Enter();
  guest->AttachToCbs(/*credit=*/0);
  EXPECT_EQ(guest->PutToken("sb://host/orders", TokenFor("orders", "sender")), "");

  guest->SayFlow(101, 1);

  EXPECT_THAT(guest->Hear("status-code"), HasSubstr("202:int"));
}

TEST_F(CbsTest, ADrainIsAnsweredAlsoAtNoCredit) {
  Guest guest = Connect();
  guest->Enter();
  guest->AttachToCbs(/*credit=*/0);

  guest->SayFlow(101, 0, /*drain=*/true);

  EXPECT_THAT(guest->Hear("drain=true"), HasSubstr("link-credit=0"));
}

TEST_F(CbsTest, AnAnswerGoesToTheAddressOrTheNameOrTheOnlyLink) {
  for (const std::optional<std::string>& reply_to :
       {std::optional<std::string>("cbs-1"), std::optional<std::string>()}) {
    Guest guest = ConnectToCbs();
    guest->SayTransfer(100, PutTokenMessage{.reply_to = reply_to}.Encoded());
    EXPECT_NE(guest->Hear("status-code"), "");
  }
  Guest guest = ConnectToCbs();
  Attach second;
  second.name = "second";
  second.handle = 7;
  second.role = Role::kReceiver;
  second.source.emplace().address = "$cbs";
  second.target = TargetAt("here");
  guest->Say(second);
  guest->SayFlow(7, 5);

  guest->SayTransfer(100, PutTokenMessage{.reply_to = "here"}.Encoded());
  EXPECT_THAT(guest->Hear("status-code"), HasSubstr("handle=2,"));
  guest->SayTransfer(100, PutTokenMessage{.reply_to = std::nullopt}.Encoded());
  EXPECT_EQ(guest->Hear("status-code"), "");  // It may be either.
}

TEST_F(CbsTest, WhatIsNoRequestIsRejectedAndTheLinkGoesOn) {
  Guest guest = ConnectToCbs();

  guest->SayTransfer(100, "nonsense");
  EXPECT_THAT(guest->Hear("rejected"), HasSubstr("amqp:decode-error"));
  guest->SayTransfer(100, PutTokenMessage{.token = std::string(40'000, 't')}.Encoded());
  EXPECT_THAT(guest->Hear("rejected"), HasSubstr("amqp:link:message-size-exceeded"));

  EXPECT_EQ(guest.served->partial_bytes().taken(), 0U);
  EXPECT_THAT(guest->PutToken("sb://host/orders", TokenFor("orders", "sender")),
              HasSubstr("202:int"));
}

std::string HalfARequest() {
  Transfer transfer;
  transfer.handle = 100;
  transfer.delivery_id = 0;
  transfer.delivery_tag = Binary{"t"};
  FrameWriter writer;
  writer.WriteTransfer(0, transfer, std::string(300, 'x'), /*is_last=*/false);
  return writer.Take();
}

TEST_F(CbsTest, WhatIsBegunAndNeverEndedIsGivenBackWithItsLink) {
  Guest guest = ConnectToCbs();
  guest->SayBytes(HalfARequest());
  EXPECT_EQ(guest.served->partial_bytes().taken(), 300U);

  guest->SayDetach(100);

  EXPECT_EQ(guest.served->partial_bytes().taken(), 0U);
}

// Found by amqp_broker_fuzz: also when no link of it ends, because the whole connection does.
TEST_F(CbsTest, WhatIsBegunAndNeverEndedIsGivenBackWithItsConnection) {
  Guest guest = ConnectToCbs();
  guest->SayBytes(HalfARequest());

  // A frame of three bytes.
  guest->SayBytes(std::string("\0\0\0\3\2\0\0\0", 8));

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("framing-error"));
  EXPECT_EQ(guest.served->partial_bytes().taken(), 0U);
}

TEST_F(CbsTest, WhoTakesNoAnswersGetsNoCreditForQuestions) {
  Guest guest = Connect();
  guest->Enter();
  guest->AttachToCbs(/*credit=*/0);
  for (int i = 0; i < 100; ++i) guest->SayTransfer(100, PutTokenMessage().Encoded());
  guest->HearAll();

  guest->SayTransfer(100, PutTokenMessage().Encoded());

  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:link:transfer-limit-exceeded"));
}

TEST_F(CbsTest, WhereAnswersGoWithTheirLinkOthersGetCreditAgain) {
  Guest guest = Connect();
  guest->Enter();
  guest->AttachToCbs(/*credit=*/0);
  for (int i = 0; i < 100; ++i) guest->SayTransfer(100, PutTokenMessage().Encoded());
  guest->HearAll();

  guest->SayDetach(101);

  EXPECT_THAT(guest->Hear(" flow{"), HasSubstr("link-credit=100"));
}

TEST_F(CbsTest, LinksToClaimsAreFew) {
  Guest guest = Connect();
  guest->Enter();
  for (std::uint32_t i = 0; i < 17; ++i) {
    guest->SayAttach("l" + std::to_string(i), i, Role::kReceiver, "$cbs");
  }

  EXPECT_THAT(guest->Hear(" detach{"),
              AllOf(HasSubstr("handle=16"), HasSubstr("amqp:resource-limit-exceeded")));
  EXPECT_EQ(guest->Hear(" detach{"), "");
}

TEST_F(CbsTest, AConnectionHasSoManyClaimsAndNoMore) {
  limits_.claims_max = 3;
  Guest guest = ConnectToCbs();
  const auto put = [&](const std::string& path, Timestamp until) {
    return guest->PutToken("sb://host/" + path, TokenFor("", "root", kKeyOne, until));
  };
  put("a", access::kSampleLater);
  put("b", wall_now_ + seconds(10));
  put("c", access::kSampleLater);

  EXPECT_THAT(put("d", access::kSampleLater), HasSubstr("403:int"));
  EXPECT_THAT(put("a", access::kSampleLater), HasSubstr("202:int"));  // That is not one more.
  wall_now_ += seconds(10);
  EXPECT_THAT(put("d", access::kSampleLater), HasSubstr("202:int"));  // One has lapsed.
  EXPECT_EQ(guest.served->claims(), 3U);
}

TEST_F(CbsTest, WhereNobodyHasToProveAnythingAnyTokenIsTaken) {
  gate_.Open(nullptr);
  Guest guest = ConnectToCbs();

  EXPECT_THAT(guest->PutToken("sb://host/orders", "whatever"), HasSubstr("202:int"));
  guest->SayAttach("s", 0, Role::kSender, "bills");

  EXPECT_THAT(TakeLines(), ElementsAre("attached bills by nobody"));
}

// --- links

using LinkRightsTest = ServedFixture;

TEST_F(LinkRightsTest, AKeyIsResolvedForEachPath) {
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("Sender", kKeyThree));

  guest->SayAttach("b", 0, Role::kSender, "bills");
  guest->SayAttach("o", 1, Role::kSender, "orders");
  guest->SayAttach("r", 2, Role::kReceiver, "bills");

  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
  EXPECT_THAT(TakeLines(), ElementsAre("attached bills by bills#sender"));
}

TEST_F(LinkRightsTest, AKeyOfTheNamespaceOpensWhatIsBelow) {
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("root", kKeyTwo));

  guest->SayAttach("s", 0, Role::kSender, "anything");
  guest->SayAttach("r", 1, Role::kReceiver, "t/Subscriptions/s");

  EXPECT_THAT(TakeLines(),
              ElementsAre("attached anything by #root", "attached t/Subscriptions/s by #root"));
}

TEST_F(LinkRightsTest, ALinkEndsWithItsToken) {  // LNK-14
  Guest guest = ConnectToCbs();
  guest->PutToken("sb://host/orders",
                  TokenFor("orders", "sender", kKeyOne, wall_now_ + seconds(30)));
  guest->SayAttach("s", 0, Role::kSender, "orders");
  guest->HearAll();
  TakeLines();

  Advance(guest, seconds(29));
  EXPECT_EQ(guest->Hear(" detach{"), "");
  Advance(guest, seconds(1));

  EXPECT_THAT(guest->Hear(" detach{"),
              AllOf(HasSubstr("amqp:unauthorized-access"), HasSubstr("the token lapsed")));
  EXPECT_THAT(TakeLines(), ElementsAre("detached"));
  EXPECT_FALSE(guest.served->is_over());
}

TEST_F(LinkRightsTest, ATokenThatIsPutAgainKeepsTheLink) {
  Guest guest = ConnectToCbs();
  guest->PutToken("sb://host/orders",
                  TokenFor("orders", "sender", kKeyOne, wall_now_ + seconds(30)));
  guest->SayAttach("s", 0, Role::kSender, "orders");
  guest->PutToken("sb://host/orders", TokenFor("orders", "sender", kKeyTwo));
  TakeLines();

  Advance(guest, seconds(60));
  Advance(guest, seconds(60));

  EXPECT_EQ(guest->Hear(" detach{"), "");
  EXPECT_THAT(TakeLines(), ElementsAre("renewed by orders#sender"));
}

// --- idleness

class LinkIdleTest : public ServedFixture {
 protected:
  LinkIdleTest() {
    world_.link_idle_max = &idle_max_;
    Publish(access::Book().With("", access::SampleRule("root", access::Right::kManage)));
    guest_ = Connect();
    guest_->Enter("PLAIN", Plain("root", kKeyOne));
    AttachBoth(0);
  }
  // "s" sends, "r" receives.
  void AttachBoth(std::uint32_t handle) {
    guest_->SayAttach("s", handle, Role::kSender, "orders");
    guest_->SayAttach("r", handle + 1, Role::kReceiver, "orders");
    guest_->HearAll();
  }
  std::string Detach() { return guest_->Hear(" detach{"); }
  // What happens by then happens second by second.
  void Wait(int times) {
    for (int i = 0; i < times; ++i) Advance(guest_, seconds(1));
  }

  std::atomic<DoorLimits::Span> idle_max_ = DoorLimits::Span(seconds(10));
  Guest guest_;
};

TEST_F(LinkIdleTest, ALinkOnWhichNothingIsDoneIsDetached) {  // LNK-6
  Wait(9);
  EXPECT_EQ(Detach(), "");
  Wait(2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Detach(), AllOf(HasSubstr("closed=true"), HasSubstr("amqp:link:detach-forced")));
  }
  EXPECT_THAT(TakeLines(), AllOf(Contains("detached").Times(2), Not(Contains("gone"))));
  EXPECT_FALSE(guest_.served->is_over());
  EXPECT_THAT(log_.lines().back(), HasSubstr("amqp-link-idle-time"));

  AttachBoth(5);
  EXPECT_EQ(guest_.served->entity_links(), 2U);
}

TEST_F(LinkIdleTest, WhatIsDoneOnALinkKeepsThatLinkAlone) {
  for (int i = 0; i < 4; ++i) {
    Wait(6);
    guest_->SayTransfer(0, "x");
    guest_->HearAll();
  }
  EXPECT_EQ(guest_.served->entity_links(), 1U);
  Wait(11);
  EXPECT_EQ(guest_.served->entity_links(), 0U);
}

TEST_F(LinkIdleTest, CreditIsSomethingThatIsDone) {
  for (std::uint32_t i = 1; i < 5; ++i) {
    Wait(6);
    guest_->SayFlow(1, i);
  }
  EXPECT_EQ(guest_.served->entity_links(), 1U);
}

TEST_F(LinkIdleTest, WhatAnotherLinkDoesForItKeepsIt) {
  for (int i = 0; i < 4; ++i) {
    Wait(6);
    guest_.served->NoteUseOf("r");
    guest_.served->NoteUseOf("no link at all");
  }
  EXPECT_EQ(guest_.served->entity_links(), 1U);
}

TEST_F(LinkIdleTest, TheTimeMayChangeWhileLinksAreThere) {
  idle_max_ = DoorLimits::Span(0);
  Wait(100);
  EXPECT_EQ(guest_.served->entity_links(), 2U);
  idle_max_ = DoorLimits::Span(seconds(200));
  Wait(50);
  EXPECT_EQ(guest_.served->entity_links(), 2U);
  Wait(51);
  EXPECT_EQ(guest_.served->entity_links(), 0U);
}

// --- frames

TEST_F(LinkIdleTest, FramesAreCountedOverAllConnections) {
  const std::uint64_t received = counts_.frames_received;
  const std::uint64_t sent = counts_.frames_sent;
  // Header, SASL, open, begin, two links; and the answers.
  EXPECT_GE(received, 5U);
  EXPECT_GE(sent, 5U);
  guest_->SayTransfer(0, "x");
  EXPECT_EQ(counts_.frames_received, received + 1);
  Guest another = Connect();
  another->Enter("PLAIN", Plain("root", kKeyOne));
  EXPECT_EQ(counts_.frames_received, received + 4);
  EXPECT_GE(counts_.frames_sent, sent + 4);
}

// --- faults of links

TEST_F(LinkIdleTest, AnAttachThatIsNoneHasItsLine) {
  Attach attach;
  attach.name = "bad";
  attach.handle = 7;
  attach.role = Role::kSender;
  attach.source.emplace();
  attach.target = TargetAt("orders");
  guest_->Say(attach);
  EXPECT_THAT(Detach(), HasSubstr("initial-delivery-count: missing"));
  EXPECT_THAT(log_.lines().back(), HasSubstr("attach.initial-delivery-count: missing"));
  EXPECT_EQ(guest_.served->entity_links(), 2U);
}

TEST_F(LinkRightsTest, ATokenForManagementLetsItsOperationsAskForTheEntity) {
  Guest guest = ConnectToCbs();
  const auto put = [&](Timestamp until) {
    guest->PutToken("sb://host/orders/$management",
                    TokenFor("orders/$management", "root", access::kKeyOne, until));
  };
  put(access::kSampleLater);
  guest->SayAttach("m", 0, Role::kSender, "orders/$management");
  guest->HearAll();

  put(access::kSampleLater + seconds(5));
  Advance(guest, seconds(1));

  EXPECT_THAT(entities_.resources, ElementsAre("orders", "orders"));
  EXPECT_THAT(TakeLines(), ElementsAre("attached orders by #root", "renewed by #root"));
}

TEST_F(LinkRightsTest, ARuleThatGoesTakesItsLinksAlong) {
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("sender", kKeyOne));
  guest->SayAttach("s", 0, Role::kSender, "orders");
  guest->HearAll();

  Publish(book_.Without("orders", "sender"));
  Advance(guest, seconds(1));

  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
}

TEST_F(LinkRightsTest, WhatIsHeardOfALinkIsToldUntilItsEnd) {
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("root", kKeyOne));
  guest->SayAttach("s", 0, Role::kSender, "q");
  guest->SayTransfer(0, "one");

  guest->SayDetach(0);

  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("closed=true"));
  EXPECT_THAT(TakeLines(), ElementsAre("attached q by #root", "delivered one", "detached"));
}

TEST_F(LinkRightsTest, LinksEndWithTheirSessionAndWithTheConnection) {
  {
    Guest guest = Connect();
    guest->Enter("PLAIN", Plain("root", kKeyOne));
    guest->SayAttach("s", 0, Role::kSender, "q");
    guest->Begin(1);
    guest->SayAttach("other", 0, Role::kSender, "q", 1);
    TakeLines();

    guest->Say(End());

    EXPECT_NE(guest->Hear(" end{"), "");
    EXPECT_THAT(TakeLines(), ElementsAre("detached"));
    EXPECT_EQ(guest.served->entity_links(), 1U);
  }
  EXPECT_THAT(TakeLines(), ElementsAre("gone"));
}

TEST_F(LinkRightsTest, ALinkThatIsRefusedByItsEntityIsForgotten) {
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("root", kKeyOne));
  guest->SayAttach("s", 0, Role::kSender, "nowhere");
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:not-found"));

  guest->SayDetach(0);

  EXPECT_THAT(TakeLines(), ElementsAre("attached nowhere by #root", "detached"));
  EXPECT_EQ(guest.served->entity_links(), 0U);
}

TEST_F(LinkRightsTest, ALinkWithoutAnAddressIsRefused) {
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("root", kKeyOne));
  Attach attach;
  attach.name = "dynamic";
  attach.role = Role::kReceiver;
  attach.source.emplace().dynamic = true;

  guest->Say(attach);

  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:not-allowed"));
}

// Clients for whom somebody else vouches: an authority of certificates, or an issuer of tokens.
class VouchedTest : public ServedFixture {
 protected:
  VouchedTest() {
    Result<access::ClientRules> rules = access::ClientRules::Parse(
        {"certificate:CN=shop -> orders#sender", "claim:shop -> orders#reader"});
    EXPECT_TRUE(rules.ok());
    Result<access::TokenIssuerPtr> issuer =
        access::TokenIssuer::Make({.issuer = "i", .audience = "wharf", .claim = "app"},
                                  {{"one", access::TokenAlgorithm::kHs256, kKeyOne}});
    EXPECT_TRUE(issuer.ok());
    rules->set_issuer(*std::move(issuer));
    guard_.SetClients(std::make_shared<const access::ClientRules>(*std::move(rules)));
  }
  static std::string WebToken(const std::string& app) {
    return access::WebSigner::OfSecret(kKeyOne).Sign(
        {{"kid", "one"}, {"alg", "HS256"}},
        {{"iss", "i"}, {"aud", "wharf"}, {"app", app}, {"exp", 1'700'003'600}});
  }
};

TEST_F(VouchedTest, ACertificateHasTheRightsOfItsRule) {
  Guest guest = Connect("CN=shop");
  guest->Enter("EXTERNAL");

  guest->SayAttach("s", 0, Role::kSender, "orders");
  guest->SayAttach("r", 1, Role::kReceiver, "orders");

  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
  EXPECT_THAT(TakeLines(), ElementsAre("attached orders by orders#sender"));
  guard_.SetClients(std::make_shared<const access::ClientRules>());
  Advance(guest, seconds(1));
  EXPECT_THAT(guest->Hear(" detach{"), HasSubstr("amqp:unauthorized-access"));
}

TEST_F(VouchedTest, AWebTokenIsPutLikeAnyOther) {
  Guest guest = ConnectToCbs();
  EXPECT_THAT(guest->PutToken("sb://host/orders", WebToken("other"), "jwt"), HasSubstr("401:int"));
  EXPECT_THAT(guest->PutToken("sb://host/bills", WebToken("shop"), "jwt"), HasSubstr("401:int"));
  EXPECT_THAT(guest->PutToken("sb://host/orders", WebToken("shop")), HasSubstr("401:int"));

  EXPECT_THAT(guest->PutToken("sb://host/orders", WebToken("shop"), "jwt"), HasSubstr("202:int"));

  guest->SayAttach("r", 1, Role::kReceiver, "orders");
  EXPECT_THAT(TakeLines(), ElementsAre("attached orders by orders#reader"));
}

// --- how much a stranger may

using StrangerTest = ServedFixture;

TEST_F(StrangerTest, SaysNoMoreThanSoManyBytes) {
  Guest guest = ConnectToCbs();
  const std::string message = PutTokenMessage{.token = std::string(8000, 't')}.Encoded();

  for (int i = 0; i < 9; ++i) guest->SayTransfer(100, message);

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("amqp:unauthorized-access"));
}

TEST_F(StrangerTest, WhoHasProvenARightSaysWhatItLikes) {
  Guest guest = ConnectToCbs();
  guest->PutToken("sb://host/orders", TokenFor("orders", "sender"));
  guest->SayAttach("s", 0, Role::kSender, "orders");

  for (int i = 0; i < 9; ++i) guest->SayTransfer(0, std::string(32'000, 'm'));

  EXPECT_EQ(guest->Hear(" close{"), "");
}

TEST_F(StrangerTest, HasTwoSessionsAndNoMore) {
  Guest guest = Connect();
  guest->Enter();
  EXPECT_NE(guest->Begin(1), "");

  guest->Begin(2);

  EXPECT_THAT(guest->Hear(" end{"), HasSubstr("amqp:unauthorized-access"));
  guest->Say(End(), 2);
  guest->AttachToCbs();
  guest->PutToken("sb://host/orders", TokenFor("orders", "sender"));
  EXPECT_NE(guest->Begin(2), "");
  EXPECT_EQ(guest->Hear(" end{"), "");
}

// --- time

using TimeTest = ServedFixture;

TEST_F(TimeTest, WhoDoesNotOpenIsSentAway) {
  Guest guest = Connect();
  guest->Login("ANONYMOUS");
  EXPECT_EQ(guest.served->Deadline(), now_ + seconds(20));

  Advance(guest, seconds(20));

  EXPECT_TRUE(guest.served->is_over());
}

TEST_F(TimeTest, WhoProvesNothingIsSentAway) {  // LNK-8
  Guest guest = ConnectToCbs();
  Advance(guest, seconds(19));
  EXPECT_EQ(guest->Hear(" close{"), "");

  Advance(guest, seconds(1));

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("amqp:connection:forced"));
}

TEST_F(TimeTest, WhoIsSentAwayForItsTimeIsALineOfTheLog) {
  Guest early = Connect();
  early->Login("ANONYMOUS");
  Guest later = ConnectToCbs();

  Advance(early, seconds(20));
  Advance(later, seconds(20));

  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("it was not opened in time"),
                                        HasSubstr("no right was proven in time")));
}

TEST_F(TimeTest, WhoAttachesNothingIsSentAway) {  // LNK-7
  Guest guest = ConnectToCbs();
  guest->PutToken("sb://host/orders", TokenFor("orders", "sender"));
  Advance(guest, seconds(59));
  EXPECT_EQ(guest->Hear(" close{"), "");

  Advance(guest, seconds(1));

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("amqp:connection:forced"));
}

// Else its strand would find something to do all the time, and nothing that can be done.
TEST_F(TimeTest, WhoClosesWaitsForAnswersAloneThoughItsTimeIsOver) {
  Guest guest = ConnectToCbs();
  guest->PutToken("sb://host/orders", TokenFor("orders", "sender"));
  now_ += limits_.first_link_max - seconds(1) / 2;
  guest.served->unanswered_bytes().TakeAnyway(1);
  guest.served->Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"}, now_);

  Advance(guest, seconds(1) / 2);

  EXPECT_EQ(guest.served->Deadline(), now_ + limits_.answer_max - seconds(1) / 2);
}

TEST_F(TimeTest, WhoseLastLinkWentIsSentAwayLater) {  // LNK-7
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("root", kKeyOne));
  guest->SayAttach("s", 0, Role::kSender, "q");
  Advance(guest, minutes(7));
  EXPECT_EQ(guest->Hear(" close{"), "");
  guest->SayDetach(0);
  Advance(guest, minutes(4));
  EXPECT_EQ(guest->Hear(" close{"), "");

  Advance(guest, minutes(1));

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("amqp:connection:forced"));
}

TEST_F(TimeTest, AClientHearsFromUsAsOftenAsItAsks) {
  Guest guest = Connect();
  guest->Login("PLAIN", Plain("root", kKeyOne));
  guest->Open(/*idle_time_out=*/60'000);
  guest->HearAll();

  Advance(guest, seconds(30));

  EXPECT_EQ(guest->Hear("empty"), "empty");
}

TEST_F(TimeTest, WhoAsksToHearFromUsAllTheTimeIsRefused) {
  Guest guest = Connect();
  guest->Login("ANONYMOUS");

  guest->Open(/*idle_time_out=*/1);

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("open.idle-time-out"));
}

TEST_F(TimeTest, WhoIsSilentForTooLongIsGivenUp) {
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("root", kKeyOne));
  guest->SayAttach("s", 0, Role::kSender, "q");
  Advance(guest, minutes(7));
  EXPECT_EQ(guest->Hear(" close{"), "");

  Advance(guest, minutes(1));

  EXPECT_NE(guest->Hear(" close{"), "");
  Advance(guest, seconds(5));
  EXPECT_TRUE(guest.served->is_over());
}

TEST_F(TimeTest, WhoDoesNotCloseIsGivenUp) {
  Guest guest = Connect();
  guest->Enter();
  guest.served->Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"}, now_);
  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("amqp:connection:forced"));
  EXPECT_THAT(log_.lines(), IsEmpty());
  EXPECT_FALSE(guest.served->is_over());
  EXPECT_EQ(guest.served->Deadline(), now_ + seconds(5));

  Advance(guest, seconds(5));

  EXPECT_TRUE(guest.served->is_over());
}

TEST_F(TimeTest, ACloseIsAnswered) {
  Guest guest = Connect();
  guest->Enter();

  guest->Say(amqp::Close());

  EXPECT_NE(guest->Hear(" close{"), "");
  EXPECT_TRUE(guest.served->is_over());
  EXPECT_THAT(log_.lines(), IsEmpty());
}

// --- what is told of it

using FaultTest = ServedFixture;

TEST_F(FaultTest, WhatAClientDoesWrongIsOneLineOfTheLog) {
  Guest guest = Connect();
  guest->Enter();

  guest->SayFlow(77, 1);

  EXPECT_THAT(guest->Hear(" end{"), HasSubstr("amqp:session:unattached-handle"));
  EXPECT_THAT(log_.lines(),
              ElementsAre(AllOf(HasSubstr("AMQP client 10.0.0.9:7: its session ended: "
                                          "amqp:session:unattached-handle"),
                                HasSubstr("77"))));
}

TEST_F(FaultTest, ARefusalStandsInTheLogUnderItsTrackingId) {
  Guest guest = ConnectToCbs();

  const std::string answer = guest->PutToken("sb://host/orders", TokenFor("orders", "nobody"));

  const std::string id = answer.substr(answer.find("TrackingId:") + 11, 36);
  EXPECT_THAT(log_.lines(),
              ElementsAre(AllOf(HasSubstr(id), HasSubstr("10.0.0.9:7"), HasSubstr("nobody"))));
}

TEST_F(FaultTest, WhatIsNoRequestStandsInTheLogUnderItsTrackingId) {
  Guest guest = ConnectToCbs();

  guest->SayTransfer(100, "nonsense");
  const std::string rejected = guest->Hear("rejected");
  guest->SayTransfer(100, PutTokenMessage{.token = "t", .operation = "sing"}.Encoded());
  const std::string answered = guest->Hear("status-code");

  const auto id_in = [](const std::string& line) {
    return HasSubstr(line.substr(line.find("TrackingId:"), 47));
  };
  EXPECT_THAT(log_.lines(), ElementsAre(id_in(rejected), id_in(answered)));
}

TEST_F(FaultTest, NoLineHasWhatClientsMayNotWriteThere) {
  Guest guest = Connect();
  guest->Enter();
  Attach attach;
  attach.name = "x";
  attach.role = Role::kSender;
  attach.target = TargetAt("a\nb\x1b[0m");
  attach.initial_delivery_count = 0;

  guest->Say(attach);

  for (const std::string& line : log_.lines()) {
    EXPECT_THAT(line.substr(0, line.size() - 1),
                AllOf(Not(HasSubstr("\n")), Not(HasSubstr("\x1b"))));
  }
}

// --- of JMS

using JmsLinkTest = ServedFixture;

// Each message of it takes a right of its own, so the link takes none: but a stranger does not stay
// by it.
TEST_F(JmsLinkTest, WhoHasAnAnonymousProducerProvesSomethingInAMinute) {
  ClientIds ids;
  world_.client_ids = &ids;
  Guest guest = Connect();
  guest->Enter("PLAIN", Plain("nobody", "wrong"));
  Attach attach;
  attach.name = "relay";
  attach.role = Role::kSender;
  attach.source.emplace();
  attach.target = Target();
  attach.initial_delivery_count = 0;
  guest->Say(attach);
  EXPECT_THAT(guest->Hear(" attach{"), HasSubstr("target=target{}"));
  EXPECT_FALSE(guest.served->Prove({access::Right::kSend}, "orders").ok());

  Advance(guest, std::chrono::seconds(61));

  EXPECT_THAT(guest->Hear(" close{"), HasSubstr("no right was proven in time"));
}

}  // namespace
}  // namespace wharf::amqp
