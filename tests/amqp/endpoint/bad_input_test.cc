// What a peer may do wrong, and what it costs: the link, the session or the connection, with the
// standard's condition for it, and never more.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "tests/amqp/endpoint/raw_peer.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

constexpr std::string_view kLink = "detached by us ";
constexpr std::string_view kSession = "ended by us ";
constexpr std::string_view kConnection = "closed by us ";

struct Row {
  const char* what;
  std::function<void(RawPeer&)> does;
  std::string_view costs;
  std::string condition;
};

// What was sent before something is there to which it belongs, or is no frame at all.
const std::vector<Row>& EarlyRows() {
  static const std::vector<Row> kRows = {
      {"a size of three", [](RawPeer& peer) { peer.Feed(FromHex("00 00 00 03 02 00 00 00")); },
       kConnection, "amqp:connection:framing-error: a frame of 3 bytes"},
      {"a size of four billion",
       [](RawPeer& peer) { peer.Feed(FromHex("ff ff ff ff 02 00 00 00")); }, kConnection,
       "amqp:connection:framing-error: a frame of 4294967295 bytes, more than 65536"},
      {"a body within the head",
       [](RawPeer& peer) { peer.Feed(FromHex("00 00 00 09 01 00 00 00 45")); }, kConnection,
       "amqp:connection:framing-error: a frame of 9 bytes whose body begins at 4"},
      {"a body behind the end",
       [](RawPeer& peer) { peer.Feed(FromHex("00 00 00 09 03 00 00 00 45")); }, kConnection,
       "amqp:connection:framing-error: a frame of 9 bytes whose body begins at 12"},
      {"a frame of another type",
       [](RawPeer& peer) { peer.Feed(FromHex("00 00 00 09 02 07 00 00 45")); }, kConnection,
       "amqp:connection:framing-error: a frame that is none of AMQP"},
      {"a body that is no performative",
       [](RawPeer& peer) { peer.Feed(RawPeer::FrameOfBytes(FromHex("45"))); }, kConnection,
       "amqp:decode-error: byte 0: a list where a described value is due"},
      {"an unknown performative",
       [](RawPeer& peer) { peer.Feed(RawPeer::FrameOfBytes(FromHex("00 53 1a 45"))); }, kConnection,
       "amqp:decode-error: byte 3: a type that has no place here"},
      {"a second open",
       [](RawPeer& peer) {
         Open open;
         open.container_id = "again";
         peer.Say(open);
       },
       kConnection, "amqp:illegal-state: a second open"},
      {"an attach before begin",
       [](RawPeer& peer) {
         Attach attach;
         attach.name = "early";
         peer.Say(attach);
       },
       kConnection, "amqp:illegal-state: no session has begun on channel 0"},
      {"an end before begin", [](RawPeer& peer) { peer.Say(End()); }, kConnection,
       "amqp:illegal-state: no session has begun on channel 0"},
      {"a channel beyond the last", [](RawPeer& peer) { peer.Say(Begin(), {}, 10); }, kConnection,
       "amqp:connection:framing-error: channel 10 is beyond 9"},
      {"an answer to a begin that nobody sent",
       [](RawPeer& peer) {
         Begin begin;
         begin.remote_channel = 3;
         peer.Say(begin);
       },
       kConnection, "amqp:invalid-field: begin.remote-channel: nobody has begun 3"},
      {"a begin with a wrong type",
       [](RawPeer& peer) { peer.Feed(RawPeer::FrameOfBytes(FromHex("00 53 11 c0 [02 40 41]"))); },
       kConnection,
       "amqp:decode-error: begin.next-outgoing-id: byte 7: a boolean where a uint is due"},
      {"bytes behind a performative", [](RawPeer& peer) { peer.Say(Begin(), "payload"); },
       kConnection, "amqp:decode-error: byte 14: bytes behind a performative"},
      {"a bomb of depth",
       [](RawPeer& peer) {
         std::string bomb = FromHex("00 53 10 d0 00 00 10 00 00 00 00 01");
         for (int i = 0; i < 4096; ++i) bomb += '\0';
         peer.Feed(RawPeer::FrameOfBytes(bomb.substr(0, 8 + 4096)));
       },
       kConnection,
       "amqp:decode-error: open.container-id: byte 12: a described value where a string is due"},
      {"a bomb of count",
       [](RawPeer& peer) {
         peer.Feed(RawPeer::FrameOfBytes(
             FromHex("00 53 10 c0 [08 a1 ['c'] 40 40 40 40 40 40 f0 00 00 00 05 ff ff ff ff 40]")));
       },
       kConnection, "amqp:decode-error: open.offered-capabilities: byte 25: more than 4096 values"},
  };
  return kRows;
}

