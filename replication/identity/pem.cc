#include "replication/identity/pem.h"

#include <ctime>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace wharf {
namespace {

constexpr std::string_view kNodeUriPrefix = "wharf://node/";

using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Names = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;

Memory Looking(std::string_view text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

Memory Writing() { return {BIO_new(BIO_s_mem()), &BIO_free}; }

std::string TextOf(const Memory& memory) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

// A key with a password is none: nobody is there to be asked.
int NoPassword(char*, int, int, void*) { return 0; }

// Of a name that is a URI of a node; else empty.
std::string_view NodeNameOf(const GENERAL_NAME* name) {
  if (name->type != GEN_URI) return {};
  const ASN1_IA5STRING* const uri = name->d.uniformResourceIdentifier;
  std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                        static_cast<std::size_t>(ASN1_STRING_length(uri)));
  if (!text.starts_with(kNodeUriPrefix)) return {};
  text.remove_prefix(kNodeUriPrefix.size());
  return text;
}

}  // namespace

Certificate ParseCertificate(std::string_view pem) {
  Certificate certificate(PEM_read_bio_X509(Looking(pem).get(), nullptr, &NoPassword, nullptr),
                          &X509_free);
  ERR_clear_error();  // What others would else take for theirs.
  return certificate;
}

PrivateKey ParseKey(std::string_view pem) {
  PrivateKey key(PEM_read_bio_PrivateKey(Looking(pem).get(), nullptr, &NoPassword, nullptr),
                 &EVP_PKEY_free);
  ERR_clear_error();
  return key;
}

std::string ToPem(const X509* certificate) {
  const Memory memory = Writing();
  PEM_write_bio_X509(memory.get(), certificate);
  return TextOf(memory);
}

std::string ToPem(const EVP_PKEY* key) {
  const Memory memory = Writing();
  PEM_write_bio_PKCS8PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return TextOf(memory);
}

Timestamp EndOf(const X509* certificate) {
  std::tm time{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return {};
  return Timestamp(std::chrono::duration_cast<Duration>(std::chrono::seconds(timegm(&time))));
}

std::string NodeUri(std::string_view node_name) {
  return std::string(kNodeUriPrefix) + std::string(node_name);
}

std::string NodeNameIn(const X509* certificate) {
  const Names names(static_cast<GENERAL_NAMES*>(
                        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
                    &GENERAL_NAMES_free);
  std::string found;
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names.get());
  for (int i = 0; i < count; ++i) {
    const std::string_view name = NodeNameOf(sk_GENERAL_NAME_value(names.get(), i));
    if (name.empty()) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

}  // namespace wharf
