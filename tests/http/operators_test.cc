#include "broker/doors/http/operators.h"

#include <memory>
#include <string>

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/access/client_rules.h"
#include "broker/doors/http/router.h"
#include "tests/access/sample_rules.h"
#include "tests/heard_log.h"

namespace wharf {
namespace {

using access::kKeyOne;
using access::kKeyThree;
using access::kKeyTwo;
using access::Right;
using ::testing::HasSubstr;
using ::testing::Not;

class OperatorsTest : public ::testing::Test {
 protected:
  OperatorsTest() { gate_.Open(&guard_); }

  unsigned Ask(const std::string& authorization, const std::string& subject = "",
               bool is_of_known_client = false) const {
    return handler_({.method = "GET",
                     .path = "/metrics",
                     .authorization = authorization,
                     .subject = subject,
                     .peer = peer_,
                     .is_of_known_client = is_of_known_client})
        .status;
  }
  static std::string Basic(const std::string& rule, const std::string& key) {
    return "Basic " + absl::Base64Escape(rule + ":" + key);
  }
  static std::string Token(const std::string& uri, const std::string& rule) {
    return access::MakeToken(uri, rule, kKeyOne, access::kSampleLater);
  }

  std::string peer_ = "192.0.2.1:9";
  access::Guard guard_{std::make_shared<const access::Book>(
                           access::Book()
                               .With("", access::SampleRule("root", Right::kManage))
                               .With("", access::SampleRule("reader", Right::kListen))
                               .With("q", access::SampleRule("chief", Right::kManage))),
                       [] { return access::kSampleNow; }};
  GuardGate gate_;
  const HttpHandler handler_ =
      ForOperators(gate_, [](const HttpRequest&) { return TextResponse(200, "numbers"); });
};

TEST_F(OperatorsTest, WhoKnowsAKeyThatManagesTheNamespaceIsAnswered) {
  EXPECT_EQ(Ask(Basic("root", kKeyOne)), 200U);
  EXPECT_EQ(Ask(Basic("ROOT", kKeyTwo)), 200U);
  EXPECT_EQ(Ask("basic   " + absl::Base64Escape("root:" + kKeyOne)), 200U);
  EXPECT_EQ(Ask(Token("sb://h/", "root")), 200U);
  EXPECT_EQ(Ask("Bearer " + Token("sb://h/", "root")), 200U);
}

TEST_F(OperatorsTest, WhoKnowsLessIsNot) {
  EXPECT_EQ(Ask(Basic("reader", kKeyOne)), 403U);
  EXPECT_EQ(Ask(Token("sb://h/", "reader")), 403U);
  EXPECT_EQ(Ask(Token("sb://h/q", "root")), 403U);
  EXPECT_EQ(Ask(Token("sb://h/q", "chief")), 403U);
  for (const std::string& said :
       {std::string(), Basic("root", kKeyThree), Basic("root", ""), Basic("", kKeyOne),
        Basic("chief", kKeyOne), Basic("nobody", kKeyOne), Basic("root", kKeyOne + "="),
        "Basic " + absl::Base64Escape("root"), std::string("Basic ???"), std::string("Basic"),
        "Basic " + std::string(8000, 'A'), "Digest " + kKeyOne, "Bearer " + kKeyOne,
        std::string("Bearer "), Token("sb://h/", "nobody")}) {
    EXPECT_EQ(Ask(said), 401U) << said.substr(0, 60);
  }
}

TEST_F(OperatorsTest, ACertificateIsEnoughIfItsRuleIs) {
  guard_.SetClients(std::make_shared<const access::ClientRules>(*access::ClientRules::Parse(
      {"certificate:CN=scraper -> root", "certificate:CN=shop -> reader"})));

  EXPECT_EQ(Ask("", "CN=scraper"), 200U);
  EXPECT_EQ(Ask("", "CN=shop"), 403U);
  EXPECT_EQ(Ask("", "CN=stranger"), 401U);
  EXPECT_EQ(Ask(Basic("root", kKeyThree), "CN=scraper"), 401U);
}

TEST_F(OperatorsTest, NobodyIsAskedWhereOnlyOursComeInOrAccessIsOff) {
  EXPECT_EQ(Ask("", "", true), 200U);
  gate_.Open(nullptr);
  EXPECT_EQ(Ask(""), 200U);
  gate_.Close();
  EXPECT_EQ(Ask(Basic("root", kKeyOne)), 503U);
  EXPECT_EQ(Ask("", "", true), 200U);
}

TEST_F(OperatorsTest, ANodeWithoutRulesAnswersWhoIsOnItsMachine) {
  gate_.Open(&guard_, GuardGate::WithoutRules::kThisMachine);
  for (const char* const peer : {"127.0.0.1:9", "[::1]:9", "a Unix socket"}) {
    peer_ = peer;
    EXPECT_EQ(Ask(""), 401U) << peer;  // There are rules.
  }

  guard_.Publish(std::make_shared<const access::Book>());

  for (const char* const peer : {"127.0.0.1:9", "[::1]:9", "a Unix socket"}) {
    peer_ = peer;
    EXPECT_EQ(Ask(""), 200U) << peer;
    EXPECT_EQ(Ask(Basic("root", kKeyOne)), 200U) << peer;
  }
  peer_ = "192.0.2.1:9";
  EXPECT_EQ(Ask(""), 401U);
  peer_ = "127.0.0.1:9";
  gate_.Open(&guard_);
  EXPECT_EQ(Ask(""), 401U);
}

TEST_F(OperatorsTest, NobodyIsAskedBeforeTheFirstRuleWhereThatDecides) {
  access::Guard undecided(
      std::make_shared<const access::Book>(), [] { return access::kSampleNow; },
      access::Guard::Obeyed::kFromFirstRule);
  gate_.Open(&undecided);
  EXPECT_EQ(Ask(""), 200U);

  undecided.Publish(guard_.book());

  EXPECT_EQ(Ask(""), 401U);
  EXPECT_EQ(Ask(Basic("root", kKeyOne)), 200U);
}

TEST_F(OperatorsTest, RefusalsAreCountedAndLoggedWithoutTheKey) {
  const HeardLog log;

  Ask(Basic("root", kKeyThree));
  for (int i = 0; i < 9; ++i) Ask(Basic("reader", kKeyOne));

  EXPECT_EQ(guard_.statistics().unauthorized, 1U);
  EXPECT_EQ(guard_.statistics().forbidden, 9U);
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(log.lines().front(), HasSubstr("refused a call from 192.0.2.1:9: the namespace has"));
  EXPECT_THAT(log.lines().front(), Not(HasSubstr(kKeyThree)));
}

}  // namespace
}  // namespace wharf
