#include "broker/access/given_keys.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

// SEC-7
class GivenKeysTest : public ::testing::Test {
 protected:
  // "primary secondary", and which of them was kept.
  static std::string Take(const AccessRule& rule, const std::string& primary,
                          const std::string& secondary) {
    const auto name = [](const std::string& key) {
      if (key == kKeyOne) return "one";
      if (key == kKeyTwo) return "two";
      return key == kKeyThree ? "three" : "four";
    };
    const Result<DescribedKeys> taken = TakeDescribed(rule, primary, secondary);
    if (!taken.ok()) return std::string(ReasonOf(taken.status().code()));
    return std::string(name(taken->rule.key(KeySlot::kPrimary))) + " " +
           name(taken->rule.key(KeySlot::kSecondary)) + (taken->keeps_primary ? " keeps 1" : "") +
           (taken->keeps_secondary ? " keeps 2" : "");
  }

  static AccessRule Full() {
    std::vector<KeyPrint> many;
    for (std::size_t i = 0; i < kReplacedKeysMax; ++i) many.push_back(PrintOf(std::to_string(i)));
    many.back() = PrintOf(kKeyThree);
    return SampleRule("reader", Right::kListen).Remembering(std::move(many));
  }

  const std::string four_ = std::string(40, '4');
  // It has one and two.
  const AccessRule rule_ = SampleRule("reader", Right::kListen);
  // It had two, and has one and three.
  const AccessRule rolled_ = rule_.WithKey(KeySlot::kSecondary, kKeyThree);
};

TEST_F(GivenKeysTest, ThoseOfADescriptionTakeThePlaceOfWhatIsThere) {
  EXPECT_EQ(Take(rule_, kKeyOne, kKeyTwo), "one two");
  EXPECT_EQ(Take(rule_, "", ""), "one two");
  EXPECT_EQ(Take(rule_, kKeyThree, four_), "three four");
  EXPECT_EQ(Take(rule_, kKeyThree, ""), "three two");
  EXPECT_EQ(Take(rule_, "", kKeyThree), "one three");
  // As keys are rolled: the new one first, and the one before stays for a while.
  EXPECT_EQ(Take(rule_, kKeyThree, kKeyOne), "three one");
  EXPECT_EQ(Take(rule_, kKeyTwo, kKeyOne), "two one");

  const auto taken = TakeDescribed(rule_, kKeyThree, kKeyOne);
  EXPECT_EQ(taken->rule.replaced_keys(), std::vector<KeyPrint>({PrintOf(kKeyTwo)}));
  EXPECT_EQ(TakeDescribed(rule_, kKeyTwo, kKeyOne)->rule.replaced_keys().size(), 0U);
}

TEST_F(GivenKeysTest, OneThatWasReplacedIsNotTakenBack) {
  EXPECT_EQ(Take(rolled_, kKeyOne, kKeyTwo), "one three keeps 2");
  EXPECT_EQ(Take(rolled_, kKeyTwo, kKeyThree), "one three keeps 1");
  EXPECT_EQ(Take(rolled_, kKeyTwo, four_), "one four keeps 1");
  EXPECT_EQ(Take(rolled_, four_, kKeyTwo), "four three keeps 2");
  const AccessRule both = rolled_.WithKey(KeySlot::kPrimary, four_);
  EXPECT_EQ(Take(both, kKeyOne, kKeyTwo), "four three keeps 1 keeps 2");
}

TEST_F(GivenKeysTest, NoneStandsTwiceWhereOneOfThemIsNotTakenBack) {
  const AccessRule moved = rule_.WithKeys(kKeyThree, kKeyOne);

  EXPECT_EQ(Take(moved, kKeyOne, kKeyTwo), "three one keeps 1 keeps 2");
  EXPECT_EQ(Take(rule_, kKeyTwo, ""), "ArgumentError");
  EXPECT_EQ(Take(rule_, four_, four_), "ArgumentError");
}

TEST_F(GivenKeysTest, ARuleThatRemembersTooManyTakesNone) {
  const AccessRule full = Full();

  EXPECT_EQ(Take(full, kKeyOne, kKeyTwo), "one two");
  EXPECT_EQ(Take(full, kKeyTwo, kKeyOne), "two one");
  EXPECT_EQ(Take(full, kKeyThree, kKeyTwo), "one two keeps 1");
  EXPECT_EQ(Take(full, kKeyOne, four_), "QuotaExceeded");
  EXPECT_EQ(CheckTakes(full, four_).code(), ErrorCode::kQuotaExceeded);
}

TEST_F(GivenKeysTest, ARotationByHandTakesNoneThatItHad) {
  EXPECT_TRUE(CheckTakes(rolled_, four_).ok());
  for (const std::string& key : {kKeyOne, kKeyTwo, kKeyThree}) {
    const Status refused = CheckTakes(rolled_, key);
    EXPECT_EQ(refused.code(), ErrorCode::kArgumentError);
    EXPECT_EQ(refused.message().find(key), std::string::npos);
  }
}

}  // namespace
}  // namespace wharf::access
