// What comes from whoever is no peer, or a broken one: it ends, it is bounded, and others go on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/peers/clock_probe.h"
#include "tests/replication/peers/peer_fixture.h"
#include "tests/replication/peers/raw_peer.h"

namespace wharf {
namespace {

using testing::HasSubstr;

// A node n1 that knows n2, which is whatever the test makes of it.
class HostilePeersTest : public PeerFixture {
 protected:
  Node& AddNodeThatKnows(std::uint16_t port_of_n2) {
    Node& one = AddNode(1);
    n2_.identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"};
    one.peers->SetMembers(
        {{.node = NodeId(2), .name = "n2", .peer_address = AddressOf(port_of_n2)}});
    return one;
  }

  std::string HelloFromN2(Traffic traffic = Traffic::kSmall) const {
    return Encode(Hello{.from = {.cluster = cluster_, .node = NodeId(2), .name = "n2"},
                        .to = NodeId(1),
                        .to_name = "n1",
                        .levels = levels_,
                        .incarnation = Incarnation(77),
                        .traffic = traffic});
  }

  std::shared_ptr<RawPeer> Stranger(const Node& node) {
    auto raw = RawPeer::Dial(io_, node.port);
    raw->Read();
    return raw;
  }
  // A stream that the node takes for one of n2.
  std::shared_ptr<RawPeer> AsN2(const Node& node, Traffic traffic = Traffic::kSmall) {
    auto raw = Stranger(node);
    raw->WriteFrame(FrameKind::kHello, HelloFromN2(traffic));
    EXPECT_TRUE(Eventually([&] { return raw->Find(FrameKind::kWelcome) != nullptr; }));
    return raw;
  }
  // Lets n2 answer the node that dials it.
  void AnswerAll(RawListener& listener) {
    listener.on_accept = [this](RawPeer& raw) {
      raw.Read();
      raw.WriteFrame(FrameKind::kWelcome, HelloFromN2());
    };
  }

