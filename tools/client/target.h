// Target: which broker, how it is spoken to, and what proves to it who asks. A value.
//
// A broker of several nodes has several addresses: any of them will do, and knowing all of them
// helps when one is gone (endpoints.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

  // Those of `address`, in their order; at least one.
  std::vector<std::string> addresses() const;
  // Whether to ask at an address that a broker named.
  bool MayFollow(const std::string& named) const { return !may_follow || may_follow(named); }

  // "127.0.0.1:5680", "unix:/run/wharf/wharf.sock"; several with commas between them.
  std::string address;
  // grpc::SslCredentials(...), for TLS; null: nothing is encrypted.
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  // Null: nothing is sent.
  std::shared_ptr<TokenSource> tokens;
  // To which trace its calls belong, as the broker writes it beside what they change: a traceparent
  // of W3C Trace Context; empty: none.
  std::string traceparent{};
  // Whom the certificate must be for; empty: the host of the address.
  std::string server_name{};
  // Which addresses a broker may name, beside those that were given: whoever listens there gets the
  // proof. Null: any.
  std::function<bool(const std::string& address)> may_follow{};
};

}  // namespace wharf::client
