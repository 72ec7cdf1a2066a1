// Target: which broker, and how it is spoken to. A value.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <grpcpp/security/credentials.h>

namespace wharf::client {

struct Target {
  // NOLINTNEXTLINE(google-explicit-constructor): an address alone is a broker without TLS.
  Target(std::string where, std::shared_ptr<grpc::ChannelCredentials> with = nullptr)
      : address(std::move(where)), credentials(std::move(with)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): the same, as it is written in a program.
  Target(const char* where) : address(where) {}

  // "127.0.0.1:5680", "unix:/run/wharf/wharf.sock".
  std::string address;
  // grpc::SslCredentials(...), for TLS; null: nothing is encrypted.
  std::shared_ptr<grpc::ChannelCredentials> credentials;
};

}  // namespace wharf::client
