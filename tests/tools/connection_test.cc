#include "tools/wharf/access/connection.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

constexpr char kBeyond[] = "broker.example.org:5680";

TEST(ConnectionTest, WhatProvesSomethingLeavesThisMachineByTlsOnly) {
  const access::ConnectionString with_key{.key_name = "shop", .key = "secret"};
  const access::ConnectionString with_token{.signature = "SharedAccessSignature sr=x"};

  EXPECT_TRUE(NeedsTls(with_key, kBeyond));
  EXPECT_TRUE(NeedsTls(with_token, kBeyond));
  EXPECT_FALSE(NeedsTls(with_key, "localhost:5680"));
  EXPECT_FALSE(NeedsTls(with_token, "unix:/run/wharf/wharf.sock"));
}

TEST(ConnectionTest, WhatIsSaidGoesBeforeWhatIsKept) {
  const TlsOptions kept{
      .authority = "ca", .certificate = "cert", .key = "key", .server_name = "broker.example.org"};
  TlsOptions said{.authority = "mine"};
  said.TakeMissing(kept);
  EXPECT_EQ(said.authority, "mine");
  EXPECT_EQ(said.certificate + said.key, "certkey");
  EXPECT_EQ(said.server_name, "broker.example.org");

  // Another's key would not fit.
  TlsOptions half{.certificate = "mine"};
  half.TakeMissing(kept);
  EXPECT_EQ(half.certificate + half.key, "mine");
  EXPECT_TRUE(half.has_tls());
  EXPECT_FALSE(half.is_wanted);
}

TEST(ConnectionTest, WithoutAProofOrWithAnEmulatorNothingIsAssumed) {
  EXPECT_FALSE(NeedsTls({}, kBeyond));
  const access::ConnectionString emulator{.endpoint = "sb://broker.example.org/",
                                          .key_name = "shop",
                                          .key = "secret",
                                          .uses_development_emulator = true};
  EXPECT_FALSE(NeedsTls(emulator, kBeyond));
  // It says nothing of another one, to which --address leads.
  EXPECT_TRUE(NeedsTls(emulator, "elsewhere.example.org:5680"));
  EXPECT_FALSE(NeedsTls(emulator, "localhost:5680"));
}

TEST(ConnectionTest, OneOfSeveralThatIsBeyondThisMachineTakesTls) {
  const access::ConnectionString with_key{.key_name = "shop", .key = "secret"};

  EXPECT_TRUE(NeedsTls(with_key, "localhost:5680,broker.example.org:5680"));
  EXPECT_FALSE(NeedsTls(with_key, "localhost:5680,127.0.0.1:5681"));
}

TEST(ConnectionTest, AnEndpointMayHaveSeveralAddresses) {
  EXPECT_EQ(AddressOf({.endpoint = "sb://n1,n2:5681,[::1]/"}), "n1:5680,n2:5681,[::1]:5680");
  EXPECT_EQ(AddressOf({.endpoint = "sb://n1:5681"}), "n1:5681");
}

}  // namespace
}  // namespace wharf::tool
