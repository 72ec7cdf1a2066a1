// Certificates that are wrong in one way each, and right ones that change under load.

#include <boost/asio/ssl/stream.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "replication/identity/durable_file.h"
#include "tests/replication/peers/peer_fixture.h"
#include "tests/replication/peers/raw_peer.h"

namespace wharf {
namespace {

using testing::HasSubstr;

class PeersTlsTest : public PeerFixture {
 protected:
  Node& Add(int number) {
    return AddNode(number, {.certificates = authority_.Issue("n" + std::to_string(number))});
  }
  // With the name n1, and a certificate of whoever.
  Node& AddN1With(std::shared_ptr<PeerCertificates> certificates) {
    return AddNode(1, {.certificates = std::move(certificates)});
  }

  // Both ends try, and both say why not.
  void ExpectBothSay(Node& one, Node& two, const std::string& one_says,
                     const std::string& two_says) {
    Introduce({&one, &two});
    ASSERT_TRUE(Eventually([&] { return Says(one, two, one_says) && Says(two, one, two_says); }))
        << StatusOf(one, two).last_failure << " / " << StatusOf(two, one).last_failure << " / "
        << one.peers->last_refused().sentence << " / " << two.peers->last_refused().sentence;
    EXPECT_FALSE(IsConnected(one, two));
    EXPECT_FALSE(IsConnected(two, one));
    EXPECT_FALSE(one.peers->Send(two.identity.node, Traffic::kSmall, "x"));
  }

  TestAuthority authority_;

 private:
  static bool Says(const Node& node, const Node& of, const std::string& sentence) {
    return StatusOf(node, of).last_failure.find(sentence) != std::string::npos ||
           node.peers->last_refused().sentence.find(sentence) != std::string::npos;
  }
};

TEST_F(PeersTlsTest, ACertificateOfAnotherAuthorityIsRefusedByBoth) {
  TestAuthority other;
  Node& one = AddN1With(other.Issue("n1"));
  Node& two = Add(2);

  ExpectBothSay(one, two, "its certificate is not believed", "its certificate is not believed");
  EXPECT_TRUE(Eventually([&] {
    return StatusOf(one, two).last_failure.find("it does not believe our certificate") !=
               std::string::npos ||
           StatusOf(one, two).last_failure.find("not believed") != std::string::npos;
  }));
}

// Files that were good when they were read, and what the clock has made of them.
TEST_F(PeersTlsTest, ACertificateThatHasExpiredIsRefusedAndBothEndsSayWhich) {
  const Validity short_one{.begins_at = TestAuthority::Today().begins_at,
                           .ends_at = TestAuthority::Today().begins_at + std::chrono::hours(1) +
                                      std::chrono::milliseconds(2500)};
  const PeerCredentials files =
      authority_.Write("n1", SignNode(authority_.own(), "n1", {}, short_one).value());
  auto certificates = PeerCertificates::Load(files, "n1");
  ASSERT_TRUE(certificates.ok()) << certificates.status().message();
  ASSERT_TRUE(Eventually([&] { return !PeerCertificates::Load(files, "n1").ok(); }));
  Node& one = AddN1With(certificates.value());
  Node& two = Add(2);

  ExpectBothSay(one, two, "it does not believe our certificate: sslv3 alert certificate expired",
                "its certificate is not believed: certificate has expired");
}

TEST_F(PeersTlsTest, ACertificateOfAnotherNodeIsRefused) {
  // The right authority, and the wrong node: it was read as n3's, and says that it is n1.
  Node& one = AddN1With(authority_.Issue("n3"));
  Node& two = Add(2);

  ExpectBothSay(one, two, "its certificate is that of node n3, and it says that it is n1",
                "its certificate is that of node n3, and it says that it is n1");
}

TEST_F(PeersTlsTest, WhoShowsNoCertificateIsRefused) {
  Node& two = Add(2);
  // A client as any TLS library makes it.
  boost::asio::ip::tcp::socket socket(io_);
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), two.port});
  boost::asio::ssl::context context(boost::asio::ssl::context::tlsv13_client);
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream(std::move(socket), context);
  bool has_begun = false;
  stream.async_handshake(boost::asio::ssl::stream_base::client,
                         [&](const boost::system::error_code&) { has_begun = true; });

  ASSERT_TRUE(Eventually([&] {
    return has_begun &&
           two.peers->last_refused().sentence.find("it showed no certificate") != std::string::npos;
  })) << two.peers->last_refused().sentence;
}

