// ClientRules: which rule belongs to a client for whom somebody else vouches, by the name that this
// one gives it: the subject of a certificate, or a claim of a JSON web token.
//
//   client rule = ( "certificate:" subject / "claim:" value ) "->" [ entity "#" ] rule
//
// A subject is written as RFC 2253 says, in which '>' and ';' are escaped. Made of what the
// configuration says; a value that never changes. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/access/token_issuer.h"
#include "storage/base/status.h"

namespace wharf::access {

class ClientRules {
 public:
  struct Target {
    // What the rule belongs to (resource.h), and its folded name.
    std::string path{};
    std::string rule{};

    friend bool operator==(const Target&, const Target&) = default;
  };

  // ArgumentError with a sentence that quotes nothing; no two may be of one name.
  static Result<ClientRules> Parse(const std::vector<std::string>& texts);
  // Whether one of them is good by itself.
  static Status Check(std::string_view text);

  // By the name with its kind, as below. Null: it has no rule.
  const Target* Find(std::string_view name) const;

  // Whose JSON web tokens name clients. Null: nobody's.
  const TokenIssuer* issuer() const { return issuer_.get(); }
  void set_issuer(TokenIssuerPtr issuer) { issuer_ = std::move(issuer); }

 private:
  absl::flat_hash_map<std::string, Target> targets_;
  TokenIssuerPtr issuer_;
};

// How clients are called there.
std::string NameOfCertificate(std::string_view subject);
std::string NameOfClaim(std::string_view value);

}  // namespace wharf::access