Transfer FirstPart(std::uint32_t id) {
  Transfer transfer;
  transfer.delivery_id = id;
  transfer.delivery_tag = Binary{"t"};
  return transfer;
}

// On a session on channel 0, with a link of handle 0 on which the peer may send three deliveries.
const std::vector<Row>& LinkRows() {
  static const std::vector<Row> kRows = {
      {"a channel with a session already", [](RawPeer& peer) { peer.Say(Begin()); }, kConnection,
       "amqp:illegal-state: channel 0 has a session already"},
      {"a flow with a wrong type",
       [](RawPeer& peer) { peer.Feed(RawPeer::FrameOfBytes(FromHex("00 53 13 c0 [02 40 41]"))); },
       kSession, "amqp:decode-error: flow.incoming-window: byte 7: a boolean where a uint is due"},
      {"an attach whose name is no text",
       [](RawPeer& peer) { peer.Feed(RawPeer::FrameOfBytes(FromHex("00 53 12 c0 [01 a1 [ff]]"))); },
       kSession, "amqp:decode-error: attach.name: byte 9: a string that is not UTF-8"},
      {"a handle in use",
       [](RawPeer& peer) {
         Attach attach;
         attach.name = "other";
         attach.initial_delivery_count = 0;
         peer.Say(attach);
       },
       kSession, "amqp:session:handle-in-use: handle 0 is in use"},
      {"a handle beyond the last",
       [](RawPeer& peer) {
         Attach attach;
         attach.name = "other";
         attach.handle = 256;
         peer.Say(attach);
       },
       kConnection, "amqp:connection:framing-error: handle 256 is beyond 255"},
      {"a name that is too long",
       [](RawPeer& peer) {
         Attach attach;
         attach.name = std::string(1025, 'n');
         attach.handle = 1;
         peer.Say(attach);
       },
       kSession, "amqp:invalid-field: attach.name: too long"},
      {"a sender that does not count",
       [](RawPeer& peer) {
         Attach attach;
         attach.name = "other";
         attach.handle = 1;
         peer.Say(attach);
       },
       kLink, "amqp:invalid-field: attach.initial-delivery-count: missing"},
      {"a transfer of a handle that is not attached",
       [](RawPeer& peer) { peer.Deliver(0, "m", 5); }, kSession,
       "amqp:session:unattached-handle: a transfer of handle 5, which is not attached"},
      {"a flow of a handle that is not attached",
       [](RawPeer& peer) {
         Flow flow;
         flow.handle = 5;
         peer.Say(flow);
       },
       kSession, "amqp:session:unattached-handle: a flow of handle 5, which is not attached"},
      {"a detach of a handle that is not attached",
       [](RawPeer& peer) {
         Detach detach;
         detach.handle = 5;
         peer.Say(detach);
       },
       kSession, "amqp:session:unattached-handle: a detach of handle 5, which is not attached"},
      {"a transfer on a link that sends to the peer",
       [](RawPeer& peer) {
         peer.Attach(Role::kReceiver, 1, "to the peer");
         peer.Deliver(0, "m", 1);
       },
       kLink, "amqp:not-allowed: a transfer on a link whose peer receives"},
      {"a transfer without credit",
       [](RawPeer& peer) {
         for (std::uint32_t id = 0; id < 3; ++id) peer.Deliver(id, "m");
         peer.Events();
         peer.Deliver(3, "m");
       },
       kLink, "amqp:link:transfer-limit-exceeded: a delivery for which there is no credit"},
      {"transfers beyond the window",
       [](RawPeer& peer) {
         Transfer transfer = FirstPart(0);
         transfer.more = true;
         peer.Say(transfer);
         for (int i = 0; i < 7; ++i) {
           Transfer part;
           part.more = true;
           peer.Say(part);
         }
         peer.Events();
         peer.Say(Transfer());
       },
       kSession, "amqp:session:window-violation: a transfer beyond the window"},
      {"delivery-ids out of order",
       [](RawPeer& peer) {
         peer.Deliver(7, "m");
         peer.Events();
         peer.Deliver(9, "m");
       },
       kSession, "amqp:invalid-field: transfer.delivery-id: 9 where 8 is due"},
      {"a first transfer without delivery-id", [](RawPeer& peer) { peer.Say(Transfer()); }, kLink,
       "amqp:invalid-field: transfer.delivery-id: missing"},
      {"a first transfer without delivery-tag",
       [](RawPeer& peer) {
         Transfer transfer;
         transfer.delivery_id = 0;
         peer.Say(transfer);
       },
       kLink, "amqp:invalid-field: transfer.delivery-tag: missing, or too long"},
      {"a delivery-tag of 33 bytes",
       [](RawPeer& peer) {
         Transfer transfer = FirstPart(0);
         transfer.delivery_tag->bytes = std::string(33, 't');
         peer.Say(transfer);
       },
       kLink, "amqp:invalid-field: transfer.delivery-tag: missing, or too long"},
      {"a delivery within another",
       [](RawPeer& peer) {
         Transfer transfer = FirstPart(0);
         transfer.more = true;
         peer.Say(transfer);
         peer.Events();
         peer.Deliver(1, "m");
       },
       kLink, "amqp:invalid-field: transfer.delivery-id: another one than that of the delivery"},
      {"a message-format that changes",
       [](RawPeer& peer) {
         Transfer transfer = FirstPart(0);
         transfer.more = true;
         peer.Say(transfer);
         peer.Events();
         Transfer part;
         part.message_format = 1;
         peer.Say(part);
       },
       kLink, "amqp:invalid-field: transfer.message-format: another one than that of the delivery"},
      {"a delivery that is resumed",
       [](RawPeer& peer) {
         Transfer transfer = FirstPart(0);
         transfer.resume = true;
         peer.Say(transfer);
       },
       kLink, "amqp:not-implemented: transfer.resume: no delivery is resumed here"},
      {"a range that ends before it begins",
       [](RawPeer& peer) {
         Disposition disposition;
         disposition.role = Role::kSender;
         disposition.first = 0;
         disposition.last = 0xffffffff;
         peer.Say(disposition);
       },
       kSession, "amqp:invalid-field: disposition.last: 4294967295 comes before 0"},
      {"more unsettled deliveries than there may be",
       [](RawPeer& peer) {
         for (std::uint32_t id = 0; id < 4; ++id) peer.Deliver(id, "m", 9);
         peer.Events();
         peer.Deliver(4, "m", 9);
       },
       kSession, "amqp:resource-limit-exceeded: more deliveries than may be unsettled"},
  };
  return kRows;
}

