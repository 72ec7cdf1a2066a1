#include "replication/identity/peer_authority.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "replication/identity/durable_file.h"
#include "replication/identity/node_identity.h"

namespace wharf {
namespace {

constexpr std::size_t kPemBytesMax = 64 << 10;
constexpr mode_t kMode = 0600;
// A clock that is a little behind must not find a certificate too young.
constexpr Duration kClockSlack = std::chrono::hours(1);

using Extension = std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)>;

Status Failure(std::string_view what) {
  char why[256] = "no reason given";
  if (const unsigned long error = ERR_get_error()) ERR_error_string_n(error, why, sizeof(why));
  ERR_clear_error();
  return {ErrorCode::kGeneralError, fmt::format("OpenSSL cannot make {}: {}", what, why)};
}

PrivateKey MakeKey() { return {EVP_EC_gen("P-256"), &EVP_PKEY_free}; }

bool SetTime(ASN1_TIME* field, Timestamp time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch());
  return ASN1_TIME_set(field, seconds.count()) != nullptr;
}

// 127 random bits: no two certificates of an authority have the same.
bool SetSerial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return false;
  bytes[0] &= 0x7F;
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_bin2bn(bytes, sizeof(bytes), nullptr),
                                                           &BN_free);
  return number != nullptr &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetSubject(X509* certificate, const std::string& name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()),
                            &X509_EXTENSION_free);
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// All but its extensions and its signature.
Certificate Draft(const std::string& subject, EVP_PKEY* key, const Validity& validity) {
  Certificate certificate(X509_new(), &X509_free);
  const bool is_made = certificate != nullptr &&
                       X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                       SetSerial(certificate.get()) && SetSubject(certificate.get(), subject) &&
                       SetTime(X509_getm_notBefore(certificate.get()), validity.begins_at) &&
                       SetTime(X509_getm_notAfter(certificate.get()), validity.ends_at) &&
                       X509_set_pubkey(certificate.get(), key) == 1;
  if (!is_made) certificate.reset();
  return certificate;
}

bool Sign(X509* certificate, EVP_PKEY* key) {
  return X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string AlternativeNames(const std::string& node_name,
                             const std::vector<std::string>& addresses) {
  std::string names = "URI:" + NodeUri(node_name);
  for (const std::string& address : addresses) {
    boost::system::error_code no_address;
    boost::asio::ip::make_address(address, no_address);
    names += (no_address ? ",DNS:" : ",IP:") + address;
  }
  return names;
}

// Each becomes a part of a list that has commas and colons of its own.
Status CheckAddresses(const std::vector<std::string>& addresses) {
  for (const std::string& address : addresses) {
    const bool is_plain =
        !address.empty() && address.find_first_of(", \t\n\"=;@") == std::string::npos;
    boost::system::error_code no_address;
    boost::asio::ip::make_address(address, no_address);
    const bool has_port = no_address && address.find(':') != std::string::npos;
    if (is_plain && !has_port) continue;
    return {ErrorCode::kArgumentError,
            fmt::format("\"{}\" is neither a host nor an IP address; leave out the port", address)};
  }
  return {};
}

bool AddAuthorityExtensions(X509* certificate) {
  return AddExtension(certificate, certificate, NID_basic_constraints,
                      "critical,CA:TRUE,pathlen:0") &&
         AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign") &&
         AddExtension(certificate, certificate, NID_subject_key_identifier, "hash");
}

bool AddNodeExtensions(X509* certificate, X509* authority, const std::string& names) {
  return AddExtension(certificate, authority, NID_basic_constraints, "critical,CA:FALSE") &&
         AddExtension(certificate, authority, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(certificate, authority, NID_ext_key_usage, "serverAuth,clientAuth") &&
         AddExtension(certificate, authority, NID_authority_key_identifier, "keyid") &&
         AddExtension(certificate, authority, NID_subject_alt_name, names);
}

Status CheckAuthority(const Certificate& certificate, const PrivateKey& key) {
  const bool fits = certificate != nullptr && key != nullptr &&
                    X509_check_private_key(certificate.get(), key.get()) == 1 &&
                    X509_check_ca(certificate.get()) != 0;
  ERR_clear_error();
  if (fits) return {};
  return {ErrorCode::kArgumentError,
          "the authority's certificate and its key cannot be read, do not fit, or are a node's"};
}

std::string AuthorityPath(const std::string& folder, std::string_view ending) {
  return fmt::format("{}/peer-ca.{}", folder, ending);
}

Result<std::string> ReadPem(const std::string& path) {
  Result<std::optional<std::string>> text = ReadSmallFile(path, kPemBytesMax);
  if (!text.ok()) return text.status();
  if (*text) return **std::move(text);
  return Status(ErrorCode::kGeneralError,
                fmt::format("there is no {}; make the cluster's authority first", path));
}

Status MakeFolder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return {ErrorCode::kGeneralError,
          fmt::format("cannot make {}: {}", folder, std::strerror(errno))};
}

// The key first: a certificate without its key is of no use, and a key alone is not taken for
// something that is finished.
Status WritePair(const std::string& key_path, const std::string& certificate_path,
                 const PemPair& pair) {
  WHARF_RETURN_IF_ERROR(WriteDurably(key_path, pair.key, kMode));
  return WriteDurably(certificate_path, pair.certificate, kMode);
}

Validity ValidFor(Duration life, Clock& clock) {
  const Timestamp now = clock.Now();
  return {.begins_at = now - kClockSlack, .ends_at = After(now, life)};
}

}  // namespace

