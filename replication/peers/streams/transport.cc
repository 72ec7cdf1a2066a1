#include "replication/peers/streams/transport.h"

#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <fmt/core.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>
#include <openssl/x509.h>

namespace wharf {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// What is lost is said again after equal pauses, and not after doubled ones: through a network that
// is there for moments only those would miss most of the moments.
using LinearTimeouts = asio::detail::socket_option::boolean<IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS>;

std::string ExplainPlain(const error_code& error) {
  const bool is_end = error == asio::error::eof || error == asio::ssl::error::stream_truncated ||
                      error == asio::error::connection_reset;
  return is_end ? "it closed the connection" : error.message();
}

// An alert by which the other end says that it does not believe our certificate.
bool IsAboutOurCertificate(int reason) {
  switch (reason) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

bool IsNoTls(int reason) {
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
         reason == SSL_R_HTTPS_PROXY_REQUEST || reason == SSL_R_PACKET_LENGTH_TOO_LONG;
}

std::string ExplainTls(const error_code& error, const SSL* connection) {
  if (error.category() != asio::error::get_ssl_category()) return ExplainPlain(error);
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  const long verified = SSL_get_verify_result(connection);
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
    return fmt::format("its certificate is not believed: {}",
                       X509_verify_cert_error_string(verified));
  }
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) return "it showed no certificate";
  const char* const text = ERR_reason_error_string(static_cast<unsigned long>(error.value()));
  const std::string named = text == nullptr ? error.message() : text;
  if (IsAboutOurCertificate(reason)) {
    return fmt::format("it does not believe our certificate: {}", named);
  }
  if (IsNoTls(reason)) return "it does not speak TLS, as peers with certificates do";
  return fmt::format("TLS failed: {}", named);
}

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(tcp::socket socket) : socket_(std::move(socket)) {}

  // Called back later, as the other one does.
  void Begin(End /*end*/, std::function<void(Status)> done) override {
    asio::post(socket_.get_executor(), [done = std::move(done)] { done({}); });
  }
  void Read(asio::mutable_buffer into, Done done) override {
    socket_.async_read_some(into, std::move(done));
  }
  void Write(asio::const_buffer bytes, Done done) override {
    asio::async_write(socket_, bytes, std::move(done));
  }
  void EndWriting() override {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
  }
  void ReadAway(asio::mutable_buffer into, Done done) override { Read(into, std::move(done)); }
  void Close() override {
    error_code ignored;
    socket_.close(ignored);
  }
  std::string Explain(const error_code& error) override { return ExplainPlain(error); }
  ProvenName proven_name() override { return std::nullopt; }

 private:
  tcp::socket socket_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(tcp::socket socket, std::shared_ptr<const PeerCertificates::Content> certificates)
      : certificates_(std::move(certificates)),
        stream_(std::move(socket), *certificates_->context) {}

  void Begin(End end, std::function<void(Status)> done) override {
    const auto role =
        end == End::kDialler ? asio::ssl::stream_base::client : asio::ssl::stream_base::server;
    stream_.async_handshake(role, [this, done = std::move(done)](const error_code& error) {
      if (!error) return done({});
      done({ErrorCode::kUnauthorized, Explain(error)});
    });
  }
  void Read(asio::mutable_buffer into, Done done) override {
    stream_.async_read_some(into, std::move(done));
  }
  void Write(asio::const_buffer bytes, Done done) override {
    asio::async_write(stream_, bytes, std::move(done));
  }
  // Frames say where the stream ends; an end that TLS confirms would tell nothing more.
  void EndWriting() override {
    error_code ignored;
    stream_.next_layer().shutdown(tcp::socket::shutdown_send, ignored);
  }
  void ReadAway(asio::mutable_buffer into, Done done) override {
    stream_.next_layer().async_read_some(into, std::move(done));
  }
  void Close() override {
    error_code ignored;
    stream_.next_layer().close(ignored);
  }
  std::string Explain(const error_code& error) override {
    return ExplainTls(error, stream_.native_handle());
  }
  ProvenName proven_name() override {
    const X509* const certificate = SSL_get0_peer_certificate(stream_.native_handle());
    const bool is_believed =
        certificate != nullptr && SSL_get_verify_result(stream_.native_handle()) == X509_V_OK;
    return is_believed ? NodeNameIn(certificate) : "";
  }

 private:
  // What is spoken with stays, whatever is read from the files meanwhile.
  const std::shared_ptr<const PeerCertificates::Content> certificates_;
  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Transport> MakeTransport(
    tcp::socket socket, std::shared_ptr<const PeerCertificates::Content> certificates) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(LinearTimeouts(true), ignored);
  if (certificates == nullptr) return std::make_unique<PlainTransport>(std::move(socket));
  return std::make_unique<TlsTransport>(std::move(socket), std::move(certificates));
}

}  // namespace wharf
