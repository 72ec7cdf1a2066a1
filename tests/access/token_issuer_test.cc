#include "broker/access/token_issuer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "tests/access/sample_rules.h"
#include "tests/access/web_token.h"

namespace wharf::access {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr auto kNowSeconds = 1'700'000'000;
const std::string kSecret = "a secret of an issuer, 32 bytes.";

// SEC-11: an issuer with a key of each algorithm.
class TokenIssuerTest : public ::testing::Test {
 protected:
  TokenIssuerTest() : issuer_(*TokenIssuer::Make(terms_, Keys())) {}

  static std::vector<TokenIssuer::Key> Keys() {
    return {{"rsa", TokenAlgorithm::kRs256, Rsa().PublicText()},
            {"ec", TokenAlgorithm::kEs256, Ec().PublicText()},
            {"hmac", TokenAlgorithm::kHs256, kSecret},
            {"", TokenAlgorithm::kEs256, OtherEc().PublicText()}};
  }
  // Making one takes a while.
  static const WebSigner& Rsa() {
    static const WebSigner signer = WebSigner::NewRsa();
    return signer;
  }
  static const WebSigner& Ec() {
    static const WebSigner signer = WebSigner::NewEc();
    return signer;
  }
  static const WebSigner& OtherEc() {
    static const WebSigner signer = WebSigner::NewEc();
    return signer;
  }
  static json Header(const std::string& kid, const std::string& alg) {
    return {{"kid", kid}, {"alg", alg}, {"typ", "JWT"}};
  }
  static json Claims() {
    return {
        {"iss", "https://issuer"}, {"aud", "wharf"}, {"sub", "shop"}, {"exp", kNowSeconds + 600}};
  }
  static json ClaimsWith(const std::string& name, const json& value) {
    json claims = Claims();
    claims[name] = value;
    return claims;
  }
  static json ClaimsWithout(const std::string& name) {
    json claims = Claims();
    claims.erase(name);
    return claims;
  }

  // Why it is refused; empty: it is not.
  std::string Why(const std::string& token, Timestamp now = kSampleNow) const {
    const Result<TokenIssuer::Statement> said = issuer_->Read(token, now);
    if (!said.ok()) {
      EXPECT_EQ(said.status().code(), ErrorCode::kUnauthorized);
    }
    return said.status().message();
  }
  std::string WhyOf(const json& claims, Timestamp now = kSampleNow) const {
    return Why(Ec().Sign(Header("ec", "ES256"), claims), now);
  }

