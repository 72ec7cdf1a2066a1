#include "broker/access/proof.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

Book SampleBook() {
  return Book()
      .With("", SampleRule("root", Right::kManage))
      .With("orders", SampleRule("reader", Right::kListen));
}

Result<Permit> ProveText(const std::string& text, const Book& book = SampleBook()) {
  const Result<Token> token = ParseToken(text);
  if (!token.ok()) return token.status();
  return Prove(*token, book, kSampleNow);
}

Permit MustProve(const std::string& uri, const std::string& rule,
                 const std::string& key = kKeyOne) {
  Result<Permit> permit = ProveText(MakeToken(uri, rule, key, kSampleLater));
  EXPECT_TRUE(permit.ok()) << permit.status().message();
  return permit.ok() ? *permit : Permit();
}

ErrorCode CodeOfProof(const std::string& uri, const std::string& rule,
                      const std::string& key = kKeyOne) {
  return ProveText(MakeToken(uri, rule, key, kSampleLater)).status().code();
}

Status CheckAt(const Permit& permit, Right right, std::string_view path) {
  return CheckRight(permit, SampleBook(), kSampleNow, right, path);
}

TEST(ProofTest, EitherKeyProvesTheRule) {  // SEC-5
  EXPECT_EQ(MustProve("sb://h/orders", "reader", kKeyOne).key, PrintOf(kKeyOne));
  EXPECT_EQ(MustProve("sb://h/orders", "reader", kKeyTwo).key, PrintOf(kKeyTwo));
  EXPECT_EQ(CodeOfProof("sb://h/orders", "reader", kKeyThree), ErrorCode::kUnauthorized);
}

// SEC-6
TEST(ProofTest, ARuleIsFoundOnTheResourceOrAboveIt) {
  EXPECT_EQ(MustProve("sb://h/orders/$DeadLetterQueue", "reader").path, "orders");
  EXPECT_EQ(MustProve("sb://h/orders", "root").path, "");
  EXPECT_EQ(MustProve("sb://h/", "root").resource, "");
  EXPECT_EQ(CodeOfProof("sb://h/", "reader"), ErrorCode::kUnauthorized);
  EXPECT_EQ(CodeOfProof("sb://h/orders2", "reader"), ErrorCode::kUnauthorized);
  EXPECT_EQ(CodeOfProof("sb://h/payments", "reader"), ErrorCode::kUnauthorized);
}

TEST(ProofTest, OfTwoRulesOfOneNameTheOneWhoseKeySignedIsTaken) {
  const Book book =
      SampleBook().With("", AccessRule("reader", Right::kSend, kKeyThree, kKeyThree, kSampleNow));

  const Result<Permit> above =
      ProveText(MakeToken("sb://h/orders", "reader", kKeyThree, kSampleLater), book);
  const Result<Permit> there =
      ProveText(MakeToken("sb://h/orders", "reader", kKeyOne, kSampleLater), book);

  ASSERT_TRUE(above.ok());
  EXPECT_EQ(above->path, "");
  ASSERT_TRUE(there.ok());
  EXPECT_EQ(there->path, "orders");
}

TEST(ProofTest, WhichOfRuleAndSignatureIsWrongIsNotSaid) {
  const Status no_rule =
      ProveText(MakeToken("sb://h/orders", "nobody", kKeyOne, kSampleLater)).status();
  const Status no_key =
      ProveText(MakeToken("sb://h/orders", "reader", kKeyThree, kSampleLater)).status();

  EXPECT_EQ(no_rule, no_key);
}

TEST(ProofTest, ATokenLapses) {
  const Result<Permit> lapsed = ProveText(MakeToken("sb://h/", "root", kKeyOne, kSampleNow));
  const Permit permit = MustProve("sb://h/", "root");

  EXPECT_EQ(lapsed.status().code(), ErrorCode::kUnauthorized);
  EXPECT_TRUE(CheckPermit(permit, SampleBook(), kSampleLater - Duration(1)).ok());
  EXPECT_EQ(CheckPermit(permit, SampleBook(), kSampleLater).code(), ErrorCode::kUnauthorized);
}

TEST(ProofTest, GivesNoMoreThanTheRule) {
  const Permit reader = MustProve("sb://h/orders", "reader");

  EXPECT_TRUE(CheckAt(reader, Right::kListen, "orders").ok());
  EXPECT_TRUE(CheckAt(reader, Right::kListen, "orders/$deadletterqueue").ok());
  EXPECT_EQ(CheckAt(reader, Right::kSend, "orders").code(), ErrorCode::kForbidden);
  EXPECT_EQ(CheckAt(reader, Right::kManage, "orders").code(), ErrorCode::kForbidden);
  EXPECT_EQ(CheckAt(reader, Right::kListen, "orders2").code(), ErrorCode::kForbidden);
  EXPECT_EQ(CheckAt(reader, Right::kListen, "").code(), ErrorCode::kForbidden);
}

TEST(ProofTest, GivesNoMoreThanTheTokenIsFor) {
  const Permit narrow = MustProve("sb://h/orders", "root");

  EXPECT_TRUE(CheckAt(narrow, Right::kManage, "orders").ok());
  EXPECT_EQ(CheckAt(narrow, Right::kManage, "payments").code(), ErrorCode::kForbidden);
  EXPECT_EQ(CheckAt(narrow, Right::kManage, "").code(), ErrorCode::kForbidden);
}

// SEC-7
TEST(ProofTest, EndsWithItsKeyOrItsRule) {
  const Permit permit = MustProve("sb://h/orders", "reader", kKeyOne);
  const AccessRule rule = SampleRule("reader", Right::kListen);

  const Book rolled = SampleBook().With("orders", rule.WithKey(KeySlot::kPrimary, kKeyThree));
  const Book other_rolled =
      SampleBook().With("orders", rule.WithKey(KeySlot::kSecondary, kKeyThree));
  const Book removed = SampleBook().Without("orders", "reader");

  EXPECT_EQ(CheckPermit(permit, rolled, kSampleNow).code(), ErrorCode::kUnauthorized);
  EXPECT_TRUE(CheckPermit(permit, other_rolled, kSampleNow).ok());
  EXPECT_EQ(CheckPermit(permit, removed, kSampleNow).code(), ErrorCode::kUnauthorized);
}

// A rule that was made anew with the same key and fewer rights gives fewer.
TEST(ProofTest, RightsAreThoseOfTheBook) {
  const Permit root = MustProve("sb://h/", "root");
  const Book lesser = Book().With("", SampleRule("root", Right::kListen));

  EXPECT_EQ(CheckRight(root, lesser, kSampleNow, Right::kManage, "").code(), ErrorCode::kForbidden);
}

TEST(ProofTest, ALongResourceIsLookedUpByItsBeginning) {
  std::string uri = "sb://h/orders";
  for (int i = 0; i < 500; ++i) uri += "/a";

  EXPECT_EQ(MustProve(uri, "reader").path, "orders");
}

}  // namespace
}  // namespace wharf::access