TEST(BadInputTest, BeforeASessionItCostsTheConnection) {
  for (const Row& row : EarlyRows()) {
    SCOPED_TRACE(row.what);
    RawPeer peer;
    peer.Open();
    row.does(peer);
    EXPECT_EQ(peer.Events(), std::string(row.costs) + row.condition);
    EXPECT_THAT(peer.Hear(),
                testing::StartsWith("0 close{error=error{condition=:" +
                                    row.condition.substr(0, row.condition.find(": "))));
    // Nothing but a close is listened to.
    peer.Say(Begin(), {}, 1);
    EXPECT_EQ(peer.Events(), "");
  }
}

TEST(BadInputTest, SomethingElseThanOpenIsRefusedBehindAnOpen) {
  RawPeer peer;
  peer.Feed(HeaderOf(Protocol::kAmqp));
  peer.Say(Begin());
  EXPECT_EQ(peer.Events(), "closed by us amqp:illegal-state: something else before open");
  EXPECT_THAT(peer.Hear(), testing::HasSubstr("0 open{"));
}

TEST(BadInputTest, AFrameSizeThatIsTooSmallIsRefused) {
  RawPeer peer;
  peer.Feed(HeaderOf(Protocol::kAmqp));
  Open open;
  open.container_id = "there";
  open.max_frame_size = 511;
  peer.Say(open);
  EXPECT_EQ(peer.Events(), "closed by us amqp:invalid-field: open.max-frame-size: less than 512");
}

