#include "broker/doors/common/certificates.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

#include <absl/strings/escaping.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

namespace wharf {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr std::size_t kFileBytesMax = 1 << 20;

// From then on an alert asks for a new one, too (deploy/alerts.yml).
constexpr Duration kEndsSoon = std::chrono::hours(14 * 24);

// Which of the files it is: who reads of a wrong one looks for the line that names it.
struct Pem {
  std::string_view key;
  const std::string& path;
};
Pem CertificateOf(const Certificates::Files& files) { return {"tls-cert", files.certificate}; }
Pem KeyOf(const Certificates::Files& files) { return {"tls-key", files.key}; }
Pem AuthorityOf(const Certificates::Files& files) {
  return {"tls-client-ca", files.client_authority};
}

std::string Shown(const std::string& path) { return absl::Utf8SafeCHexEscape(path); }

Status Wrong(const Pem& pem, const std::string& why) {
  return {ErrorCode::kArgumentError, fmt::format("{}: {}: {}", pem.key, Shown(pem.path), why)};
}

Result<std::string> ReadPem(const Pem& pem) {
  const std::string& path = pem.path;
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return Wrong(pem, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return Wrong(pem, "it is not a file");
  if (about.st_size > static_cast<off_t>(kFileBytesMax)) {
    return Wrong(pem, "it is larger than 1 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return Wrong(pem, std::strerror(errno));
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// Asked in a terminal otherwise.
int NoPassword(char*, int, int, void*) { return 0; }

Timestamp EndOf(SSL_CTX* context) {
  const X509* const certificate = SSL_CTX_get0_certificate(context);
  std::tm time{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) {
    return {};
  }
  return Timestamp(std::chrono::duration_cast<Duration>(std::chrono::seconds(timegm(&time))));
}

int VerifyModeOf(const Certificates::Files& files) {
  if (files.client_authority.empty()) return SSL_VERIFY_NONE;
  const bool is_required = files.wanted == ClientCertificate::kRequired;
  return SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0);
}

// What it found first; Asio has taken that from the queue, or says only where it stood.
std::string ReasonOf(const error_code& error) {
  const auto taken = static_cast<unsigned long>(error.value());
  const char* const reason =
      ERR_reason_error_string(ERR_GET_LIB(taken) != 0 ? taken : ERR_peek_error());
  return reason == nullptr ? error.message() : reason;
}

// `error`: why OpenSSL does not take it.
Status Unusable(const Pem& pem, const std::string& what, const error_code& error) {
  return Wrong(pem, fmt::format("it holds no {}: {}", what, ReasonOf(error)));
}

// A group may read it, as that of ssl-cert does where a distribution keeps certificates.
void WarnIfOthersRead(const std::string& key) {
  struct stat about {};
  if (stat(key.c_str(), &about) != 0 || (about.st_mode & S_IRWXO) == 0) return;
  spdlog::warn(
      "others can read the key of tls-key, {}: its mode is {:o}; chmod 640 makes it private",
      Shown(key), about.st_mode & 0777U);
}

// Only its clients notice otherwise, and each of them says only that it cannot connect.
void WarnOfEnd(const std::string& certificate, Timestamp ends_at) {
  const Duration left = ends_at - Timestamp(std::chrono::duration_cast<Duration>(
                                      std::chrono::system_clock::now().time_since_epoch()));
  if (left > kEndsSoon) return;
  const auto end = fmt::gmtime(
      std::chrono::duration_cast<std::chrono::seconds>(ends_at.time_since_epoch()).count());
  if (left <= Duration::zero()) {
    spdlog::warn("the certificate in {} has expired, at {:%Y-%m-%dT%H:%M:%SZ}: clients refuse it",
                 Shown(certificate), end);
  } else {
    spdlog::warn("the certificate in {} ends at {:%Y-%m-%dT%H:%M:%SZ}: clients refuse it then",
                 Shown(certificate), end);
  }
}

// Everything is put into a context, which finds out whether it fits together.
Status Fill(ssl::context& context, const Certificates::Files& files,
            const Certificates::Content& content) {
  SSL_CTX* const native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_default_passwd_cb(native, NoPassword);
  constexpr unsigned char kName[] = "wharf";
  SSL_CTX_set_session_id_context(native, kName, sizeof(kName) - 1);
  error_code error;
  context.use_certificate_chain(boost::asio::buffer(content.certificate), error);
  if (error) return Unusable(CertificateOf(files), "certificate in PEM that can be used", error);
  context.use_private_key(boost::asio::buffer(content.key), ssl::context::pem, error);
  if (error) {
    return Unusable(KeyOf(files),
                    fmt::format("private key in PEM without a password, or not that of {}",
                                Shown(files.certificate)),
                    error);
  }
  if (SSL_CTX_check_private_key(native) != 1) {
    return Wrong(KeyOf(files), "this is not the key of " + Shown(files.certificate));
  }
  if (!files.client_authority.empty()) {
    context.add_certificate_authority(boost::asio::buffer(content.client_authority), error);
    if (error) return Unusable(AuthorityOf(files), "certificate in PEM that can be used", error);
  }
  SSL_CTX_set_verify(native, VerifyModeOf(files), nullptr);
  return {};
}

}  // namespace

Certificates::Certificates(Files files, Marks marks, std::shared_ptr<const Content> content)
    : files_(std::move(files)),
      read_marks_(marks),
      seen_marks_(std::move(marks)),
      content_(std::move(content)) {}

Result<std::shared_ptr<Certificates>> Certificates::Load(const Files& files) {
  Marks marks = MarksOf(files);
  Result<std::shared_ptr<const Content>> content = Read(files);
  if (!content.ok()) return content.status();
  WarnIfOthersRead(files.key);
  WarnOfEnd(files.certificate, (*content)->ends_at);
  return std::shared_ptr<Certificates>(
      new Certificates(files, std::move(marks), *std::move(content)));
}

// As gRPC writes it.
std::string Certificates::SubjectOfPeer(const SSL* connection) {
  const X509* const certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return {};
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  if (X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) < 0) {
    return {};
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

Result<std::shared_ptr<const Certificates::Content>> Certificates::Read(const Files& files) {
  auto content = std::make_shared<Content>();
  const auto read = [](const Pem& pem, std::string& content_of_it) -> Status {
    if (pem.path.empty()) return {};
    Result<std::string> text = ReadPem(pem);
    if (!text.ok()) return text.status();
    content_of_it = *std::move(text);
    return {};
  };
  WHARF_RETURN_IF_ERROR(read(CertificateOf(files), content->certificate));
  WHARF_RETURN_IF_ERROR(read(KeyOf(files), content->key));
  WHARF_RETURN_IF_ERROR(read(AuthorityOf(files), content->client_authority));
  content->context = std::make_shared<ssl::context>(ssl::context::tls_server);
  const Status filled = Fill(*content->context, files, *content);
  ERR_clear_error();  // What others would else take for theirs.
  WHARF_RETURN_IF_ERROR(filled);
  content->ends_at = EndOf(content->context->native_handle());
  return std::shared_ptr<const Content>(std::move(content));
}

std::shared_ptr<const Certificates::Content> Certificates::content() const {
  MutexLock lock(mutex_);
  return content_;
}

Certificates::Marks Certificates::MarksOf(const Files& files) {
  Marks marks;
  for (const std::string& path : {files.certificate, files.key, files.client_authority}) {
    struct stat about {};
    const bool is_there = !path.empty() && stat(path.c_str(), &about) == 0;
    marks += is_there ? fmt::format("{} {} {} {}.{};", about.st_dev, about.st_ino, about.st_size,
                                    about.st_mtim.tv_sec, about.st_mtim.tv_nsec)
                      : ";";
  }
  return marks;
}

void Certificates::Look() {
  MutexLock lock(look_mutex_);
  Marks marks = MarksOf(files_);
  const bool has_settled = marks == seen_marks_;
  seen_marks_ = std::move(marks);
  if (has_settled && seen_marks_ != read_marks_) ReadAnew();
}

void Certificates::Reload() {
  MutexLock lock(look_mutex_);
  ReadAnew();
}

void Certificates::ReadAnew() {
  read_marks_ = seen_marks_ = MarksOf(files_);
  Result<std::shared_ptr<const Content>> content = Read(files_);
  if (!content.ok()) {
    return spdlog::error("the certificates stay as they were: {}", content.status().message());
  }
  spdlog::info("certificates are read from {}, for connections from now on",
               Shown(files_.certificate));
  WarnIfOthersRead(files_.key);
  WarnOfEnd(files_.certificate, (*content)->ends_at);
  MutexLock lock(mutex_);
  content_ = *std::move(content);
}

}  // namespace wharf
