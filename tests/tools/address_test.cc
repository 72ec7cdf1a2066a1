#include "tools/wharf/text/address.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

TEST(AddressTest, TakesHostAndPort) {
  for (const char* address : {"unix:/run/wharf.sock", "127.0.0.1:5680", "localhost:1",
                              "broker.example.org:65535", "[::1]:5680"}) {
    EXPECT_TRUE(CheckAddress(address).ok()) << address;
  }
}

TEST(AddressTest, SaysWhatIsWrong) {
  const auto expect = [](const std::string& address, const std::string& why) {
    EXPECT_EQ(CheckAddress(address).message(),
              "--address: " + why + "; write host:port, for example 127.0.0.1:5680");
  };
  expect("", "the address is empty");
  expect("127.0.0.1", "\"127.0.0.1\" has no port");
  expect("[::1]", "\"[::1]\" has no port");
  expect(":5680", "\":5680\" has no host");
  expect("http://broker:5680", "\"http://broker:5680\" is a URL or a path");
  expect("unix:tmp/socket", "\"unix:tmp/socket\" is a URL or a path");
  expect("::1:5680", "\"::1:5680\": an IPv6 address stands in brackets, [::1]:5680");
  expect("a:70000", "the port \"70000\" is not a whole number from 1 to 65535");
  expect("a:", "the port \"\" is not a whole number from 1 to 65535");
  expect("a:0", "the port \"0\" is not a whole number from 1 to 65535");
}

TEST(AddressTest, KnowsWhatStaysOnThisMachine) {
  for (const char* address : {"unix:/run/wharf.sock", "localhost:5680", "LOCALHOST:1",
                              "127.0.0.1:5680", "127.9.9.9:5680", "[::1]:5680"}) {
    EXPECT_TRUE(IsLoopback(address)) << address;
  }
  for (const char* address : {"broker:5680", "127.0.0.1.example.org:5680", "localhost.example:5680",
                              "128.0.0.1:5680", "0.0.0.0:5680", "[::2]:5680"}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
}

TEST(AddressTest, SeveralStandWithCommasBetweenThem) {
  EXPECT_TRUE(CheckAddresses("n1:5680").ok());
  EXPECT_TRUE(CheckAddresses("n1:5680,[::1]:5681,unix:/run/wharf.sock").ok());
  for (const char* addresses : {"", ",", "n1:5680,", ",n1:5680", "n1:5680,n2", "n1:5680, n2:x"}) {
    EXPECT_EQ(CheckAddresses(addresses).code(), ErrorCode::kArgumentError) << addresses;
  }
}

TEST(AddressTest, MoreThanAClusterHasAreTooMany) {
  std::string many = "n:1";
  for (int i = 1; i < 16; ++i) many += ",n:1";

  EXPECT_TRUE(CheckAddresses(many).ok());
  EXPECT_EQ(CheckAddresses(many + ",n:1").code(), ErrorCode::kArgumentError);
}

}  // namespace
}  // namespace wharf::tool
