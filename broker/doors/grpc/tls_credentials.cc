#include "broker/doors/grpc/tls_credentials.h"

#include <string>
#include <utility>

#include <grpc/grpc_security.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {
namespace {

grpc_ssl_client_certificate_request_type RequestOf(ClientCertificate wanted) {
  switch (wanted) {
    case ClientCertificate::kNone:
      return GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    case ClientCertificate::kOptional:
      return GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY;
    case ClientCertificate::kRequired:
      return GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  }
  return GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
}

class Reloading final : public grpc::ServerCredentials {
 public:
  explicit Reloading(std::shared_ptr<const Certificates> certificates)
      : certificates_(std::move(certificates)),
        credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                RequestOf(certificates_->client_certificate()), &Reloading::Fetch, this))) {}
  ~Reloading() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  // Of gRPC's base, which calls it when the server is built.
  int AddPortToServer(const std::string& place, grpc_server* server) override {
    return grpc_server_add_http2_port(server, place.c_str(), credentials_);
  }

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<Reloading*>(self)->Give(*config);
  }

  grpc_ssl_certificate_config_reload_status Give(grpc_ssl_server_certificate_config*& config) {
    auto content = certificates_->content();
    MutexLock lock(mutex_);
    if (content == given_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{content->key.c_str(), content->certificate.c_str()};
    // It wants an authority even if it asks for no certificates, and then does not use it.
    const std::string& authority =
        content->client_authority.empty() ? content->certificate : content->client_authority;
    config = grpc_ssl_server_certificate_config_create(authority.c_str(), &pair, 1);
    given_ = std::move(content);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<const Certificates> certificates_;
  Mutex mutex_;
  std::shared_ptr<const Certificates::Content> given_ ABSL_GUARDED_BY(mutex_);
  grpc_server_credentials* const credentials_;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> TlsCredentials(
    std::shared_ptr<const Certificates> certificates) {
  return std::make_shared<Reloading>(std::move(certificates));
}

}  // namespace wharf
