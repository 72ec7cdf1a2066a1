#include "broker/access/web_signature.h"

#include <array>
#include <utility>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

namespace wharf::access {
namespace {

constexpr std::size_t kSecretBytesMin = 32;
constexpr int kRsaBitsMin = 2048;
// Of P-256: the two numbers of a signature, of as many bytes each.
constexpr std::size_t kCurveBytes = 32;

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Status NoKey(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

std::shared_ptr<EVP_PKEY> ReadPublicKey(std::string_view pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  std::shared_ptr<EVP_PKEY> key(PEM_read_bio_PUBKEY(in.get(), nullptr, nullptr, nullptr),
                                &EVP_PKEY_free);
  ERR_clear_error();  // What others would else take for theirs.
  return key;
}

bool IsOfP256(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  std::size_t size = 0;
  return EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
         std::string_view(group.data(), size) == "prime256v1";
}

Status CheckPublicKey(TokenAlgorithm algorithm, const EVP_PKEY* key) {
  if (key == nullptr) return NoKey("it holds no public key in PEM");
  if (algorithm == TokenAlgorithm::kEs256) {
    return IsOfP256(key) ? Status() : NoKey("ES256 takes a key of the curve P-256");
  }
  const bool is_strong = EVP_PKEY_is_a(key, "RSA") == 1 && EVP_PKEY_get_bits(key) >= kRsaBitsMin;
  return is_strong ? Status() : NoKey("RS256 takes a key of RSA with 2048 bits or more");
}

// OpenSSL has the two numbers in DER; empty if it cannot.
std::string ToDer(std::string_view signature) {
  if (signature.size() != 2 * kCurveBytes) return {};
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(ECDSA_SIG_new(),
                                                                   &ECDSA_SIG_free);
  const auto number = [&](std::size_t at) {
    return BN_bin2bn(BytesOf(signature.substr(at, kCurveBytes)), kCurveBytes, nullptr);
  };
  // It owns them from here on.
  if (ECDSA_SIG_set0(pair.get(), number(0), number(kCurveBytes)) != 1) return {};
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return {};
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

}  // namespace

Result<WebSignatureKey> WebSignatureKey::Read(TokenAlgorithm algorithm, std::string_view text) {
  WebSignatureKey key;
  key.algorithm_ = algorithm;
  if (algorithm == TokenAlgorithm::kHs256) {
    if (text.size() < kSecretBytesMin) return NoKey("HS256 takes a secret of 32 bytes or more");
    key.secret_ = std::string(text);
    return key;
  }
  key.public_key_ = ReadPublicKey(text);
  WHARF_RETURN_IF_ERROR(CheckPublicKey(algorithm, key.public_key_.get()));
  return key;
}

bool WebSignatureKey::HasSigned(std::string_view text, std::string_view signature) const {
  if (algorithm_ == TokenAlgorithm::kRs256) return Verify(text, signature);
  if (algorithm_ == TokenAlgorithm::kEs256) {
    const std::string der = ToDer(signature);
    return !der.empty() && Verify(text, der);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const bool is_made = HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
                            BytesOf(text), text.size(), digest.data(), &size) != nullptr;
  return is_made && signature.size() == size &&
         CRYPTO_memcmp(digest.data(), signature.data(), size) == 0;
}

bool WebSignatureKey::Verify(std::string_view text, std::string_view signature) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  const bool is_good =
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, public_key_.get()) == 1 &&
      EVP_DigestVerify(context.get(), BytesOf(signature), signature.size(), BytesOf(text),
                       text.size()) == 1;
  ERR_clear_error();
  return is_good;
}

}  // namespace wharf::access
