#include "replication/peers/streams/dial.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(DialTest, AnAddressIsHostAndPort) {
  const auto expect = [](const std::string& address, const char* host, const char* port) {
    EXPECT_EQ(SplitAddress(address).host, host) << address;
    EXPECT_EQ(SplitAddress(address).port, port) << address;
  };
  expect("127.0.0.1:5691", "127.0.0.1", "5691");
  expect("[::1]:5691", "::1", "5691");
  expect("broker.local:1", "broker.local", "1");
  for (const char* none : {"", ":", "host", "host:", ":5691", "host:0", "host:65536", "host:+1",
                           "host:5691x", "::1:5691", "[]:1"}) {
    expect(none, "", "");
  }
}

TEST(DialTest, WithoutCertificatesOnlyWhatWasAskedForIsAllowed) {
  using boost::asio::ip::make_address;
  using boost::asio::ip::tcp;
  const tcp::endpoint here(make_address("127.0.0.1"), 1), here_six(make_address("::1"), 1);
  const tcp::endpoint there(make_address("192.0.2.1"), 1), any(make_address("0.0.0.0"), 1);

  const PeerSecurity nobody{};
  EXPECT_FALSE(nobody.CheckEndpoint(here).ok());
  const PeerSecurity machine{.plain = PlainPeers::kThisMachine};
  EXPECT_TRUE(machine.CheckEndpoint(here).ok());
  EXPECT_TRUE(machine.CheckEndpoint(here_six).ok());
  EXPECT_FALSE(machine.CheckEndpoint(there).ok());
  EXPECT_FALSE(machine.CheckEndpoint(any).ok());
  const PeerSecurity anywhere{.plain = PlainPeers::kAnywhere};
  EXPECT_TRUE(anywhere.CheckEndpoint(there).ok());
}

}  // namespace
}  // namespace wharf
