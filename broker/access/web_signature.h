// WebSignature: a key of an issuer of JSON web tokens, and whether it signed a text (RFC 7518).
// Immutable; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/evp.h>

#include "broker/access/token_issuer.h"
#include "storage/base/status.h"

namespace wharf::access {

class WebSignatureKey {
 public:
  // ArgumentError if the text is no key for the algorithm: PEM of a public key of RSA with 2048
  // bits or more, or of the curve P-256; or a secret of 32 bytes or more.
  static Result<WebSignatureKey> Read(TokenAlgorithm algorithm, std::string_view text);

  TokenAlgorithm algorithm() const { return algorithm_; }

  // Takes as long if not, where the key is a secret.
  bool HasSigned(std::string_view text, std::string_view signature) const;

 private:
  bool Verify(std::string_view text, std::string_view signature) const;

  TokenAlgorithm algorithm_ = TokenAlgorithm::kHs256;
  std::string secret_;
  std::shared_ptr<EVP_PKEY> public_key_;
};

}  // namespace wharf::access