  const TokenIssuer::Terms terms_{.issuer = "https://issuer", .audience = "wharf"};
  const TokenIssuerPtr issuer_;
};

TEST_F(TokenIssuerTest, EachAlgorithmIsBelieved) {
  EXPECT_EQ(Why(Rsa().Sign(Header("rsa", "RS256"), Claims())), "");
  EXPECT_EQ(Why(Ec().Sign(Header("ec", "ES256"), Claims())), "");
  EXPECT_EQ(Why(WebSigner::OfSecret(kSecret).Sign(Header("hmac", "HS256"), Claims())), "");
  EXPECT_EQ(Why(OtherEc().Sign({{"alg", "ES256"}}, Claims())), "");  // Without a kid.

  const Result<TokenIssuer::Statement> said =
      issuer_->Read(Ec().Sign(Header("ec", "ES256"), Claims()), kSampleNow);
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(said->client, "claim:shop");
  EXPECT_EQ(said->until, kSampleNow + std::chrono::seconds(660));
  EXPECT_TRUE(issuer_->Believes(said->voucher));
  EXPECT_FALSE(issuer_->Believes(PrintOf("another")));
}

TEST_F(TokenIssuerTest, WhatWasReadUnderOtherTermsIsNotBelieved) {
  const std::vector<TokenIssuer::Key> keys{{"hmac", TokenAlgorithm::kHs256, kSecret}};
  const std::string token = WebSigner::OfSecret(kSecret).Sign(Header("hmac", "HS256"), Claims());
  const KeyPrint voucher = issuer_->Read(token, kSampleNow)->voucher;
  const auto believes = [&](const TokenIssuer::Terms& terms) {
    return (*TokenIssuer::Make(terms, keys))->Believes(voucher);
  };

  EXPECT_TRUE(believes(terms_));
  EXPECT_FALSE(believes({"https://other", "wharf", "sub"}));
  EXPECT_FALSE(believes({"https://issuer", "other", "sub"}));
  EXPECT_FALSE(believes({"https://issuer", "wharf", "azp"}));
  EXPECT_FALSE(believes({"https://issuerwharf", "", "sub"}));
}

TEST_F(TokenIssuerTest, ATokenDoesNotChooseItsAlgorithm) {
  const std::string other = "its algorithm is not the one of its key";
  // Who knows the public key only, and calls it a secret.
  const WebSigner forger = WebSigner::OfSecret(Rsa().PublicText());
  EXPECT_THAT(Why(forger.Sign(Header("rsa", "HS256"), Claims())), HasSubstr(other));
  EXPECT_THAT(Why(forger.Sign(Header("rsa", "RS256"), Claims())), HasSubstr("signature is wrong"));
  EXPECT_THAT(Why(WebSigner::OfSecret(Ec().PublicText()).Sign(Header("ec", "HS256"), Claims())),
              HasSubstr(other));
  for (const char* alg : {"none", "None", "", "RS384", "PS256", "rs256", "ES256"}) {
    EXPECT_THAT(Why(Rsa().Sign(Header("rsa", alg), Claims())), HasSubstr(other)) << alg;
  }
  EXPECT_THAT(Why(Rsa().Sign({{"kid", "rsa"}}, Claims())), HasSubstr(other));
  EXPECT_THAT(Why(Rsa().Sign({{"kid", "rsa"}, {"alg", 256}}, Claims())), HasSubstr(other));
  // No signature at all.
  const std::string signed_text = Rsa().Sign(Header("rsa", "RS256"), Claims());
  EXPECT_THAT(Why(signed_text.substr(0, signed_text.rfind('.') + 1)),
              HasSubstr("signature is wrong"));
}

TEST_F(TokenIssuerTest, TheKidChoosesTheKey) {
  EXPECT_THAT(Why(Ec().Sign(Header("nobody", "ES256"), Claims())), HasSubstr("no key of its kid"));
  EXPECT_THAT(Why(Ec().Sign({{"alg", "ES256"}}, Claims())), HasSubstr("signature is wrong"));
  EXPECT_THAT(Why(Ec().Sign({{"alg", "ES256"}, {"kid", 1}}, Claims())),
              HasSubstr("kid is no text"));
  EXPECT_THAT(Why(OtherEc().Sign(Header("ec", "ES256"), Claims())),
              HasSubstr("signature is wrong"));
}

TEST_F(TokenIssuerTest, WhatIsBehindAZeroIsNoPartOfIt) {
  const std::string header = Header("ec", "ES256").dump();
  const std::string claims = Claims().dump();
  EXPECT_EQ(Why(Ec().SignText(header, claims)), "");
  EXPECT_THAT(Why(Ec().SignText(header, claims + '\0')), HasSubstr("claims are no base64url"));
  EXPECT_THAT(Why(Ec().SignText(header, claims + '\0' + claims)), HasSubstr("claims are no"));
  EXPECT_THAT(Why(Ec().SignText(header + '\0', claims)), HasSubstr("header is no base64url"));
}

TEST_F(TokenIssuerTest, WhatIsCriticalAndNotKnownIsRefused) {
  json header = Header("ec", "ES256");
  header["crit"] = {"exp"};
  EXPECT_THAT(Why(Ec().Sign(header, Claims())), HasSubstr("critical"));
  header["crit"] = json::array();
  EXPECT_THAT(Why(Ec().Sign(header, Claims())), HasSubstr("critical"));
}

TEST_F(TokenIssuerTest, ATokenHasItsTimeAndAMinuteMore) {
  const auto at = [](int seconds) { return kSampleNow + std::chrono::seconds(seconds); };
  EXPECT_EQ(WhyOf(Claims(), at(659)), "");
  EXPECT_THAT(WhyOf(Claims(), at(660)), HasSubstr("expired"));
  EXPECT_THAT(WhyOf(ClaimsWithout("exp")), HasSubstr("no exp"));
  for (const json& exp : {json("1"), json(true), json(nullptr), json(-1), json::array({1})}) {
    EXPECT_THAT(WhyOf(ClaimsWith("exp", exp)), HasSubstr("no exp")) << exp;
  }
  EXPECT_EQ(WhyOf(ClaimsWith("exp", 1e300)), "");
  EXPECT_EQ(WhyOf(ClaimsWith("exp", 18446744073709551615ULL)), "");
  EXPECT_EQ(WhyOf(ClaimsWith("exp", kNowSeconds + 0.5)), "");

  EXPECT_EQ(WhyOf(ClaimsWith("nbf", kNowSeconds + 60)), "");
  EXPECT_THAT(WhyOf(ClaimsWith("nbf", kNowSeconds + 61)), HasSubstr("has not come"));
  EXPECT_THAT(WhyOf(ClaimsWith("nbf", "soon")), HasSubstr("nbf is no time"));
  EXPECT_EQ(WhyOf(ClaimsWith("nbf", 0)), "");
  EXPECT_THAT(WhyOf(ClaimsWith("exp", 0)), HasSubstr("expired"));
}

TEST_F(TokenIssuerTest, ATokenIsOfTheIssuerAndForTheBroker) {
  EXPECT_THAT(WhyOf(ClaimsWith("iss", "https://issuer/")), HasSubstr("another issuer"));
  EXPECT_THAT(WhyOf(ClaimsWithout("iss")), HasSubstr("another issuer"));
  EXPECT_EQ(WhyOf(ClaimsWith("aud", {"mail", "wharf"})), "");
  for (const json& aud : {json("mail"), json({"mail", "Wharf"}), json::array(), json(1),
                          json({{"wharf", 1}}), json({json({"wharf"})})}) {
    EXPECT_THAT(WhyOf(ClaimsWith("aud", aud)), HasSubstr("another audience")) << aud;
  }
  EXPECT_THAT(WhyOf(ClaimsWithout("aud")), HasSubstr("another audience"));
}

TEST_F(TokenIssuerTest, AClaimNamesTheClient) {
  const std::string none = "no text in the claim";
  EXPECT_THAT(WhyOf(ClaimsWithout("sub")), HasSubstr(none));
  EXPECT_THAT(WhyOf(ClaimsWith("sub", "")), HasSubstr(none));
  EXPECT_THAT(WhyOf(ClaimsWith("sub", {"shop"})), HasSubstr(none));
  EXPECT_THAT(WhyOf(ClaimsWith("sub", std::string(1001, 'x'))), HasSubstr(none));
}

TEST_F(TokenIssuerTest, WhatWasChangedIsRefused) {
  const std::string token = Ec().Sign(Header("ec", "ES256"), Claims());
  for (std::size_t i = 0; i < token.size(); i += 7) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(Why(changed), "") << i;
  }
  EXPECT_NE(Why(token + "A"), "");
  EXPECT_NE(Why(token + "="), "");
  EXPECT_NE(Why(" " + token), "");
  EXPECT_NE(Why(token.substr(0, token.rfind('.'))), "");
  EXPECT_NE(Why(token + ".x"), "");
}