TEST_F(PeersTlsTest, OlderVersionsOfTlsAreNotSpoken) {
  Node& two = Add(2);
  boost::asio::ip::tcp::socket socket(io_);
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), two.port});
  boost::asio::ssl::context context(boost::asio::ssl::context::tlsv12_client);
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream(std::move(socket), context);
  bool has_failed = false;
  stream.async_handshake(boost::asio::ssl::stream_base::client,
                         [&](const boost::system::error_code& error) { has_failed = bool(error); });

  ASSERT_TRUE(Eventually([&] { return has_failed; }));
  ASSERT_TRUE(Eventually([&] { return !two.peers->last_refused().sentence.empty(); }));
}

TEST_F(PeersTlsTest, WhoSpeaksInTheClearIsRefusedAndBothEndsSayWhich) {
  Node& one = AddNode(1);  // Without certificates.
  Node& two = Add(2);

  ExpectBothSay(one, two, "it speaks TLS, and this node speaks with its peers in the clear",
                "it does not speak TLS, as peers with certificates do");
}

TEST_F(PeersTlsTest, CertificatesChangeUnderLoadWithoutEndingStreams) {
  auto first = authority_.Issue("n1");
  Node& one = AddN1With(first);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));

  std::size_t sent = 0;
  const std::string message(10000, 'x');
  ASSERT_TRUE(Eventually([&] {
    if (one.peers->Send(NodeId(2), Traffic::kBulk, message)) ++sent;
    if (sent % 100 == 50) {
      authority_.IssueFiles("n1");
      first->Reload();
    }
    return sent >= 2000;
  }));
  ASSERT_TRUE(Eventually([&] { return two.observer.messages.size() == sent; }));

  EXPECT_EQ(one.observer.unreachable[2], 0);
  EXPECT_EQ(two.observer.unreachable[1], 0);
}

TEST_F(PeersTlsTest, AStreamThatBeginsLaterTakesTheNewCertificate) {
  // Of another authority at first; then its files are replaced by good ones.
  TestAuthority other;
  const PeerCredentials files = other.IssueFiles("n1");
  auto certificates = PeerCertificates::Load(files, "n1").value();
  Node& one = AddN1With(certificates);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(Eventually([&] { return !StatusOf(one, two).last_failure.empty(); }));

  const PemPair good = SignNode(authority_.own(), "n1", {}, TestAuthority::Today()).value();
  ASSERT_TRUE(WriteDurably(files.authority, authority_.own().certificate, 0600).ok());
  ASSERT_TRUE(WriteDurably(files.key, good.key, 0600).ok());
  ASSERT_TRUE(WriteDurably(files.certificate, good.certificate, 0600).ok());
  certificates->Look();
  certificates->Look();

  EXPECT_TRUE(EventuallyConnected({&one, &two}));
}

// An authority is replaced while both are believed.
TEST_F(PeersTlsTest, ABundleOfTwoAuthoritiesBelievesBoth) {
  TestAuthority fresh;
  const PeerCredentials old_files = authority_.IssueFiles("n1");
  const PeerCredentials new_files = fresh.IssueFiles("n2");
  const std::string bundle = authority_.own().certificate + fresh.own().certificate;
  for (const PeerCredentials& files : {old_files, new_files}) {
    ASSERT_TRUE(WriteDurably(files.authority, bundle, 0600).ok());
  }
  Node& one = AddN1With(PeerCertificates::Load(old_files, "n1").value());
  Node& two = AddNode(2, {.certificates = PeerCertificates::Load(new_files, "n2").value()});
  Introduce({&one, &two});

  EXPECT_TRUE(EventuallyConnected({&one, &two}));
}

}  // namespace
}  // namespace wharf