  Node n2_;
};

TEST_F(HostilePeersTest, WhoSpeaksHttpIsToldNothingAndEnds) {
  Node& one = AddNodeThatKnows(1);
  const auto raw = Stranger(one);

  raw->Write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  ASSERT_TRUE(Eventually([&] { return raw->has_ended(); }));
  EXPECT_THAT(one.peers->last_refused().sentence, HasSubstr("says \"GET / HTTP/1.1"));
}

TEST_F(HostilePeersTest, WhoAnswersHttpIsDialledAgainLater) {
  RawListener web(io_);
  web.on_accept = [](RawPeer& raw) {
    raw.Read();
    raw.Write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  };
  Node& one = AddNodeThatKnows(web.port());

  ASSERT_TRUE(Eventually([&] { return web.peers().size() >= 6; }));

  EXPECT_THAT(StatusOf(one, n2_).last_failure, HasSubstr("says \"HTTP/1.1 400 Bad Request"));
  EXPECT_FALSE(IsConnected(one, n2_));
}

TEST_F(HostilePeersTest, AMemberIsTakenAtItsWord) {
  Node& one = AddNodeThatKnows(1);
  const auto raw = AsN2(one);

  raw->WriteFrame(FrameKind::kMessage, "hello");

  ASSERT_TRUE(Eventually([&] { return one.observer.messages.size() == 1; }));
  EXPECT_EQ(one.observer.messages[0], (Received{NodeId(2), Traffic::kSmall, "hello"}));
}

TEST_F(HostilePeersTest, AFrameBeforeTheHelloIsRefused) {
  Node& one = AddNodeThatKnows(1);
  for (const FrameKind kind : {FrameKind::kMessage, FrameKind::kPing, FrameKind::kWelcome}) {
    const auto raw = Stranger(one);
    raw->WriteFrame(kind, "12345678");
    ASSERT_TRUE(Eventually([&] { return raw->has_ended(); }));
    EXPECT_EQ(raw->refusal(), "its first frame is no hello");
  }
  EXPECT_TRUE(one.observer.messages.empty());
}

TEST_F(HostilePeersTest, ASecondHelloEndsTheStream) {
  Node& one = AddNodeThatKnows(1);
  const auto raw = AsN2(one);

  raw->WriteFrame(FrameKind::kHello, HelloFromN2());

  EXPECT_TRUE(Eventually([&] { return raw->has_ended(); }));
}

TEST_F(HostilePeersTest, ANewerProtocolHearsWhichOneIsSpoken) {
  Node& one = AddNodeThatKnows(1);
  const auto raw = Stranger(one);
  Hello newer = DecodeHello(HelloFromN2()).value();
  newer.protocol = newer.oldest_protocol = 9;

  raw->WriteFrame(FrameKind::kHello, Encode(newer));

  ASSERT_TRUE(Eventually([&] { return raw->has_ended(); }));
  EXPECT_THAT(raw->refusal(), HasSubstr("it speaks the peer protocol 9 and none below 9, this node "
                                        "speaks 1"));
}

// reliability 29
TEST_F(HostilePeersTest, DamagedRepeatedAndOversizedFramesEndTheStreamAndNothingOfThemIsTold) {
  Node& one = AddNodeThatKnows(1);
  // Continues the stream of a hello by hand.
  const auto spoiled = [](const std::function<void(std::string&)>& spoil) {
    FrameWriter writer;
    std::string hello, message;
    writer.Write(FrameKind::kHello, "", hello);
    writer.Write(FrameKind::kMessage, "a message", message);
    spoil(message);
    return message;
  };
  const std::string damaged = spoiled([](std::string& frame) { frame.back() ^= 1; });
  const std::string oversized = spoiled([](std::string& frame) { frame[2] = '\x02'; });
  const std::string whole = spoiled([](std::string&) {});

  for (const auto& [bytes, why] :
       {std::pair(damaged, "was damaged on its way"),
        std::pair(oversized, "bytes came where 65536 are allowed"),
        std::pair(whole + whole, "frame 1 came where frame 2 was due")}) {
    one.observer.messages.clear();
    const auto raw = AsN2(one);
    raw->Write(bytes);
    ASSERT_TRUE(Eventually([&] { return raw->has_ended(); })) << why;
    EXPECT_EQ(one.observer.messages.size(), bytes.size() == whole.size() ? 0u : 1u) << why;
  }
}

TEST_F(HostilePeersTest, AFrameThatIsCutOffIsNotTold) {
  Node& one = AddNodeThatKnows(1);
  const auto raw = AsN2(one);
  raw->WriteFrame(FrameKind::kMessage, "whole");
  std::string half;
  FrameWriter().Write(FrameKind::kMessage, "half of it", half);

  raw->Write(half.substr(8, 15));
  ASSERT_TRUE(Eventually([&] { return one.observer.messages.size() == 1; }));
  raw->Close();

  const auto again = AsN2(one);
  again->WriteFrame(FrameKind::kMessage, "next");
  ASSERT_TRUE(Eventually([&] { return one.observer.messages.size() == 2; }));
  EXPECT_EQ(one.observer.messages[1].message, "next");
}

TEST_F(HostilePeersTest, WhoSaysNothingOrLittleAtATimeIsGivenUp) {
  limits_.handshake_max = std::chrono::milliseconds(100);
  Node& one = AddNodeThatKnows(1);
  const auto silent = Stranger(one);
  const auto slow = Stranger(one);
  std::string hello;
  FrameWriter().Write(FrameKind::kHello, HelloFromN2(), hello);

  // A byte whenever something happens, and never the last one.
  std::size_t written = 0;
  ASSERT_TRUE(Eventually([&] {
    if (written < hello.size() - 1 && !slow->has_ended()) slow->Write(hello.substr(written++, 1));
    return silent->has_ended() && slow->has_ended();
  }));

  EXPECT_THAT(one.peers->last_refused().sentence, HasSubstr("took too long to say who it is"));
}

TEST_F(HostilePeersTest, StrangersAreBoundedAndTheOldestMakesRoom) {
  limits_.strangers_max = 4;
  Node& one = AddNodeThatKnows(1);
  const auto member = AsN2(one);
  std::vector<std::shared_ptr<RawPeer>> strangers;
  const auto ended = [&strangers] {
    return std::count_if(strangers.begin(), strangers.end(),
                         [](const auto& raw) { return raw->has_ended(); });
  };

  for (int i = 0; i < 40; ++i) {
    strangers.push_back(Stranger(one));
    ASSERT_TRUE(Eventually([&] { return ended() >= i - 3; }));
  }

  ASSERT_TRUE(Eventually([&] { return ended() == 36; }));
  EXPECT_FALSE(strangers.back()->has_ended());
  EXPECT_TRUE(strangers.front()->has_ended());
  EXPECT_FALSE(member->has_ended());
}

TEST_F(HostilePeersTest, WhoFallsSilentIsGone) {
  limits_.silence_max = std::chrono::milliseconds(200);
  RawListener listener(io_);
  AnswerAll(listener);
  Node& one = AddNodeThatKnows(listener.port());

  // It reads, but answers no ping and sends none.
  const auto incoming = AsN2(one, Traffic::kBulk);
  ASSERT_TRUE(Eventually([&] { return incoming->has_ended(); }));
  ASSERT_TRUE(Eventually([&] { return one.observer.unreachable[2] >= 2; }));
  EXPECT_THAT(StatusOf(one, n2_).last_failure, HasSubstr("nothing was heard of it for"));
}

TEST_F(HostilePeersTest, WhoPingsIsAliveAndPingsAreAnswered) {
  Node& one = AddNodeThatKnows(1);
  const auto raw = AsN2(one);

  raw->WriteFrame(FrameKind::kPing, ClockProbe::Ping(Duration(123)));

  ASSERT_TRUE(Eventually([&] { return raw->Find(FrameKind::kPong) != nullptr; }));
  EXPECT_EQ(raw->Find(FrameKind::kPong)->payload,
            ClockProbe::PongTo(ClockProbe::Ping(Duration(123)), kPeerTestTime).value());
  EXPECT_TRUE(Eventually([&] { return raw->Find(FrameKind::kPing) != nullptr; }));
}

TEST_F(HostilePeersTest, AnswersToNoPingEndTheStream) {
  Node& one = AddNodeThatKnows(1);
  for (const std::string& pong : {std::string(), std::string(16, '\xff'), std::string(17, 'x')}) {
    const auto raw = AsN2(one);
    raw->WriteFrame(FrameKind::kPong, pong);
    EXPECT_TRUE(Eventually([&] { return raw->has_ended(); }));
  }
}

// The bulk stream is stuck; what is small has a stream of its own, and so have the others.
TEST_F(HostilePeersTest, WhoNeverReadsCostsABoundedQueueAndDelaysNobodyElse) {
  RawListener listener(io_);
  std::map<RawPeer*, bool> streams;
  listener.on_accept = [this, &streams](RawPeer& raw) {
    raw.WriteFrame(FrameKind::kWelcome, HelloFromN2());
    streams[&raw] = true;
  };
  Node& one = AddNodeThatKnows(listener.port());
  Node& three = AddNode(3);
  const Member n2{.node = NodeId(2), .name = "n2", .peer_address = AddressOf(listener.port())};
  for (Node* node : {&one, &three}) {
    node->peers->SetMembers({MemberOf(one), n2, MemberOf(three)});
  }
  ASSERT_TRUE(EventuallyConnected({&one, &three}));
  ASSERT_TRUE(Eventually([&] { return IsConnected(one, n2_); }));

  // Until nothing leaves any more; then ten times as much again.
  const std::string large(512 << 10, 'x');
  std::size_t taken = 0;
  int refused = 0;
  ASSERT_TRUE(Eventually([&] {
    const bool is_taken = one.peers->Send(NodeId(2), Traffic::kBulk, large);
    taken += is_taken ? large.size() : 0;
    refused = is_taken ? 0 : refused + 1;
    return refused == 200;
  }));

  EXPECT_LE(StatusOf(one, n2_).bytes_queued, limits_.bulk_queue_bytes);
  // What the system keeps for a socket is some MiB at most, at both ends.
  EXPECT_LT(taken, 40u << 20);
  ASSERT_TRUE(one.peers->Send(NodeId(2), Traffic::kSmall, "a heartbeat"));
  ASSERT_TRUE(one.peers->Send(NodeId(3), Traffic::kBulk, large));
  ASSERT_TRUE(Eventually([&] { return three.observer.bytes == large.size(); }));
  for (auto& [raw, is_open] : streams) {
    if (raw->bytes().empty()) raw->Read();
  }
  // What was taken arrives after all, in its order, and the heartbeat is not behind it.
  ASSERT_TRUE(Eventually([&] {
    std::size_t bulk = 0;
    bool has_heartbeat = false;
    for (auto& [raw, is_open] : streams) {
      for (const Frame& frame : raw->frames()) {
        if (frame.kind == FrameKind::kMessage && frame.payload.size() == large.size()) ++bulk;
        if (frame.payload == "a heartbeat") has_heartbeat = true;
      }
    }
    return has_heartbeat && bulk == taken / large.size();
  }));
}

TEST_F(HostilePeersTest, AHeartbeatArrivesWhileTheBulkStreamIsNotReadAtAll) {
  RawListener listener(io_);
  listener.on_accept = [this](RawPeer& raw) { raw.WriteFrame(FrameKind::kWelcome, HelloFromN2()); };
  Node& one = AddNodeThatKnows(listener.port());
  ASSERT_TRUE(Eventually([&] { return IsConnected(one, n2_) && listener.peers().size() == 2; }));
  int refused = 0;
  ASSERT_TRUE(Eventually([&] {
    const bool is_taken = one.peers->Send(NodeId(2), Traffic::kBulk, std::string(1 << 20, 'x'));
    refused = is_taken ? 0 : refused + 1;
    return refused == 200;
  }));

  // Which of the two is which its hello tells; only the small one is read.
  ASSERT_TRUE(one.peers->Send(NodeId(2), Traffic::kSmall, "a heartbeat"));
  listener.peers()[0]->Read();
  ASSERT_TRUE(Eventually([&] { return listener.peers()[0]->Find(FrameKind::kHello) != nullptr; }));
  const Hello first = DecodeHello(listener.peers()[0]->Find(FrameKind::kHello)->payload).value();
  ASSERT_EQ(first.traffic, Traffic::kSmall);
  ASSERT_TRUE(Eventually([&] {
    const Frame* const message = listener.peers()[0]->Find(FrameKind::kMessage);
    return message != nullptr && message->payload == "a heartbeat";
  }));
  EXPECT_TRUE(listener.peers()[1]->bytes().empty());
}

// What a peer is owed in answers is bounded, however much it asks.
TEST_F(HostilePeersTest, WhoPingsWithoutReadingGetsNoMoreThanASocketHolds) {
  Node& one = AddNodeThatKnows(1);
  const auto raw = RawPeer::Dial(io_, one.port);
  raw->WriteFrame(FrameKind::kHello, HelloFromN2());
  ASSERT_TRUE(Eventually([&] { return StatusOf(one, n2_).last_heard != Timestamp(); }));

  for (int i = 0; i < 200000; ++i) {
    raw->WriteFrame(FrameKind::kPing, ClockProbe::Ping(Duration(i)));
  }
  raw->WriteFrame(FrameKind::kMessage, "read to the end");

  ASSERT_TRUE(Eventually([&] { return one.observer.messages.size() == 1; }));
}

TEST_F(HostilePeersTest, WhoInvitesWaitsForItsAnswer) {
  Node& two = AddEmptyNode("n2", InTheClear());
  two.observer.answers_at_once = false;
  const std::string invitation = Encode(Invitation{
      .from_name = "n1", .identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"}});
  for (const FrameKind kind : {FrameKind::kInvitation, FrameKind::kHello}) {
    const auto raw = Stranger(two);
    raw->WriteFrame(FrameKind::kInvitation, invitation);
    raw->WriteFrame(kind, invitation);
    ASSERT_TRUE(Eventually([&] { return raw->has_ended(); }));
    EXPECT_EQ(raw->refusal(), "it did not wait");
  }

  for (const auto& answer : two.observer.open_answers) answer(Status());
  StopNode(two);
}

TEST_F(HostilePeersTest, ANewStreamOfAMemberTakesThePlaceOfTheOld) {
  Node& one = AddNodeThatKnows(1);
  const auto old = AsN2(one);
  const auto bulk = AsN2(one, Traffic::kBulk);

  const auto fresh = AsN2(one);

  ASSERT_TRUE(Eventually([&] { return old->has_ended(); }));
  fresh->WriteFrame(FrameKind::kMessage, "x");
  ASSERT_TRUE(Eventually([&] { return one.observer.messages.size() == 1; }));
  EXPECT_FALSE(bulk->has_ended());
  EXPECT_FALSE(fresh->has_ended());
}

TEST_F(HostilePeersTest, ASentenceFromAnywhereIsShortAndPrintable) {
  RawListener listener(io_);
  listener.on_accept = [](RawPeer& raw) {
    raw.Read();
    raw.WriteFrame(FrameKind::kRefusal, "\x1b[31m\n" + std::string(60000, 'x'));
  };
  Node& one = AddNodeThatKnows(listener.port());

  ASSERT_TRUE(Eventually([&] { return !StatusOf(one, n2_).last_failure.empty(); }));

  const std::string failure = StatusOf(one, n2_).last_failure;
  EXPECT_LT(failure.size(), 1000u);
  EXPECT_THAT(failure, HasSubstr("it refuses this node: ?[31m?xxx"));
}

}  // namespace
}  // namespace wharf
