#include "broker/access/access_rule.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

TEST(AccessRuleTest, HasItsTwoKeysAndNoOther) {
  const AccessRule rule = SampleRule("reader", Right::kListen);

  EXPECT_TRUE(rule.HasKey(PrintOf(kKeyOne)));
  EXPECT_TRUE(rule.HasKey(PrintOf(kKeyTwo)));
  EXPECT_FALSE(rule.HasKey(PrintOf(kKeyThree)));
}

// SEC-7
TEST(AccessRuleTest, ANewKeyTakesThePlaceOfOne) {
  const AccessRule rule =
      SampleRule("reader", Right::kListen).WithKey(KeySlot::kPrimary, kKeyThree);

  EXPECT_EQ(rule.key(KeySlot::kPrimary), kKeyThree);
  EXPECT_EQ(rule.key(KeySlot::kSecondary), kKeyTwo);
  EXPECT_FALSE(rule.HasKey(PrintOf(kKeyOne)));
  EXPECT_TRUE(rule.HasKey(PrintOf(kKeyTwo)));
  EXPECT_TRUE(rule.HasKey(PrintOf(kKeyThree)));
}

// SEC-7
TEST(AccessRuleTest, RemembersWhatItHadAndHasNoMore) {
  const AccessRule first = SampleRule("reader", Right::kListen);
  EXPECT_FALSE(first.HadKey(PrintOf(kKeyOne)));

  const AccessRule rolled = first.WithKeys(kKeyThree, kKeyOne).WithRights(Right::kSend);

  EXPECT_EQ(rolled.key(KeySlot::kPrimary), kKeyThree);
  EXPECT_EQ(rolled.key(KeySlot::kSecondary), kKeyOne);
  EXPECT_EQ(rolled.rights(), Rights(Right::kSend));
  EXPECT_EQ(rolled.created_at(), first.created_at());
  EXPECT_TRUE(rolled.HadKey(PrintOf(kKeyTwo)));
  EXPECT_FALSE(rolled.HadKey(PrintOf(kKeyOne)));
  EXPECT_FALSE(rolled.HadKey(PrintOf(kKeyThree)));
  EXPECT_NE(rolled, rolled.Remembering({}));
}

TEST(AccessRuleTest, RemembersSoManyAndTakesNoGivenKeyAnyMore) {
  AccessRule rule = SampleRule("reader", Right::kListen);
  for (std::size_t i = 0; i < kReplacedKeysMax; ++i) {
    EXPECT_TRUE(rule.takes_given_keys());
    rule = rule.WithKey(KeySlot::kPrimary, "a key that is longer than 32: " + std::to_string(i));
  }
  EXPECT_FALSE(rule.takes_given_keys());

  const AccessRule rolled = rule.WithKey(KeySlot::kSecondary, kKeyThree);

  EXPECT_EQ(rolled.key(KeySlot::kSecondary), kKeyThree);
  EXPECT_EQ(rolled.replaced_keys().size(), kReplacedKeysMax);
  EXPECT_TRUE(rolled.HadKey(PrintOf(kKeyOne)));
  EXPECT_FALSE(rolled.takes_given_keys());
}

// NAM-5
TEST(AccessRuleTest, ChecksNames) {
  for (const std::string& good :
       {std::string("a"), std::string("RootManageSharedAccessKey"), std::string("a.b-c_d"),
        std::string("9"), std::string(256, 'a')}) {
    EXPECT_TRUE(CheckAccessRuleName(good).ok()) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("-a"), std::string("a-"), std::string("a b"), std::string("a/b"),
        std::string("a;b"), std::string("a\0b", 3), std::string(257, 'a'),
        std::string("\xC3\xA4")}) {
    EXPECT_EQ(CheckAccessRuleName(bad).code(), ErrorCode::kArgumentError) << bad;
  }
}

// SEC-2
TEST(AccessRuleTest, DrawsKeysOf256BitsInBase64) {
  const KeySource ones = [] {
    std::array<std::uint8_t, kKeyBytes> bytes{};
    bytes.fill(0xFF);
    return bytes;
  };

  EXPECT_EQ(DrawKey(ones), "//////////////////////////////////////////8=");
  EXPECT_EQ(DrawKey(SystemKeys()).size(), 44U);
  EXPECT_NE(DrawKey(SystemKeys()), DrawKey(SystemKeys()));
  EXPECT_TRUE(CheckKey(DrawKey(SystemKeys())).ok());
}

TEST(AccessRuleTest, ChecksKeysAndDoesNotSayThem) {
  EXPECT_TRUE(CheckKey(std::string(32, 'k')).ok());
  for (const std::string& bad :
       {std::string(31, 'k'), std::string(257, 'k'), std::string(40, 'k') + ";",
        std::string(40, 'k') + " ", std::string(40, '\0'), std::string(40, '\xFF')}) {
    const Status refused = CheckKey(bad);
    EXPECT_EQ(refused.code(), ErrorCode::kArgumentError);
    EXPECT_EQ(refused.message().find("kkkk"), std::string::npos);
  }
}

}  // namespace
}  // namespace wharf::access
