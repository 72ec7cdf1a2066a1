#include "broker/access/guard.h"

#include <memory>

#include <gtest/gtest.h>

#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

class GuardTest : public testing::Test {
 protected:
  void Publish(const Book& book) { guard_.Publish(std::make_shared<const Book>(book)); }
  static std::string TokenOf(const std::string& key) {
    return MakeToken("sb://h/orders", "reader", key, kSampleLater);
  }

  Timestamp now_ = kSampleNow;
  const AccessRule rule_ = SampleRule("reader", Right::kListen);
  const Book book_ = Book().With("orders", rule_);
  Guard guard_{std::make_shared<const Book>(book_), [this] { return now_; }};
};

TEST_F(GuardTest, ProvesATokenAgainAndAgain) {
  const Result<PermitPtr> first = guard_.Prove(TokenOf(kKeyOne));
  const Result<PermitPtr> second = guard_.Prove(TokenOf(kKeyOne));

  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_TRUE(guard_.Check(*first, Right::kListen, "orders").ok());
  EXPECT_EQ(guard_.Check(*first, Right::kSend, "orders").code(), ErrorCode::kForbidden);
}

TEST_F(GuardTest, NoTokenProvesNothing) {
  EXPECT_EQ(guard_.Prove("").status().code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.Check(nullptr).code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.Check(nullptr, Right::kListen, "orders").code(), ErrorCode::kUnauthorized);
}

TEST_F(GuardTest, ATokenThatIsKnownLapsesLikeAnyOther) {
  ASSERT_TRUE(guard_.Prove(TokenOf(kKeyOne)).ok());

  now_ = kSampleLater;

  EXPECT_EQ(guard_.Prove(TokenOf(kKeyOne)).status().code(), ErrorCode::kUnauthorized);
}

TEST_F(GuardTest, AReplacedKeyProvesNothingAnyMore) {
  const Result<PermitPtr> one = guard_.Prove(TokenOf(kKeyOne));
  const Result<PermitPtr> two = guard_.Prove(TokenOf(kKeyTwo));
  ASSERT_TRUE(one.ok() && two.ok());

  Publish(book_.With("orders", rule_.WithKey(KeySlot::kPrimary, kKeyThree)));

  EXPECT_EQ(guard_.Check(*one).code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.Prove(TokenOf(kKeyOne)).status().code(), ErrorCode::kUnauthorized);
  EXPECT_TRUE(guard_.Check(*two).ok());
  EXPECT_TRUE(guard_.Prove(TokenOf(kKeyTwo)).ok());
  EXPECT_TRUE(guard_.Prove(TokenOf(kKeyThree)).ok());
}

TEST_F(GuardTest, ARemovedRuleProvesNothingAnyMore) {
  const Result<PermitPtr> permit = guard_.Prove(TokenOf(kKeyOne));
  ASSERT_TRUE(permit.ok());

  Publish(Book());

  EXPECT_EQ(guard_.Check(*permit).code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.Prove(TokenOf(kKeyOne)).status().code(), ErrorCode::kUnauthorized);
}

TEST_F(GuardTest, CountsRefusals) {
  guard_.NoteRefusal(guard_.Check(nullptr), nullptr, "peer", "id");
  guard_.NoteRefusal({ErrorCode::kForbidden, ""}, nullptr, "peer", "id");
  guard_.NoteRefusal({ErrorCode::kForbidden, ""}, nullptr, "peer", "id");

  EXPECT_EQ(guard_.statistics().unauthorized, 1U);
  EXPECT_EQ(guard_.statistics().forbidden, 2U);
}

}  // namespace
}  // namespace wharf::access