Result<PemPair> MakeAuthority(const Validity& validity) {
  const PrivateKey key = MakeKey();
  if (key == nullptr) return Failure("a key");
  const Certificate certificate = Draft("wharf peers", key.get(), validity);
  const bool is_made =
      certificate != nullptr &&
      X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get())) == 1 &&
      AddAuthorityExtensions(certificate.get()) && Sign(certificate.get(), key.get());
  if (!is_made) return Failure("the certificate of an authority");
  return PemPair{.certificate = ToPem(certificate.get()), .key = ToPem(key.get())};
}

Result<PemPair> SignNode(const PemPair& authority, const std::string& node_name,
                         const std::vector<std::string>& addresses, const Validity& validity) {
  WHARF_RETURN_IF_ERROR(CheckNodeName(node_name));
  WHARF_RETURN_IF_ERROR(CheckAddresses(addresses));
  const Certificate issuer = ParseCertificate(authority.certificate);
  const PrivateKey issuer_key = ParseKey(authority.key);
  WHARF_RETURN_IF_ERROR(CheckAuthority(issuer, issuer_key));
  const PrivateKey key = MakeKey();
  if (key == nullptr) return Failure("a key");
  // It would be worth nothing behind the end of who signed it.
  const Validity bounded{.begins_at = validity.begins_at,
                         .ends_at = std::min(validity.ends_at, EndOf(issuer.get()))};
  const Certificate certificate = Draft(node_name, key.get(), bounded);
  const bool is_made =
      certificate != nullptr &&
      X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get())) == 1 &&
      AddNodeExtensions(certificate.get(), issuer.get(), AlternativeNames(node_name, addresses)) &&
      Sign(certificate.get(), issuer_key.get());
  if (!is_made) return Failure("the certificate of " + node_name);
  return PemPair{.certificate = ToPem(certificate.get()), .key = ToPem(key.get())};
}

PeerAuthority::PeerAuthority(std::string folder, PemPair own, Clock& clock)
    : folder_(std::move(folder)), own_(std::move(own)), clock_(clock) {}

Result<PeerAuthority> PeerAuthority::Make(const std::string& folder, Clock& clock) {
  WHARF_RETURN_IF_ERROR(MakeFolder(folder));
  const std::string path = AuthorityPath(folder, "pem");
  const Result<std::optional<std::string>> there = ReadSmallFile(path, kPemBytesMax);
  if (!there.ok()) return there.status();
  if (*there) {
    return Status(ErrorCode::kInvalidOperation,
                  fmt::format("there is an authority in {} already; what it signed would be worth "
                              "nothing under another one",
                              folder));
  }
  Result<PemPair> own = MakeAuthority(ValidFor(kAuthorityLife, clock));
  if (!own.ok()) return own.status();
  WHARF_RETURN_IF_ERROR(WritePair(AuthorityPath(folder, "key"), path, *own));
  return PeerAuthority(folder, *std::move(own), clock);
}

Result<PeerAuthority> PeerAuthority::Open(const std::string& folder, Clock& clock) {
  Result<std::string> certificate = ReadPem(AuthorityPath(folder, "pem"));
  if (!certificate.ok()) return certificate.status();
  Result<std::string> key = ReadPem(AuthorityPath(folder, "key"));
  if (!key.ok()) return key.status();
  return PeerAuthority(folder, {.certificate = *std::move(certificate), .key = *std::move(key)},
                       clock);
}

Result<PeerCredentials> PeerAuthority::IssueCertificate(const std::string& node_name,
                                                        const std::vector<std::string>& addresses) {
  if (node_name == "peer-ca") {
    return Status(ErrorCode::kArgumentError,
                  "a node cannot be named peer-ca: the authority's files are");
  }
  const Result<PemPair> pair = SignNode(own_, node_name, addresses, ValidFor(kNodeLife, clock_));
  if (!pair.ok()) return pair.status();
  PeerCredentials files{.authority = AuthorityPath(folder_, "pem"),
                        .certificate = fmt::format("{}/{}.pem", folder_, node_name),
                        .key = fmt::format("{}/{}.key", folder_, node_name)};
  WHARF_RETURN_IF_ERROR(WritePair(files.key, files.certificate, *pair));
  return files;
}

}  // namespace wharf
