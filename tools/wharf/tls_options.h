// TlsOptions: how the command line asks for TLS. Used by main and the Program.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <grpcpp/security/credentials.h>

#include "storage/base/status.h"

namespace wharf::tool {

struct TlsOptions {
  bool is_wanted = false;
  // Files of PEM; one that is named means TLS, too.
  std::string authority{};
  std::string certificate{};
  std::string key{};
  // Whom the certificate of the broker must be for; empty: the host of its address.
  std::string server_name{};

  bool has_tls() const {
    return is_wanted || !authority.empty() || !certificate.empty() || !key.empty() ||
           !server_name.empty();
  }
  // What is not said here is as it is there; a certificate and its key belong together.
  void TakeMissing(const TlsOptions& other);
  // Files of any folder from now on.
  void MakePathsAbsolute();
};

void AddTlsOptions(CLI::App& app, TlsOptions& options);

// Null without TLS; ArgumentError with one sentence if a file cannot be used.
Result<std::shared_ptr<grpc::ChannelCredentials>> CredentialsOf(const TlsOptions& options);

}  // namespace wharf::tool
