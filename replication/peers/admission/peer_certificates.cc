#include "replication/peers/admission/peer_certificates.h"

#include <utility>

#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "replication/identity/durable_file.h"

namespace wharf {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr std::size_t kFileBytesMax = 1 << 20;

struct Texts {
  std::string authority;
  std::string certificate;
  std::string key;
};

Status Wrong(const std::string& file, const std::string& why) {
  return {ErrorCode::kArgumentError, fmt::format("{}: {}", file, why)};
}

Status ReadInto(const std::string& path, std::string& text) {
  if (path.empty()) {
    return {ErrorCode::kArgumentError,
            "peers need three files: an authority, a certificate and its key"};
  }
  Result<std::optional<std::string>> content = ReadSmallFile(path, kFileBytesMax);
  if (!content.ok()) return content.status();
  if (!*content) return Wrong(path, "there is no such file");
  text = **std::move(content);
  return {};
}

Result<Texts> ReadTexts(const PeerCredentials& files) {
  Texts texts;
  WHARF_RETURN_IF_ERROR(ReadInto(files.authority, texts.authority));
  WHARF_RETURN_IF_ERROR(ReadInto(files.certificate, texts.certificate));
  WHARF_RETURN_IF_ERROR(ReadInto(files.key, texts.key));
  return texts;
}

// A stream is proven anew each time: nothing of an earlier one is taken up again.
void Harden(SSL_CTX* native) {
  SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_default_passwd_cb(native, [](char*, int, int, void*) { return 0; });
}

// The context finds out whether it fits together.
Status Fill(ssl::context& context, const PeerCredentials& files, const Texts& texts) {
  error_code error;
  context.use_certificate_chain(boost::asio::buffer(texts.certificate), error);
  if (error) return Wrong(files.certificate, "it holds no certificate in PEM");
  context.use_private_key(boost::asio::buffer(texts.key), ssl::context::pem, error);
  if (error) {
    return Wrong(files.key, fmt::format("it holds no private key in PEM without a password, or "
                                        "not that of {}",
                                        files.certificate));
  }
  context.add_certificate_authority(boost::asio::buffer(texts.authority), error);
  if (error) return Wrong(files.authority, "it holds no certificate in PEM");
  return {};
}

// As a peer would.
Status CheckOwn(SSL_CTX* native, const PeerCredentials& files, const std::string& node_name) {
  X509* const own = SSL_CTX_get0_certificate(native);
  const std::string name = NodeNameIn(own);
  if (name != node_name) {
    return Wrong(
        files.certificate,
        name.empty()
            ? fmt::format("it names no node; this one needs {}", NodeUri(node_name))
            : fmt::format("it is the certificate of node {}, this is {}", name, node_name));
  }
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check(X509_STORE_CTX_new(),
                                                                              &X509_STORE_CTX_free);
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(native, &chain);
  X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(native), own, chain);
  if (X509_verify_cert(check.get()) == 1) return {};
  return Wrong(files.certificate,
               fmt::format("peers that know {} would not believe it: {}", files.authority,
                           X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()))));
}

void WarnIfOthersRead(const std::string& key) {
  struct stat about {};
  if (stat(key.c_str(), &about) != 0 || (about.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  spdlog::warn("others can read the key {}: its mode is {:o}; chmod 600 makes it private", key,
               about.st_mode & 0777U);
}

}  // namespace

PeerCertificates::PeerCertificates(PeerCredentials files, std::string node_name, Marks marks,
                                   std::shared_ptr<const Content> content)
    : files_(std::move(files)),
      node_name_(std::move(node_name)),
      read_marks_(marks),
      seen_marks_(std::move(marks)),
      content_(std::move(content)) {}

Result<std::shared_ptr<PeerCertificates>> PeerCertificates::Load(const PeerCredentials& files,
                                                                 const std::string& node_name) {
  Marks marks = MarksOf(files);
  Result<std::shared_ptr<const Content>> content = Read(files, node_name);
  if (!content.ok()) return content.status();
  WarnIfOthersRead(files.key);
  return std::shared_ptr<PeerCertificates>(
      new PeerCertificates(files, node_name, std::move(marks), *std::move(content)));
}

Result<std::shared_ptr<const PeerCertificates::Content>> PeerCertificates::Read(
    const PeerCredentials& files, const std::string& node_name) {
  const Result<Texts> texts = ReadTexts(files);
  if (!texts.ok()) return texts.status();
  auto content = std::make_shared<Content>();
  content->context = std::make_shared<ssl::context>(ssl::context::tlsv13);
  SSL_CTX* const native = content->context->native_handle();
  Harden(native);
  Status checked = Fill(*content->context, files, *texts);
  if (checked.ok()) checked = CheckOwn(native, files, node_name);
  ERR_clear_error();  // What others would else take for theirs.
  WHARF_RETURN_IF_ERROR(checked);
  content->ends_at = EndOf(SSL_CTX_get0_certificate(native));
  return std::shared_ptr<const Content>(std::move(content));
}

std::shared_ptr<const PeerCertificates::Content> PeerCertificates::content() const {
  MutexLock lock(mutex_);
  return content_;
}

PeerCertificates::Marks PeerCertificates::MarksOf(const PeerCredentials& files) {
  Marks marks;
  for (const std::string& path : {files.authority, files.certificate, files.key}) {
    struct stat about {};
    const bool is_there = stat(path.c_str(), &about) == 0;
    marks += is_there ? fmt::format("{} {} {} {}.{};", about.st_dev, about.st_ino, about.st_size,
                                    about.st_mtim.tv_sec, about.st_mtim.tv_nsec)
                      : ";";
  }
  return marks;
}

void PeerCertificates::Look() {
  MutexLock lock(look_mutex_);
  Marks marks = MarksOf(files_);
  const bool has_settled = marks == seen_marks_;
  seen_marks_ = std::move(marks);
  if (has_settled && seen_marks_ != read_marks_) ReadAnew();
}

void PeerCertificates::Reload() {
  MutexLock lock(look_mutex_);
  ReadAnew();
}

void PeerCertificates::ReadAnew() {
  read_marks_ = seen_marks_ = MarksOf(files_);
  Result<std::shared_ptr<const Content>> content = Read(files_, node_name_);
  if (!content.ok()) {
    return spdlog::error("the certificates for peers stay as they were: {}",
                         content.status().message());
  }
  spdlog::info("certificates for peers are read from {}, for streams from now on",
               files_.certificate);
  MutexLock lock(mutex_);
  content_ = *std::move(content);
}

}  // namespace wharf
