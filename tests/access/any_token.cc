#include "tests/access/any_token.h"

#include <cstdlib>
#include <memory>

#include "broker/access/connection_string.h"
#include "broker/access/guard.h"
#include "broker/access/proof.h"
#include "broker/access/resource.h"
#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

void Must(bool holds) {
  if (!holds) std::abort();
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
  TryConnectionString(text);
}

}  // namespace wharf::access
