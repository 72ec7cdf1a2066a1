// Pem: certificates and keys in OpenSSL's hands, and the way there and back as text.
//
// Used where certificates are made and where peers prove themselves; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using PrivateKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// A certificate and its key, as files hold them.
struct PemPair {
  std::string certificate{};
  std::string key{};
};

// Empty if the text holds none; of several the first.
Certificate ParseCertificate(std::string_view pem);
PrivateKey ParseKey(std::string_view pem);
std::string ToPem(const X509* certificate);
std::string ToPem(const EVP_PKEY* key);

// When it ends, to the second; the beginning of all time if it does not say so.
Timestamp EndOf(const X509* certificate);

// What a certificate says of the node whose it is, as an alternative name: a URI, because names of
// hosts stand in certificates of clients and of their servers, too.
std::string NodeUri(std::string_view node_name);
// The name in the one such URI; empty if there is none, or more than one.
std::string NodeNameIn(const X509* certificate);

}  // namespace wharf
