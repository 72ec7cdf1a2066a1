#include "broker/access/guard.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/access/client_rules.h"
#include "tests/access/sample_rules.h"
#include "tests/access/web_token.h"
#include "tests/heard_log.h"

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

TEST_F(GuardTest, RulesAreObeyedFromTheFirstOnWhereNobodySaidWhether) {
  const auto none = std::make_shared<const Book>();
  Guard guard(
      none, [this] { return now_; }, Guard::Obeyed::kFromFirstRule);
  EXPECT_FALSE(guard.is_obeyed());

  guard.Publish(std::make_shared<const Book>(book_));
  EXPECT_TRUE(guard.is_obeyed());
  guard.Publish(none);

  EXPECT_TRUE(guard.is_obeyed());  // Who removes the last rule opens nothing.
  EXPECT_TRUE(guard_.is_obeyed());
  EXPECT_TRUE(Guard(none, [this] { return now_; }).is_obeyed());
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

// The rule of the queue proved it first; when that is gone, one of the namespace does.
TEST_F(GuardTest, ATokenThatIsKnownIsProvenAgainWhenItsRuleIsGone) {
  const Book both = book_.With("", AccessRule("reader", Right::kListen, kKeyOne, kKeyTwo, now_));
  Publish(both);
  const Result<PermitPtr> by_queue = guard_.Prove(TokenOf(kKeyOne));
  ASSERT_TRUE(by_queue.ok());
  ASSERT_EQ((*by_queue)->path, "orders");

  Publish(both.Without("orders", "reader"));

  const Result<PermitPtr> by_namespace = guard_.Prove(TokenOf(kKeyOne));
  ASSERT_TRUE(by_namespace.ok()) << by_namespace.status().message();
  EXPECT_EQ((*by_namespace)->path, "");
  EXPECT_EQ(*guard_.Prove(TokenOf(kKeyOne)), *by_namespace);
}

TEST_F(GuardTest, ARefusalTellsWhichRuleTheTokenClaims) {
  const HeardLog log;
  const std::string token = MakeToken("sb://h/orders", "no\nbody", kKeyOne, kSampleLater);

  guard_.NoteRefusal(guard_.Prove(token).status(), nullptr, "peer", "id", token);

  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(
      log.lines().front(),
      ::testing::HasSubstr("refused a call from peer that claims the rule 'no\\x0abody': "));
  EXPECT_THAT(log.lines().front(), ::testing::Not(::testing::HasSubstr("sig=")));
}

TEST_F(GuardTest, ARefusalTellsWhichRuleWasNamedBesideItsKey) {
  const HeardLog log;
  const std::string name(2 * kAccessRuleNameMax, 'n');

  guard_.NoteRefusalOfKey(guard_.ProveKeyFor("orders", name, kKeyOne).status(), nullptr, "peer",
                          "id", name);

  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(log.lines().front(), ::testing::HasSubstr(fmt::format(
                                       "refused a call from peer that claims the rule '{}': ",
                                       name.substr(0, kAccessRuleNameMax))));
  EXPECT_EQ(guard_.statistics().unauthorized, 1U);
}

// A client whose certificate is believed, and whom client-rules gives the rule of the queue.
class ClientTest : public GuardTest {
 protected:
  ClientTest() { SetClients({"certificate:CN=shop,O=x -> orders#Reader"}); }

  void SetClients(const std::vector<std::string>& texts) {
    Result<ClientRules> rules = ClientRules::Parse(texts);
    ASSERT_TRUE(rules.ok());
    guard_.SetClients(std::make_shared<const ClientRules>(*std::move(rules)));
  }
  PermitPtr MustProve() {
    const Result<PermitPtr> permit = guard_.ProveCertificate("CN=shop,O=x");
    EXPECT_TRUE(permit.ok()) << permit.status().message();
    return permit.ok() ? *permit : nullptr;
  }
};

TEST_F(ClientTest, MayWhatItsRuleAllows) {
  const PermitPtr permit = MustProve();

  EXPECT_TRUE(guard_.Check(permit).ok());
  EXPECT_TRUE(guard_.Check(permit, Right::kListen, "orders/$deadletterqueue").ok());
  EXPECT_EQ(guard_.Check(permit, Right::kSend, "orders").code(), ErrorCode::kForbidden);
  EXPECT_EQ(guard_.Check(permit, Right::kListen, "payments").code(), ErrorCode::kForbidden);
  EXPECT_EQ(permit->Owner(), "orders#reader");
}

TEST_F(ClientTest, WhoIsNotNamedHasNoRight) {
  for (const char* subject : {"", "CN=shop", "CN=SHOP,O=x", "O=x,CN=shop"}) {
    EXPECT_EQ(guard_.ProveCertificate(subject).status().code(), ErrorCode::kUnauthorized);
  }
  SetClients({"certificate:CN=shop,O=x -> reader"});  // Of the namespace, which has none.
  EXPECT_EQ(guard_.ProveCertificate("CN=shop,O=x").status().code(), ErrorCode::kUnauthorized);
}

TEST_F(ClientTest, ARotationDoesNotTouchIt) {
  const PermitPtr permit = MustProve();

  Publish(book_.With(
      "orders",
      rule_.WithKey(KeySlot::kPrimary, kKeyThree).WithKey(KeySlot::kSecondary, kKeyThree)));

  EXPECT_TRUE(guard_.Check(permit, Right::kListen, "orders").ok());
}

TEST_F(ClientTest, EndsWithItsRule) {
  const PermitPtr permit = MustProve();

  Publish(Book());

  EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.Check(permit, Right::kListen, "orders").code(), ErrorCode::kUnauthorized);
}

