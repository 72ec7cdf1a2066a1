// Keys and JSON web tokens that tests make.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "broker/access/token_issuer.h"

namespace wharf::access {

// Signs tokens as an issuer does.
class WebSigner {
 public:
  static WebSigner NewRsa(unsigned bits = 2048);
  static WebSigner NewEc(const char* curve = "P-256");
  static WebSigner OfSecret(std::string secret);

  // PEM, or the secret.
  std::string PublicText() const;
  // Of its own algorithm, whatever the header says.
  std::string Sign(const nlohmann::json& header, const nlohmann::json& claims) const;
  std::string SignText(const std::string& header, const std::string& claims) const;

 private:
  std::string Signature(const std::string& text) const;

  std::string secret_;
  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace wharf::access
