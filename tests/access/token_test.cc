#include "broker/access/token.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

// Made with Python's hmac, hashlib and urllib, from the recipe of Service Bus.
constexpr char kFromPython[] =
    "SharedAccessSignature sr=sb%3A%2F%2Fexample.servicebus.windows.net%2Forders"
    "&sig=FtWcaWVWHW5ai53ahoV1VsE75o0FPUbM2fejm2YNseE%3D&se=1700003600&skn=reader";

// SEC-4
TEST(TokenTest, IsTakenApart) {
  const std::string text = MakeToken("sb://Host:5671/Orders/", "Reader", kKeyOne, kSampleLater);

  const Result<Token> token = ParseToken(text);

  ASSERT_TRUE(token.ok()) << token.status().message();
  EXPECT_EQ(token->resource, "orders");
  EXPECT_EQ(token->rule, "reader");
  EXPECT_EQ(token->expires_at, kSampleLater);
  EXPECT_TRUE(IsSignedWith(*token, kKeyOne));
  EXPECT_FALSE(IsSignedWith(*token, kKeyTwo));
}

// SEC-5
TEST(TokenTest, TakesWhatOthersSign) {
  const Result<Token> token = ParseToken(kFromPython);

  ASSERT_TRUE(token.ok()) << token.status().message();
  EXPECT_TRUE(IsSignedWith(*token, kKeyOne));
  EXPECT_EQ(token->resource, "orders");
}

// SEC-5: the case of escapes in `sr` is the signer's.
TEST(TokenTest, SignsTheResourceAsItWasSent) {
  const std::string upper = MakeToken("https://h/q1?a=b", "r", kKeyOne, kSampleLater);
  std::string lower = upper;
  for (std::size_t at = 0; (at = lower.find("%3A", at)) != std::string::npos;) lower[at + 2] = 'a';

  ASSERT_NE(upper, lower);
  EXPECT_TRUE(IsSignedWith(*ParseToken(upper), kKeyOne));
  EXPECT_FALSE(IsSignedWith(*ParseToken(lower), kKeyOne));
  EXPECT_EQ(ParseToken(lower)->resource, "q1");
}

// SEC-5
TEST(TokenTest, EachDigitOfAnEscapeCounts) {
  const std::string text = MakeToken("sb://h/q", "r", kKeyOne, kSampleLater);
  const std::size_t begin = text.find("sr=") + 3;
  const auto resource = [&](std::string_view sr) {
    const std::string sent = text.substr(0, begin) + std::string(sr) + text.substr(text.find('&'));
    return ParseToken(sent)->resource;
  };

  EXPECT_EQ(resource("sb://h/%30%39%4a%4A%4f%6F%5a"), "09jjooz");
}

// SEC-4
TEST(TokenTest, FieldsStandInAnyOrder) {
  const std::string text = MakeToken("sb://h/q", "r", kKeyOne, kSampleLater);
  const std::size_t sig = text.find("&sig=");
  const std::size_t se = text.find("&se=");
  const std::string scheme = "SharedAccessSignature ";
  const std::string turned = scheme + text.substr(se + 1) + text.substr(sig, se - sig) + "&" +
                             text.substr(scheme.size(), sig - scheme.size());

  ASSERT_TRUE(ParseToken(turned).ok()) << turned;
  EXPECT_TRUE(IsSignedWith(*ParseToken(turned), kKeyOne));
}

TEST(TokenTest, FieldsThatMeanNothingArePassedOver) {
  const std::string text = MakeToken("sb://h/q", "r", kKeyOne, kSampleLater) + "&other=x";

  ASSERT_TRUE(ParseToken(text).ok());
  EXPECT_TRUE(IsSignedWith(*ParseToken(text), kKeyOne));
}

TEST(TokenTest, RefusesWhatIsNoToken) {
  const std::string good = MakeToken("sb://h/q", "r", kKeyOne, kSampleLater);
  const std::size_t sig = good.find("sig=");
  const std::size_t se = good.find("&se=");
  const std::string scheme = "SharedAccessSignature ";
  const std::vector<std::string> bad = {
      "",
      "SharedAccessSignature",
      scheme,
      scheme + "&&&&",
      "Bearer abc",
      "SharedAccessSignatures" + good.substr(scheme.size()),
      good + "&sr=x",
      good + "&se=1",
      good.substr(0, se),
      scheme + "sr=q&sig=%&se=1&skn=r",
      scheme + "sr=q&sig=%4&se=1&skn=r",
      scheme + "sr=%zz&sig=" + good.substr(sig + 4),
      scheme + "sr=q&sig=AAAA&se=1&skn=r",
      scheme + "sr=q&sig=&se=1&skn=r",
      good.substr(0, se) + "&se=&skn=r",
      good.substr(0, se) + "&se=-1&skn=r",
      good.substr(0, se) + "&se=1e9&skn=r",
      good.substr(0, se) + "&se= 1&skn=r",
      good.substr(0, se) + "&se=0x1&skn=r",
      good + std::string("\0", 1) + "x",
      std::string("\0\0\0", 3),
      std::string(std::size_t{1} << 20, 'a'),
      scheme + std::string(std::size_t{1} << 20, '&'),
      good + std::string(kTokenBytesMax, '%'),
  };
  for (const std::string& text : bad) {
    if (text == good + std::string("\0", 1) + "x") continue;  // It is the name of a rule.
    EXPECT_EQ(ParseToken(text).status().code(), ErrorCode::kUnauthorized) << text.substr(0, 200);
  }
}

// A time that nobody lives to see is no overflow.
TEST(TokenTest, AnyNumberIsATime) {
  for (const char* se :
       {"9223372036854", "9223372036855", "18446744073709551615", "99999999999999999999999999"}) {
    const std::string text = MakeToken("sb://h/q", "r", kKeyOne, kSampleLater);
    const std::size_t at = text.find("&se=");
    const Result<Token> token = ParseToken(text.substr(0, at) + "&se=" + se + "&skn=r");
    ASSERT_TRUE(token.ok()) << se;
    EXPECT_GT(token->expires_at, kSampleLater) << se;
  }
}

// Also of one that is no token otherwise: for the log of who is refused.
TEST(TokenTest, TheRuleThatIsClaimedIsReadAsFarAsItCanBe) {
  EXPECT_EQ(ClaimedRule(MakeToken("sb://h/q", "a/b", kKeyOne, kSampleLater)), "a/b");
  EXPECT_EQ(ClaimedRule("SharedAccessSignature skn=first&sr=&skn=second"), "first");
  EXPECT_EQ(ClaimedRule("skn=%zz"), "%zz");
  EXPECT_EQ(ClaimedRule("skn=" + std::string(300, 'x')), std::string(256, 'x'));
  for (const std::string& text : {std::string(), std::string("sr=q&sknx=r"), std::string("skn="),
                                  "skn=r&" + std::string(kTokenBytesMax, '&')}) {
    EXPECT_EQ(ClaimedRule(text), "") << text.substr(0, 40);
  }
}

TEST(TokenTest, AnEmptyKeySignsAndOpensNothingElse) {
  const Result<Token> token = ParseToken(MakeToken("sb://h/q", "r", "", kSampleLater));

  ASSERT_TRUE(token.ok());
  EXPECT_FALSE(IsSignedWith(*token, kKeyOne));
}

}  // namespace
}  // namespace wharf::access
