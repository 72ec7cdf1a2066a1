// Sessions and links: how they begin, are refused, stolen and end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "tests/amqp/endpoint/raw_peer.h"

namespace wharf::amqp {
namespace {

amqp::Attach AttachOf(Role role, std::uint32_t handle, std::string name) {
  amqp::Attach attach;
  attach.name = std::move(name);
  attach.handle = handle;
  attach.role = role;
  if (role == Role::kSender) attach.initial_delivery_count = 0;
  return attach;
}

Detach DetachOf(std::uint32_t handle, bool closed = true) {
  Detach detach;
  detach.handle = handle;
  detach.closed = closed;
  return detach;
}

TEST(LinksTest, OpenIsWrittenWhole) {
  RawPeer peer;
  peer.Feed(HeaderOf(Protocol::kAmqp));
  peer.endpoint().SendOpen();
  const std::string open = peer.endpoint().TakeOutput(peer.now());
  // Ten fields, and an empty map for the last.
  EXPECT_THAT(open, testing::HasSubstr(std::string("\xc0\x18\x0a", 3)));
  EXPECT_THAT(open, testing::EndsWith(std::string("\xc1\x01\x00", 3)));
}

TEST(LinksTest, ALinkThatThePeerBeganIsAnsweredAndDetached) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  peer.Say(AttachOf(Role::kReceiver, 5, "r"));
  EXPECT_EQ(peer.Events(), "attached r");

  const LinkId id = std::get<Attached>(peer.events().back()).link;
  peer.endpoint().FindLink(id)->SendAttach({});
  EXPECT_EQ(peer.Hear(),
            "0 attach{name=\"r\", handle=0, role=sender, initial-delivery-count=0, "
            "properties={}}");

  peer.Say(DetachOf(5));
  EXPECT_EQ(peer.Events(), "detached");
  peer.endpoint().FindLink(id)->SendDetach();
  EXPECT_EQ(peer.Hear(), "0 detach{handle=0, closed=true}");
  EXPECT_EQ(peer.endpoint().FindLink(id), nullptr);
}

TEST(LinksTest, CreditThatWasGivenBeforeTheAttachIsSaidBehindIt) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  peer.Say(AttachOf(Role::kSender, 0, "s"));
  Link& link = *peer.endpoint().FindLink(std::get<Attached>(peer.events().back()).link);
  link.SetCredit(7);
  EXPECT_EQ(peer.Hear(), "");
  link.SendAttach({});
  EXPECT_EQ(peer.Hear(),
            "0 attach{name=\"s\", handle=0, role=receiver, properties={}}\n"
            "0 flow{next-incoming-id=0, incoming-window=5000, next-outgoing-id=0, "
            "outgoing-window=5000, handle=0, delivery-count=0, link-credit=7}");
}

TEST(LinksTest, ALinkMayBeRefused) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  peer.Say(AttachOf(Role::kSender, 0, "s"));
  Link& link = *peer.endpoint().FindLink(std::get<Attached>(peer.events().back()).link);
  link.Refuse(ErrorOf(amqp_error::kNotFound, "no such queue"));
  EXPECT_EQ(peer.Hear(),
            "0 attach{name=\"s\", handle=0, role=receiver, properties={}}\n"
            "0 detach{handle=0, closed=true, error=error{condition=:amqp:not-found, "
            "description=\"no such queue\"}}");
  // What the peer sent meanwhile is not heard.
  peer.Deliver(0, "too late");
  peer.Say(DetachOf(0));
  EXPECT_EQ(peer.Events(), "attached s\ndetached");
}

TEST(LinksTest, APeerThatWaitsNoMoreDetachesBeforeTheAnswer) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  peer.Say(AttachOf(Role::kReceiver, 0, "held"));
  Link& link = *peer.endpoint().FindLink(std::get<Attached>(peer.events().back()).link);
  peer.Say(DetachOf(0));
  link.SendDetach();
  EXPECT_EQ(peer.Events(), "attached held\ndetached");
  EXPECT_THAT(peer.Hear(), testing::HasSubstr("0 detach{handle=0, closed=true}"));
}

TEST(LinksTest, AttachedAgainUnderItsNameALinkIsStolen) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  const LinkId old = peer.Attach(Role::kReceiver, 0, "r").id();
  peer.Say(AttachOf(Role::kReceiver, 1, "r"));
  EXPECT_EQ(peer.Events(),
            "detached by us amqp:link:stolen: attached once more\n"
            "attached r");
  EXPECT_EQ(peer.Hear(),
            "0 detach{handle=0, closed=true, error=error{condition=:amqp:link:stolen, "
            "description=\"attached once more\"}}");
  peer.Say(DetachOf(0));
  EXPECT_EQ(peer.Events(), "");
  peer.Feed("");
  EXPECT_EQ(peer.endpoint().FindLink(old), nullptr);
}

TEST(LinksTest, OfEachDirectionThereMayBeOneOfAName) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  peer.Say(AttachOf(Role::kReceiver, 0, "same"));
  peer.Say(AttachOf(Role::kSender, 1, "same"));
  EXPECT_EQ(peer.Events(), "attached same\nattached same");
}

