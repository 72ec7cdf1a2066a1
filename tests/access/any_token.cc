#include "tests/access/any_token.h"

#include <cstdlib>
#include <memory>

#include "broker/access/access_rule.h"
#include "broker/access/connection_string.h"
#include "broker/access/guard.h"
#include "broker/access/proof.h"
#include "broker/access/resource.h"
#include "broker/access/token_issuer.h"
#include "tests/access/sample_rules.h"
#include "tests/access/web_token.h"

namespace wharf::access {
namespace {

void Must(bool holds) {
  if (!holds) std::abort();
}

const std::string kWebSecret(32, 's');

// As it is, and signed: so what stands behind the signature is read, too.
void TryWebToken(std::string_view text) {
  static const TokenIssuerPtr issuer = *TokenIssuer::Make(
      {.issuer = "i", .audience = "a"}, {{"", TokenAlgorithm::kHs256, kWebSecret}});
  const auto try_one = [](std::string_view token) {
    const Result<TokenIssuer::Statement> said = issuer->Read(token, kSampleNow);
    if (said.ok()) return Must(said->until > kSampleNow && said->client.size() > 6);
    Must(said.status().code() == ErrorCode::kUnauthorized && said.status().message().size() < 512);
  };
  try_one(text);
  const WebSigner signer = WebSigner::OfSecret(kWebSecret);
  try_one(signer.SignText(R"({"alg":"HS256"})", std::string(text)));
  try_one(signer.SignText(std::string(text), R"({"exp":1})"));
}

void TryConnectionString(std::string_view text) {
  const Result<ConnectionString> parsed = ParseConnectionString(text);
  if (!parsed.ok()) return Must(parsed.status().code() == ErrorCode::kArgumentError);
  Must(*ParseConnectionString(ToString(*parsed)) == *parsed);
}

}  // namespace

void TryAnyToken(std::string_view text) {
  static Guard guard(
      std::make_shared<const Book>(Book()
                                       .With("", SampleRule("root", Right::kManage))
                                       .With("q", SampleRule("reader", Right::kListen))),
      [] { return kSampleNow; });
  TryWebToken(text);
  const Result<PermitPtr> permit = guard.Prove(text);
  if (permit.ok()) {
    // Only who knows a key gets here; the samples of the corpus do.
    Must(Covers((*permit)->path, (*permit)->resource));
    Must((*permit)->until > kSampleNow);
    Must(guard.Check(*permit).ok());
  } else {
    Must(permit.status().code() == ErrorCode::kUnauthorized);
    Must(permit.status().message().size() < 512);
  }
  Must(ClaimedRule(text).size() <= kAccessRuleNameMax);
  TryConnectionString(text);
}

}  // namespace wharf::access