TEST_F(ClientTest, EndsWhenItHasTheRuleNoMore) {
  const PermitPtr permit = MustProve();
  const PermitPtr by_key = *guard_.Prove(TokenOf(kKeyOne));

  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{}, {"certificate:CN=shop,O=x -> orders#other"}}) {
    SetClients(texts);
    EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);
    EXPECT_EQ(guard_.Check(permit, Right::kListen, "orders").code(), ErrorCode::kUnauthorized);
    EXPECT_TRUE(guard_.Check(by_key, Right::kListen, "orders").ok());
  }
  SetClients({"certificate:CN=shop,O=x -> orders#reader", "claim:a -> reader"});
  EXPECT_TRUE(guard_.Check(permit).ok());
}

// A client whom a JSON web token names.
class WebTokenTest : public ClientTest {
 protected:
  WebTokenTest() { SetIssuer({{"one", TokenAlgorithm::kHs256, kKeyOne}}); }

  void SetIssuer(const std::vector<TokenIssuer::Key>& keys,
                 const std::string& rule = "claim:shop -> orders#reader") {
    Result<ClientRules> rules = ClientRules::Parse({rule});
    ASSERT_TRUE(rules.ok());
    Result<TokenIssuerPtr> issuer =
        TokenIssuer::Make({.issuer = "i", .audience = "wharf", .claim = "app"}, keys);
    ASSERT_TRUE(issuer.ok());
    rules->set_issuer(*std::move(issuer));
    guard_.SetClients(std::make_shared<const ClientRules>(*std::move(rules)));
  }
  static std::string WebTokenOf(const std::string& app) {
    return "Bearer " + WebSigner::OfSecret(kKeyOne).Sign(
                           {{"kid", "one"}, {"alg", "HS256"}},
                           {{"iss", "i"}, {"aud", "wharf"}, {"app", app}, {"exp", 1'700'003'600}});
  }
};

TEST_F(WebTokenTest, MayWhatTheRuleOfItsClaimAllows) {
  const Result<PermitPtr> permit = guard_.Prove(WebTokenOf("shop"));

  ASSERT_TRUE(permit.ok()) << permit.status().message();
  EXPECT_EQ(*guard_.Prove(WebTokenOf("shop")), *permit);
  EXPECT_TRUE(guard_.Check(*permit, Right::kListen, "orders").ok());
  EXPECT_EQ(guard_.Check(*permit, Right::kSend, "orders").code(), ErrorCode::kForbidden);
  EXPECT_EQ(guard_.Prove(WebTokenOf("other")).status().code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.Prove(WebTokenOf("shop").substr(7)).status().code(), ErrorCode::kUnauthorized);

  now_ = kSampleLater + kWebTokenLeeway;
  EXPECT_EQ(guard_.Check(*permit).code(), ErrorCode::kUnauthorized);
}

TEST_F(WebTokenTest, EndsWithItsRuleItsLineAndItsKey) {
  const PermitPtr permit = *guard_.Prove(WebTokenOf("shop"));
  const std::vector<TokenIssuer::Key> other = {{"one", TokenAlgorithm::kHs256, kKeyTwo}};
  const std::vector<TokenIssuer::Key> same = {{"renamed", TokenAlgorithm::kHs256, kKeyOne}};

  SetIssuer(same, "claim:shop -> orders#other");
  EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);
  SetIssuer(other);
  EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.Prove(WebTokenOf("shop")).status().code(), ErrorCode::kUnauthorized);
  SetClients({"claim:shop -> orders#reader"});  // Nobody's tokens are believed.
  EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);
  SetIssuer(same);
  EXPECT_TRUE(guard_.Check(permit).ok());
  Publish(Book());
  EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);
}

