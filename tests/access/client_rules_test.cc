#include "broker/access/client_rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::access {
namespace {

using ::testing::HasSubstr;

ClientRules MustParse(const std::vector<std::string>& texts) {
  Result<ClientRules> rules = ClientRules::Parse(texts);
  EXPECT_TRUE(rules.ok()) << rules.status().message();
  return rules.ok() ? *std::move(rules) : ClientRules();
}

TEST(ClientRulesTest, AClientHasARuleOfTheNamespaceOrOfAnEntity) {
  const ClientRules rules = MustParse(
      {"certificate:CN=shop,O=x -> Sender", "claim:app-7->Orders/New#reader", "claim:a->b -> r"});

  EXPECT_EQ(*rules.Find("certificate:CN=shop,O=x"), (ClientRules::Target{"", "sender"}));
  EXPECT_EQ(*rules.Find("claim:app-7"), (ClientRules::Target{"orders/new", "reader"}));
  EXPECT_EQ(*rules.Find("claim:a->b"), (ClientRules::Target{"", "r"}));
}

// What one vouches for says nothing of what the other calls so.
TEST(ClientRulesTest, ACertificateIsNoClaimAndNobodyElseIsMeant) {
  const ClientRules rules =
      MustParse({"certificate:CN=shop,O=x -> sender", "claim:CN=b -> reader"});

  for (const char* name :
       {"claim:CN=shop,O=x", "certificate:CN=b", "certificate:CN=shop", "certificate:cn=shop,o=x",
        "certificate:CN=shop,O=x ", "CN=shop,O=x", ""}) {
    EXPECT_EQ(rules.Find(name), nullptr) << name;
  }
  EXPECT_EQ(MustParse({}).Find("certificate:CN=shop,O=x"), nullptr);
}

TEST(ClientRulesTest, WhatIsNoneIsToldWhy) {
  const auto why = [](const std::string& text) { return ClientRules::Check(text).message(); };
  EXPECT_EQ(why("certificate:CN=shop -> r"), "");
  EXPECT_THAT(why("certificate:CN=shop"), HasSubstr("stands ->"));
  EXPECT_THAT(why("CN=shop -> r"), HasSubstr("begins with certificate:"));
  EXPECT_THAT(why("claim: -> r"), HasSubstr("begins with certificate:"));
  EXPECT_THAT(why("certificate: -> r"), HasSubstr("its subject"));
  EXPECT_THAT(why("certificate:shop -> r"), HasSubstr("its subject"));
  EXPECT_THAT(why("claim:a -> "), HasSubstr("name of an access rule"));
  EXPECT_THAT(why("claim:a -> a b"), HasSubstr("name of an access rule"));
  EXPECT_THAT(why("claim:a -> /q#r"), HasSubstr("as its path"));
  EXPECT_THAT(why("claim:a -> q/#r"), HasSubstr("as its path"));
  EXPECT_THAT(why("claim:a -> sb://h/q#r"), HasSubstr("as its path"));
  EXPECT_THAT(why("claim:" + std::string(1100, 'a') + " -> r"), HasSubstr("1024 bytes"));
}

TEST(ClientRulesTest, AClientHasOneRule) {
  EXPECT_THAT(ClientRules::Parse({"claim:a -> r", "claim:a -> s"}).status().message(),
              HasSubstr("two rules"));
}

}  // namespace
}  // namespace wharf::access
