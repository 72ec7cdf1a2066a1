// Signs of life, and what becomes of those who give none.
#include <gtest/gtest.h>

#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "tests/amqp/endpoint/raw_peer.h"

namespace wharf::amqp {
namespace {

using std::chrono::milliseconds;

EndpointOptions WithIdleTimeOut() {
  EndpointOptions options = RawPeer::Options();
  options.open.idle_time_out = 60'000;
  return options;
}

void OpenWith(RawPeer& peer, std::optional<std::uint32_t> idle_time_out) {
  peer.Feed(HeaderOf(Protocol::kAmqp));
  Open open;
  open.container_id = "there";
  open.idle_time_out = idle_time_out;
  peer.Say(open);
  peer.endpoint().SendOpen();
  peer.Hear();
  peer.Events();
}

TEST(IdleTest, AnEmptyFrameLeavesAtHalfOfThePeersTime) {
  RawPeer peer;
  OpenWith(peer, 1000);
  EXPECT_EQ(peer.endpoint().Deadline(), peer.now() + milliseconds(500));
  peer.Advance(milliseconds(499));
  EXPECT_EQ(peer.Hear(), "");
  peer.Advance(milliseconds(1));
  EXPECT_EQ(peer.Hear(), "empty");
  EXPECT_EQ(peer.endpoint().Deadline(), peer.now() + milliseconds(500));
}

// Or a timer would fire for ever.
TEST(IdleTest, NothingIsDueWhileOutputWaitsOrAfterClose) {
  RawPeer peer;
  OpenWith(peer, 1000);
  peer.Advance(milliseconds(500));
  EXPECT_EQ(peer.endpoint().Deadline(), std::nullopt);
  EXPECT_EQ(peer.Hear(), "empty");
  EXPECT_NE(peer.endpoint().Deadline(), std::nullopt);
  peer.endpoint().SendClose();
  peer.Hear();
  EXPECT_EQ(peer.endpoint().Deadline(), std::nullopt);
}

TEST(IdleTest, WhatIsSaidIsASignOfLife) {
  RawPeer peer;
  OpenWith(peer, 1000);
  peer.Advance(milliseconds(400));
  peer.Begin();
  peer.Advance(milliseconds(400));
  EXPECT_EQ(peer.Hear(), "");
}

TEST(IdleTest, WhoIsSilentForTwiceOurTimeIsClosed) {
  RawPeer peer(WithIdleTimeOut());
  OpenWith(peer, std::nullopt);
  peer.Advance(milliseconds(119'999));
  EXPECT_EQ(peer.Events(), "");
  peer.Advance(milliseconds(1));
  EXPECT_EQ(peer.Events(),
            "closed by us amqp:resource-limit-exceeded: silent for longer than idle-time-out "
            "allows");
  // And given up if even that gets no answer.
  EXPECT_FALSE(peer.endpoint().is_over());
  peer.Advance(milliseconds(120'000));
  EXPECT_TRUE(peer.endpoint().is_over());
}

TEST(IdleTest, AnEmptyFrameOfThePeerCounts) {
  RawPeer peer(WithIdleTimeOut());
  OpenWith(peer, std::nullopt);
  for (int i = 0; i < 5; ++i) {
    peer.Advance(milliseconds(100'000));
    peer.Feed(RawPeer::FrameOfBytes(""));
  }
  EXPECT_EQ(peer.Events(), "");
}

TEST(IdleTest, WithoutTimesThereIsNoDeadline) {
  RawPeer peer;
  OpenWith(peer, std::nullopt);
  EXPECT_EQ(peer.endpoint().Deadline(), std::nullopt);
}

}  // namespace
}  // namespace wharf::amqp