TEST(BadInputTest, MoreLinksThanThereMayBeCostTheSession) {
  EndpointOptions options = RawPeer::Options();
  options.limits.links_max = 2;
  RawPeer peer(options);
  peer.Open();
  peer.Begin();
  peer.Attach(Role::kSender, 0, "one");
  peer.Attach(Role::kReceiver, 1, "two");
  Attach attach;
  attach.name = "three";
  attach.handle = 2;
  attach.role = Role::kReceiver;
  peer.Say(attach);
  EXPECT_EQ(peer.Events(),
            "ended by us amqp:resource-limit-exceeded: more links than there may be");
  // Those of the session are gone with it, when the peer has ended it, too.
  peer.Say(End());
  peer.Begin();
  peer.Attach(Role::kSender, 0, "one");
}

// It could not be answered on any channel that the peer takes.
TEST(BadInputTest, MoreSessionsThanThePeerItselfTakesCostTheConnection) {
  RawPeer peer;
  peer.Feed(HeaderOf(Protocol::kAmqp));
  Open open;
  open.container_id = "there";
  open.channel_max = 0;
  peer.Say(open);
  peer.Say(Begin(), {}, 0);
  peer.Say(Begin(), {}, 1);
  EXPECT_EQ(peer.Events(),
            "opened there\nbegun\n"
            "closed by us amqp:resource-limit-exceeded: more sessions than there may be");
}

TEST(BadInputTest, SayingMoreThanAFrameOfThePeersCostsTheConnection) {
  RawPeer peer;
  peer.Open(512);
  peer.Begin();
  Attach attach;
  attach.name = "l";
  attach.role = Role::kReceiver;
  peer.Say(attach);
  Link& link = *peer.endpoint().FindLink(std::get<Attached>(peer.events().back()).link);
  link.Refuse(ErrorOf(amqp_error::kNotFound, std::string(600, 'x')));
  peer.Events();
  peer.Feed("");
  EXPECT_EQ(peer.Events(),
            "closed by us amqp:frame-size-too-small: what is to be said fits no frame of yours");
  EXPECT_THAT(peer.Hear(), testing::HasSubstr("0 close{error=error{condition=:amqp:frame-size-too-"
                                              "small"));
}

TEST(BadInputTest, ASenderThatDoesNotCountIsAttachedAndDetached) {
  RawPeer peer;
  peer.Open();
  peer.Begin();
  Attach attach;
  attach.name = "s";
  peer.Say(attach);
  EXPECT_EQ(peer.Events(),
            "detached by us amqp:invalid-field: attach.initial-delivery-count: missing");
  EXPECT_EQ(peer.Hear(),
            "0 attach{name=\"s\", handle=0, role=receiver, properties={}}\n"
            "0 detach{handle=0, closed=true, error=error{condition=:amqp:invalid-field, "
            "description=\"attach.initial-delivery-count: missing\"}}");
}

// The other session goes on, unless it costs the connection.
TEST(BadInputTest, OnALinkItCostsNoMoreThanItMust) {
  for (const Row& row : LinkRows()) {
    SCOPED_TRACE(row.what);
    EndpointOptions options = RawPeer::Options();
    options.limits.incoming_window = 8;
    options.limits.unsettled_max = 4;
    RawPeer peer(options);
    peer.Open();
    Begin begin;
    begin.incoming_window = 10;
    peer.Say(begin);
    Begin own;
    own.handle_max = 255;
    peer.endpoint().FindSession(std::get<Begun>(peer.events().back()).session)->SendBegin(own);
    peer.Attach(Role::kSender, 0).SetCredit(3);
    peer.Attach(Role::kSender, 9, "generous").SetCredit(100);
    peer.Hear();
    peer.Say(begin, {}, 1);
    peer.Events();

    row.does(peer);

    EXPECT_EQ(peer.Events(), std::string(row.costs) + row.condition);
    peer.Hear();
    peer.Say(End(), {}, 1);
    EXPECT_EQ(peer.Events(), row.costs == kConnection ? "" : "ended");
  }
}

}  // namespace
}  // namespace wharf::amqp
