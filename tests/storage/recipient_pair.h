// Somebody: whoever something is encrypted to: a certificate and its private key, made for a test.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "storage/sealed/recipient.h"
#include "tests/storage/temp_folder.h"

namespace wharf {

struct RecipientPair {
  // Both in PEM.
  std::string certificate{};
  std::string key{};
};

// Signed by itself. Null: of a key on P-256, which is made fast.
inline RecipientPair MakeRecipientPair(const std::string& name, EVP_PKEY* given = nullptr) {
  const auto text_of = [](auto write) {
    const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new(BIO_s_mem()), BIO_free_all);
    write(bio.get());
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(bio.get(), &bytes);
    return std::string(bytes, static_cast<std::size_t>(size));
  };
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      given == nullptr ? EVP_EC_gen("P-256") : given, EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  if (!name.empty())
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  const bool is_edwards = EVP_PKEY_is_a(key.get(), "ED25519") == 1;
  X509_sign(certificate.get(), key.get(), is_edwards ? nullptr : EVP_sha256());
  return {text_of([&](BIO* bio) { PEM_write_bio_X509(bio, certificate.get()); }),
          text_of([&](BIO* bio) {
            PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

class Somebody {
 public:
  explicit Somebody(const std::string& name, EVP_PKEY* key = nullptr)
      : pair_(MakeRecipientPair(name, key)) {
    std::ofstream(key_path()) << pair_.key;
  }

  const RecipientPair& pair() const { return pair_; }
  std::string key_path() const { return temp_.path() + "/key"; }
  Recipient recipient() const { return Recipient::Parse(pair_.certificate, "it").value(); }
  RecipientKey key() const { return RecipientKey::Read(key_path()).value(); }
  RecipientKeys keys() const { return {key()}; }

 private:
  TempFolder temp_;
  RecipientPair pair_;
};

}  // namespace wharf
