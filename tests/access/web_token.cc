#include "tests/access/web_token.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "absl/strings/escaping.h"

namespace wharf::access {
namespace {

std::string Encode(const std::string& plain) { return absl::WebSafeBase64Escape(plain); }

std::string HmacOf(const std::string& secret, const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return {reinterpret_cast<const char*>(digest), size};
}

// The two numbers, as RFC 7518 has them.
std::string Raw(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(
      d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())), &ECDSA_SIG_free);
  std::string raw(64, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), out, 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), out + 32, 32);
  return raw;
}

}  // namespace

WebSigner WebSigner::NewRsa(unsigned bits) {
  WebSigner signer;
  signer.key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<std::size_t>(bits)),
                    &EVP_PKEY_free);
  return signer;
}

WebSigner WebSigner::NewEc(const char* curve) {
  WebSigner signer;
  signer.key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve), &EVP_PKEY_free);
  return signer;
}

WebSigner WebSigner::OfSecret(std::string secret) {
  WebSigner signer;
  signer.secret_ = std::move(secret);
  return signer;
}

std::string WebSigner::PublicText() const {
  if (key_ == nullptr) return secret_;
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_PUBKEY(out.get(), key_.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string WebSigner::Sign(const nlohmann::json& header, const nlohmann::json& claims) const {
  return SignText(header.dump(), claims.dump());
}

std::string WebSigner::SignText(const std::string& header, const std::string& claims) const {
  const std::string text = Encode(header) + '.' + Encode(claims);
  return text + '.' + Encode(Signature(text));
}

std::string WebSigner::Signature(const std::string& text) const {
  if (key_ == nullptr) return HmacOf(secret_, text);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get());
  EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
  std::string signature(size, '\0');
  EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                 text.size());
  signature.resize(size);
  return EVP_PKEY_is_a(key_.get(), "EC") == 1 ? Raw(signature) : signature;
}

}  // namespace wharf::access
