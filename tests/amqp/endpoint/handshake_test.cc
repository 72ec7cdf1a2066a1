// Headers and SASL, from both sides; and those who speak something else.
#include <gtest/gtest.h>

#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "tests/amqp/endpoint/raw_peer.h"

namespace wharf::amqp {
namespace {

EndpointOptions WithSasl() {
  EndpointOptions options = RawPeer::Options();
  options.has_sasl = true;
  options.mechanisms = {Symbol{"MSSBCBS"}, Symbol{"ANONYMOUS"}};
  return options;
}

std::string SaslFrameOf(const auto& body) {
  FrameWriter writer;
  writer.WriteSasl(body);
  return writer.Take();
}

SaslInit InitOf(std::string mechanism) {
  SaslInit init;
  init.mechanism.text = std::move(mechanism);
  return init;
}

TEST(HandshakeTest, SaslComesBeforeAmqp) {
  RawPeer peer(WithSasl());
  peer.Feed(HeaderOf(Protocol::kSasl));
  EXPECT_EQ(peer.Hear(),
            "header sasl\n"
            "sasl sasl-mechanisms{sasl-server-mechanisms=[:MSSBCBS, :ANONYMOUS]}");

  peer.Feed(SaslFrameOf(InitOf("MSSBCBS")));
  EXPECT_EQ(peer.Events(), "sasl begun sasl-init{mechanism=:MSSBCBS}");
  peer.endpoint().sasl().SendOutcome(SaslCode::kOk, std::nullopt);
  EXPECT_EQ(peer.Hear(), "sasl sasl-outcome{code=ok}");

  peer.Feed(HeaderOf(Protocol::kAmqp));
  EXPECT_EQ(peer.Hear(), "header amqp");
  EXPECT_FALSE(peer.endpoint().is_over());
}

TEST(HandshakeTest, ASaslServerMayChallenge) {
  RawPeer peer(WithSasl());
  peer.Feed(HeaderOf(Protocol::kSasl) + SaslFrameOf(InitOf("ANONYMOUS")));
  peer.endpoint().sasl().SendChallenge("who?");
  SaslResponse response;
  response.response.bytes = "me";
  peer.Feed(SaslFrameOf(response));
  EXPECT_EQ(peer.Events(),
            "sasl begun sasl-init{mechanism=:ANONYMOUS}\n"
            "sasl responded me");
}

TEST(HandshakeTest, AMechanismThatWasNotOfferedIsRefused) {
  RawPeer peer(WithSasl());
  peer.Feed(HeaderOf(Protocol::kSasl) + SaslFrameOf(InitOf("DIGEST-MD5")));
  EXPECT_EQ(peer.Events(), "closed by us amqp:unauthorized-access: SASL ended without success");
  EXPECT_EQ(peer.Hear(),
            "header sasl\n"
            "sasl sasl-mechanisms{sasl-server-mechanisms=[:MSSBCBS, :ANONYMOUS]}\n"
            "sasl sasl-outcome{code=auth}");
  EXPECT_TRUE(peer.endpoint().is_over());
}

TEST(HandshakeTest, WhoSpeaksSomethingElseHearsOurHeader) {
  using std::string_literals::operator""s;
  for (const std::string& bytes : {"GET / HTTP/1.1\r\n"s, "\x16\x03\x01"s, "AMQX"s, "AMQP\x01"s,
                                   "AMQP\x03\x01\x00\x01"s, "x"s}) {
    RawPeer peer(WithSasl());
    peer.Feed(bytes);
    EXPECT_EQ(peer.Events(),
              "closed by us amqp:connection:framing-error: another protocol than AMQP 1.0")
        << bytes;
    EXPECT_EQ(peer.Hear(), "header sasl") << bytes;
    EXPECT_TRUE(peer.endpoint().is_over());
  }
}

TEST(HandshakeTest, AmqpWithoutSaslIsRefusedWhereSaslIsDue) {
  RawPeer peer(WithSasl());
  peer.Feed(HeaderOf(Protocol::kAmqp));
  EXPECT_EQ(peer.Hear(), "header sasl");
  EXPECT_TRUE(peer.endpoint().is_over());
}

TEST(HandshakeTest, JunkInsteadOfSaslFramesEndsIt) {
  SaslOutcome outcome;
  SaslInit init = InitOf("MSSBCBS");
  for (const std::string& bytes :
       {std::string("\0\0\0\x04", 4) + "junk", std::string("\0\0\xff\xff\2\1\0\0", 8),
        SaslFrameOf(outcome), RawPeer::FrameOf(init), SaslFrameOf(init) + SaslFrameOf(init)}) {
    RawPeer peer(WithSasl());
    peer.Feed(HeaderOf(Protocol::kSasl) + bytes);
    EXPECT_TRUE(peer.endpoint().is_over());
  }
}

TEST(HandshakeTest, WhoDialsChoosesAMechanism) {
  EndpointOptions options = WithSasl();
  options.side = Side::kDials;
  RawPeer peer(options);
  EXPECT_EQ(peer.Hear(), "header sasl");
  SaslMechanisms mechanisms;
  mechanisms.sasl_server_mechanisms = {Symbol{"PLAIN"}};
  peer.Feed(HeaderOf(Protocol::kSasl) + SaslFrameOf(mechanisms));
  EXPECT_EQ(peer.Events(), "sasl offered 1");

  peer.endpoint().sasl().SendInit(InitOf("PLAIN"));
  EXPECT_EQ(peer.Hear(), "sasl sasl-init{mechanism=:PLAIN}");
  peer.Feed(SaslFrameOf(SaslOutcome()));
  EXPECT_EQ(peer.Events(), "sasl finished sasl-outcome{code=ok}");
  EXPECT_EQ(peer.Hear(), "header amqp");
}

TEST(HandshakeTest, AnOpenWaitsForItsHeader) {
  EndpointOptions options = WithSasl();
  options.side = Side::kDials;
  RawPeer peer(options);
  peer.endpoint().SendOpen();
  EXPECT_EQ(peer.Hear(), "header sasl");
  SaslMechanisms mechanisms;
  mechanisms.sasl_server_mechanisms = {Symbol{"PLAIN"}};
  peer.Feed(HeaderOf(Protocol::kSasl) + SaslFrameOf(mechanisms));
  peer.endpoint().sasl().SendInit(InitOf("PLAIN"));
  peer.Hear();
  peer.Feed(SaslFrameOf(SaslOutcome()));
  EXPECT_EQ(peer.Hear(),
            "header amqp\n"
            "0 open{container-id=\"here\", max-frame-size=65536, channel-max=9, properties={}}");
}

TEST(HandshakeTest, ARefusedClientIsTold) {
  EndpointOptions options = WithSasl();
  options.side = Side::kDials;
  RawPeer peer(options);
  SaslMechanisms mechanisms;
  mechanisms.sasl_server_mechanisms = {Symbol{"PLAIN"}};
  peer.Feed(HeaderOf(Protocol::kSasl) + SaslFrameOf(mechanisms));
  peer.endpoint().sasl().SendInit(InitOf("PLAIN"));
  SaslOutcome outcome;
  outcome.code = SaslCode::kAuth;
  peer.Feed(SaslFrameOf(outcome));
  EXPECT_EQ(peer.Events(),
            "sasl offered 1\nsasl finished sasl-outcome{code=auth}\n"
            "closed by us amqp:unauthorized-access: SASL ended without success");
}

}  // namespace
}  // namespace wharf::amqp
