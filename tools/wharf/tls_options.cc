#include "tools/wharf/tls_options.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/core.h>

namespace wharf::tool {
namespace {

Result<std::string> ReadPem(const std::string& option, const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  if (!file) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("{}: cannot read {}: {}", option, path, std::strerror(errno)));
  }
  if (text.find("-----BEGIN ") == std::string::npos) {
    return Status(ErrorCode::kArgumentError, fmt::format("{}: {} is no PEM", option, path));
  }
  return text;
}

}  // namespace

void AddTlsOptions(CLI::App& app, TlsOptions& options) {
  app.add_flag("--tls", options.is_wanted,
               "Encrypt, and believe who the authorities of this machine vouch for")
      ->envname("WHARF_TLS");
  const auto add = [&app](const char* name, std::string& path, const char* help,
                          const char* variable) {
    app.add_option(name, path, help)->type_name("FILE")->envname(variable);
  };
  add("--ca", options.authority, "Encrypt, and believe these authorities instead, in PEM",
      "WHARF_CA");
  add("--cert", options.certificate, "Encrypt, and prove with this certificate who asks, in PEM",
      "WHARF_CERT");
  add("--key", options.key, "The private key of --cert, in PEM", "WHARF_KEY");
  app.add_option("--server-name", options.server_name,
                 "Encrypt, and want a certificate for this name instead of the broker's host")
      ->type_name("NAME")
      ->envname("WHARF_SERVER_NAME");
}

void TlsOptions::TakeMissing(const TlsOptions& other) {
  is_wanted = is_wanted || other.is_wanted;
  if (authority.empty()) authority = other.authority;
  if (certificate.empty() && key.empty()) {
    certificate = other.certificate;
    key = other.key;
  }
  if (server_name.empty()) server_name = other.server_name;
}

void TlsOptions::MakePathsAbsolute() {
  for (std::string* const path : {&authority, &certificate, &key}) {
    if (!path->empty()) *path = std::filesystem::absolute(*path).lexically_normal().string();
  }
}

Result<std::shared_ptr<grpc::ChannelCredentials>> CredentialsOf(const TlsOptions& options) {
  if (!options.has_tls()) return std::shared_ptr<grpc::ChannelCredentials>();
  if (options.certificate.empty() != options.key.empty()) {
    return Status(ErrorCode::kArgumentError, "--cert and --key belong together");
  }
  const Result<std::string> authority = ReadPem("--ca", options.authority);
  if (!authority.ok()) return authority.status();
  const Result<std::string> certificate = ReadPem("--cert", options.certificate);
  if (!certificate.ok()) return certificate.status();
  const Result<std::string> key = ReadPem("--key", options.key);
  if (!key.ok()) return key.status();
  grpc::SslCredentialsOptions files;
  files.pem_root_certs = *authority;
  files.pem_cert_chain = *certificate;
  files.pem_private_key = *key;
  return grpc::SslCredentials(files);
}

}  // namespace wharf::tool