// What two readers could read differently, or what costs.
TEST_F(TokenIssuerTest, JsonThatIsAmbiguousDeepOrLongIsRefused) {
  const std::string header = Header("ec", "ES256").dump();
  const auto why = [&](const std::string& claims) { return Why(Ec().SignText(header, claims)); };
  const std::string good = Claims().dump();
  EXPECT_EQ(why(good), "");
  const std::string none = "no base64url of an object";
  const std::string rest = good.substr(1);
  EXPECT_THAT(why(R"({"sub":"root",)" + rest), HasSubstr(none));
  EXPECT_THAT(why(R"({"s\u0075b":"root",)" + rest), HasSubstr(none));
  EXPECT_THAT(why(R"({"x":{"a":1,"a":2},)" + rest), HasSubstr(none));
  EXPECT_EQ(why(R"({"x":[{"a":1},{"a":2}],"a":3,)" + rest), "");
  EXPECT_THAT(why(R"({"x":)" + std::string(9, '[') + std::string(9, ']') + "," + rest),
              HasSubstr(none));
  EXPECT_EQ(why(R"({"x":)" + std::string(7, '[') + std::string(7, ']') + "," + rest), "");
  for (const std::string& text : {std::string("[]"), std::string("null"), std::string(), good + "x",
                                  good.substr(1), std::string("{\"a\":\"\xff\"}")}) {
    EXPECT_THAT(why(text), HasSubstr(none)) << text;
  }
  EXPECT_THAT(Why(Ec().SignText(R"({"kid":"ec",)" + header.substr(1), good)), HasSubstr("header"));
  EXPECT_THAT(why(ClaimsWith("x", std::string(13'000, 'x')).dump()), HasSubstr("16 KiB"));
  EXPECT_NE(Why(std::string(kWebTokenBytesMax, '[')), "");
}

TEST_F(TokenIssuerTest, AWebTokenIsNoSharedAccessSignature) {
  EXPECT_TRUE(TokenIssuer::IsWebToken(Ec().Sign(Header("ec", "ES256"), Claims())));
  for (const char* text :
       {"", "a.b", "a.b.c.d", "sr=sb%3A%2F%2Fa.b.c&sig=x", "SharedAccessSignature sr=a.b.c"}) {
    EXPECT_FALSE(TokenIssuer::IsWebToken(text)) << text;
  }
}

TEST_F(TokenIssuerTest, AKeyFitsItsAlgorithmAndIsStrong) {
  const auto why = [this](TokenAlgorithm algorithm, const std::string& content) {
    return TokenIssuer::Make(terms_, {{"k", algorithm, content}}).status().message();
  };
  EXPECT_THAT(why(TokenAlgorithm::kRs256, Ec().PublicText()), HasSubstr("'k': RS256 takes"));
  EXPECT_THAT(why(TokenAlgorithm::kRs256, WebSigner::NewRsa(1024).PublicText()),
              HasSubstr("2048 bits"));
  EXPECT_THAT(why(TokenAlgorithm::kEs256, Rsa().PublicText()), HasSubstr("P-256"));
  EXPECT_THAT(why(TokenAlgorithm::kEs256, WebSigner::NewEc("P-384").PublicText()),
              HasSubstr("P-256"));
  EXPECT_THAT(why(TokenAlgorithm::kEs256, "nonsense"), HasSubstr("no public key in PEM"));
  EXPECT_THAT(why(TokenAlgorithm::kHs256, std::string(31, 'x')), HasSubstr("32 bytes"));
  EXPECT_THAT(TokenIssuer::Make(terms_, {Keys()[0], Keys()[0]}).status().message(),
              HasSubstr("two keys have the id 'rsa'"));
}

TEST_F(TokenIssuerTest, WhereAKeyIsHasThreeParts) {
  const Result<TokenKeyPlace> place = TokenKeyPlace::Parse("2026:ES256:/etc/a:b.pem");
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->id, "2026");
  EXPECT_EQ(place->algorithm, TokenAlgorithm::kEs256);
  EXPECT_EQ(place->file, "/etc/a:b.pem");
  EXPECT_EQ(TokenKeyPlace::Parse(":HS256:s")->id, "");
  for (const char* text :
       {"", "a", "a:RS256", "a:RS256:", "RS256:/k", "a:none:/k", "a:HS512:/k", "a:rs256:/k"}) {
    EXPECT_FALSE(TokenKeyPlace::Parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace wharf::access
