#include "storage/sealed/recipient.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "storage/backup/sha256.h"
#include "storage/sealed/openssl_call.h"
#include "storage/sealed/sealed_stream.h"

namespace wharf {
namespace {

constexpr int kRsaBitsMin = 2048;
constexpr std::size_t kNameBytesMax = 256;

// One key has one, however its file writes the point and the curve.
std::string KeyIdOf(EVP_PKEY* given) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_PKEY_dup(given), EVP_PKEY_free);
  if (key == nullptr) return {};
  if (EVP_PKEY_is_a(key.get(), "EC") == 1) {
    EVP_PKEY_set_utf8_string_param(key.get(), OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
                                   "uncompressed");
    EVP_PKEY_set_utf8_string_param(key.get(), OSSL_PKEY_PARAM_EC_ENCODING, "named_curve");
  }
  unsigned char* bytes = nullptr;
  const int size = i2d_PUBKEY(key.get(), &bytes);
  if (size <= 0) return {};
  std::string id = Sha256Of({reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size)});
  OPENSSL_free(bytes);
  return id;
}

// In ASCII, whatever is in it.
std::string NameIn(X509* certificate) {
  const OpenSslPtr<BIO> text(BIO_new(BIO_s_mem()));
  if (X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) < 0) {
    return {};
  }
  std::string name(kNameBytesMax, '\0');
  const int size = BIO_read(text.get(), name.data(), static_cast<int>(name.size()));
  name.resize(static_cast<std::size_t>(std::max(size, 0)));
  return name;
}

// Of as many bits as are safe for years; what OpenSSL itself takes may be of any strength.
bool IsStrong(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") == 1) return EVP_PKEY_get_bits(key) >= kRsaBitsMin;
  std::array<char, 64> curve{};
  std::size_t size = 0;
  if (EVP_PKEY_is_a(key, "EC") != 1 ||
      EVP_PKEY_get_group_name(key, curve.data(), curve.size(), &size) != 1) {
    return false;
  }
  const std::string_view name(curve.data(), size);
  return name == "prime256v1" || name == "secp384r1" || name == "secp521r1";
}

// Nobody is asked: it may be text of a client, and who would answer is not there.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*is_written*/, void* /*given*/) { return -1; }

Status Refuse(const std::string& where, const std::string& why) {
  ERR_clear_error();
  return {ErrorCode::kArgumentError, fmt::format("{} {}", where, why)};
}

Result<std::string> ReadPem(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(Recipient::kPemBytesMax + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file && !file.eof()) return Refuse(path, "cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > Recipient::kPemBytesMax)
    return Refuse(path, "is no file in PEM: it is too long");
  return text;
}

}  // namespace

Result<Recipient> Recipient::Parse(std::string_view pem, const std::string& where) {
  if (pem.size() > kPemBytesMax) return Refuse(where, "is no certificate in PEM: it is too long");
  const OpenSslPtr<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Recipient recipient;
  recipient.certificate_ = std::shared_ptr<X509>(
      PEM_read_bio_X509(text.get(), nullptr, NoPassphrase, nullptr), X509_free);
  ERR_clear_error();
  if (!recipient.certificate_) {
    return Refuse(where, "is no certificate in PEM: one begins with -----BEGIN CERTIFICATE-----");
  }
  EVP_PKEY* const key = X509_get0_pubkey(recipient.certificate());
  if (key != nullptr) recipient.key_id_ = KeyIdOf(key);
  if (recipient.key_id_.empty() || !IsStrong(key) || !SealingStream::Begin(recipient).ok()) {
    return Refuse(where,
                  "is a certificate that nothing is encrypted to: it takes one of an RSA key of "
                  "2048 bits or more, or of a key on P-256, P-384 or P-521");
  }
  recipient.name_ = NameIn(recipient.certificate());
  ERR_clear_error();
  if (recipient.name_.empty()) recipient.name_ = "the key " + recipient.key_id_.substr(0, 16);
  return recipient;
}

Result<Recipient> Recipient::Read(const std::string& path) {
  const Result<std::string> pem = ReadPem(path);
  if (!pem.ok()) return pem.status();
  if (pem->find("PRIVATE KEY") != std::string::npos) {
    return Refuse(path,
                  "has a private key in it, which must not lie on this machine: name a file with "
                  "the certificate alone");
  }
  return Parse(*pem, path);
}

Result<RecipientKey> RecipientKey::Read(const std::string& path) {
  const Result<std::string> pem = ReadPem(path);
  if (!pem.ok()) return pem.status();
  const OpenSslPtr<BIO> text(BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size())));
  RecipientKey key;
  key.key_ = std::shared_ptr<EVP_PKEY>(
      PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  ERR_clear_error();
  if (key.key_) key.key_id_ = KeyIdOf(key.key());
  if (!key.key_ || key.key_id_.empty()) {
    return Refuse(path, "is no private key in PEM, or its passphrase is another one");
  }
  return key;
}

const RecipientKey* FindKey(const RecipientKeys& keys, std::string_view key_id) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const RecipientKey& key) { return key.key_id() == key_id; });
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace wharf