TEST_F(GuardTest, WhereNoIssuerIsBelievedThereAreNoWebTokens) {
  EXPECT_THAT(guard_.Prove("Bearer e30.e30.e30").status().message(),
              ::testing::HasSubstr("jwt-keys is empty"));
}

TEST_F(GuardTest, AKeyOfTheNamespaceProvesItsRuleAndNoOtherDoes) {
  Publish(book_.With("", SampleRule("root", Right::kManage)));

  for (const std::string& key : {kKeyOne, kKeyTwo}) {
    const Result<PermitPtr> permit = guard_.ProveKey("Root", key);
    ASSERT_TRUE(permit.ok());
    EXPECT_TRUE(guard_.Check(*permit, Right::kManage, "").ok());
  }
  const Status wrong_key = guard_.ProveKey("root", kKeyThree).status();
  EXPECT_EQ(wrong_key.code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.ProveKey("nobody", kKeyOne).status(), wrong_key);
  EXPECT_EQ(guard_.ProveKey("reader", kKeyOne).status(), wrong_key);  // Of a queue.
  EXPECT_EQ(guard_.ProveKey("root", "").status(), wrong_key);
}

TEST_F(GuardTest, AKeyProvesTheNearestRuleOfItsNameThatHasIt) {
  const AccessRule other("reader", Right::kListen, kKeyThree, kKeyThree, kSampleNow);
  Publish(book_.With("bills", other)
              .With("orders/late", other)
              .With("", SampleRule("root", Right::kManage)));

  const Result<PermitPtr> above = guard_.ProveKeyFor("orders/late", "Reader", kKeyTwo);
  const Result<PermitPtr> itself = guard_.ProveKeyFor("orders/late", "reader", kKeyThree);

  ASSERT_TRUE(above.ok());
  ASSERT_TRUE(itself.ok());
  EXPECT_EQ((*above)->Owner(), "orders#reader");
  EXPECT_TRUE(guard_.Check(*above, Right::kListen, "orders/late").ok());
  EXPECT_EQ((*itself)->Owner(), "orders/late#reader");
  EXPECT_EQ(guard_.Check(*itself, Right::kListen, "orders").code(), ErrorCode::kForbidden);
  EXPECT_EQ((*guard_.ProveKeyFor("bills/below", "root", kKeyOne))->Owner(), "#root");
  const Status wrong_key = guard_.ProveKeyFor("bills", "reader", kKeyOne).status();
  EXPECT_EQ(wrong_key.code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(guard_.ProveKeyFor("bills", "nobody", kKeyOne).status(), wrong_key);
}

TEST_F(GuardTest, ATokenMayStandBehindBearer) {
  EXPECT_TRUE(guard_.Prove("bearer " + TokenOf(kKeyOne)).ok());
  EXPECT_FALSE(guard_.Prove("Bearer " + TokenOf(kKeyThree)).ok());
  EXPECT_FALSE(guard_.Prove("Bearer Bearer " + TokenOf(kKeyOne)).ok());
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
