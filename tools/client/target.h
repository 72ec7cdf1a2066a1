// Target: which broker, how it is spoken to, and what proves to it who asks. A value.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <grpcpp/security/credentials.h>

#include "tools/client/token_source.h"

namespace wharf::client {

struct Target {
  // NOLINTBEGIN(google-explicit-constructor): an address alone is a broker without TLS, that asks
  // for no proof.
  Target(std::string where, std::shared_ptr<grpc::ChannelCredentials> with = nullptr,
         std::shared_ptr<TokenSource> proof = nullptr)
      : address(std::move(where)), credentials(std::move(with)), tokens(std::move(proof)) {}
  Target(const char* where) : address(where) {}
  // NOLINTEND(google-explicit-constructor)
  Target() = default;

  // "127.0.0.1:5680", "unix:/run/wharf/wharf.sock".
  std::string address;
  // grpc::SslCredentials(...), for TLS; null: nothing is encrypted.
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  // Null: nothing is sent.
  std::shared_ptr<TokenSource> tokens;
  // Whom the certificate must be for; empty: the host of the address.
  std::string server_name{};
};

}  // namespace wharf::client