TEST(LinksTest, ALinkMayComeBack) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  Link& link = peer.Attach(Role::kReceiver, 0, "r");
  peer.Say(DetachOf(0, false));
  EXPECT_EQ(peer.Events(), "detached for now");
  link.SendDetach(false);
  EXPECT_EQ(peer.Hear(), "0 detach{handle=0}");
  peer.Say(AttachOf(Role::kReceiver, 0, "r"));
  EXPECT_EQ(peer.Events(), "attached r");
}

TEST(LinksTest, AHandleThatIsFreeIsUsedAgain) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  for (int i = 0; i < 3; ++i) {
    Link& link = peer.Attach(Role::kReceiver, 7, "r" + std::to_string(i));
    link.SendDetach();
    EXPECT_EQ(peer.Hear(), "0 detach{handle=0, closed=true}");
    peer.Say(DetachOf(7));
    EXPECT_EQ(peer.Events(), "detached");
  }
}

TEST(LinksTest, ASessionEndsWithItsLinks) {
  RawPeer peer;
  peer.Open();
  Session& session = peer.Begin();
  const LinkId link = peer.Attach(Role::kReceiver).id();
  const SessionId id = session.id();
  peer.Say(End());
  EXPECT_EQ(peer.Events(), "ended");
  session.SendEnd();
  EXPECT_EQ(peer.Hear(), "0 end{}");
  EXPECT_EQ(peer.endpoint().FindSession(id), nullptr);
  EXPECT_EQ(peer.endpoint().FindLink(link), nullptr);
  peer.Begin();
  EXPECT_EQ(peer.endpoint().sessions(), 1U);
}

// A caller that is late, or has not looked yet, says nothing where nobody listens.
TEST(LinksTest, BehindEndAndCloseNothingIsSaid) {
  RawPeer peer;
  peer.Open();
  Session& session = peer.Begin();
  Link& sends = peer.Attach(Role::kReceiver, 0, "to the peer");
  Link& receives = peer.Attach(Role::kSender, 1, "from the peer");
  receives.SetCredit(9);
  peer.Hear();
  peer.GiveCredit(9);
  for (std::uint32_t id = 0; id < 3; ++id) peer.Deliver(id, "m", 1);
  std::vector<DeliveryId> ids;
  for (const Event& event : peer.events()) {
    if (const auto* const part = std::get_if<Delivered>(&event)) ids.push_back(part->delivery);
  }
  ASSERT_EQ(ids.size(), 3U);
  session.SendEnd();
  EXPECT_EQ(peer.Hear(), "0 end{}");

  EXPECT_FALSE(receives.Settle(ids[0], Accepted()));
  EXPECT_FALSE(receives.Settle(ids[2], Accepted()));
  EXPECT_FALSE(sends.Send({.tag = {"t"}}, "late").has_begun);
  sends.GiveBackCredit();
  receives.SetCredit(10);
  sends.SendDetach();
  EXPECT_EQ(session.OpenLink({}), nullptr);
  EXPECT_EQ(peer.Hear(), "");

  Session& other = *peer.endpoint().OpenSession();
  peer.endpoint().SendClose();
  peer.Hear();
  other.SendEnd();
  EXPECT_EQ(peer.endpoint().OpenSession(), nullptr);
  EXPECT_EQ(peer.Hear(), "");
}

TEST(LinksTest, CloseIsHeardAndAnswered) {
  RawPeer peer;
  peer.Open();
  peer.Say(Close());
  EXPECT_EQ(peer.Events(), "closed");
  EXPECT_FALSE(peer.endpoint().is_over());
  peer.endpoint().SendClose();
  EXPECT_EQ(peer.Hear(), "0 close{}");
  EXPECT_TRUE(peer.endpoint().is_over());
}

TEST(LinksTest, WhatIsOpenedHereIsAnsweredThere) {
  RawPeer peer;
  peer.Open();
  Session* const session = peer.endpoint().OpenSession();
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->OpenLink({}), nullptr);  // Not before the peer has begun it, too.
  EXPECT_THAT(peer.Hear(), testing::StartsWith("0 begin{next-outgoing-id=0"));
  amqp::Begin begin;
  begin.remote_channel = 0;
  begin.incoming_window = 10;
  peer.Say(begin, {}, 4);
  EXPECT_EQ(peer.Events(), "begun in answer");

  Link* const link = session->OpenLink(AttachOf(Role::kReceiver, 99, "mine"));
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(peer.Hear(), "0 attach{name=\"mine\", handle=0, role=receiver, properties={}}");
  peer.Say(AttachOf(Role::kSender, 3, "mine"), {}, 4);
  EXPECT_EQ(peer.Events(), "attached mine in answer");
  link->SetCredit(10);
  EXPECT_EQ(peer.Hear(),
            "0 flow{next-incoming-id=0, incoming-window=5000, next-outgoing-id=0, "
            "outgoing-window=5000, handle=0, delivery-count=0, link-credit=10}");
}

}  // namespace
}  // namespace wharf::amqp
