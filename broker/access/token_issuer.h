// TokenIssuer: whose JSON web tokens are believed, and what one of them says of its client (SEC-11;
// RFC 7515, RFC 7519).
//
//   token = base64url(header) "." base64url(claims) "." base64url(signature)
//
// RS256, ES256 and HS256. A key has one algorithm, and the header's `kid` chooses the key: so no
// token chooses what it is checked with. Keys come in as text; nothing here reads a file. A value
// that never changes. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/access/access_key.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::access {

// A longer one is refused unread.
inline constexpr std::size_t kWebTokenBytesMax = 16 * 1024;
// By which the clocks of two machines may differ.
inline constexpr Duration kWebTokenLeeway = std::chrono::seconds(60);

enum class TokenAlgorithm : std::uint8_t { kRs256, kEs256, kHs256 };

// Where a key is: [ id ] ":" ( "RS256" / "ES256" / "HS256" ) ":" file. Without an id it is for
// tokens that have no `kid`.
struct TokenKeyPlace {
  std::string id{};
  TokenAlgorithm algorithm = TokenAlgorithm::kRs256;
  std::string file{};

  // ArgumentError with a sentence that quotes nothing.
  static Result<TokenKeyPlace> Parse(std::string_view text);
};

class TokenIssuer {
 public:
  struct Key {
    std::string id{};
    TokenAlgorithm algorithm = TokenAlgorithm::kRs256;
    // PEM of a public key; of HS256 the secret itself.
    std::string content{};
  };
  // What its tokens must say, and which of their claims tells who the client is.
  struct Terms {
    std::string issuer{};
    std::string audience{};
    std::string claim = "sub";
  };
  struct Statement {
    // As client_rules.h calls it.
    std::string client{};
    // A print of what signed it, and of the terms under which it was read.
    KeyPrint voucher{};
    // With the leeway.
    Timestamp until = kNever;
  };

  // ArgumentError if a key is none, or one that is too weak; the sentence names it by its id.
  static Result<std::shared_ptr<const TokenIssuer>> Make(Terms terms, const std::vector<Key>& keys);
  ~TokenIssuer();

  // Whether it looks like one: then it is no other kind of token.
  static bool IsWebToken(std::string_view text);

  // Unauthorized with a sentence that says what is wrong with it.
  Result<Statement> Read(std::string_view token, Timestamp wall_now) const;
  // Whether a statement with this voucher would still be believed.
  bool Believes(const KeyPrint& voucher) const;

 private:
  struct KnownKey;

  TokenIssuer(Terms terms, std::vector<KnownKey> keys);
  const KnownKey* Find(std::string_view id) const;

  const Terms terms_;
  const std::vector<KnownKey> keys_;
};

using TokenIssuerPtr = std::shared_ptr<const TokenIssuer>;

}  // namespace wharf::access
