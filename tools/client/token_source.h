// TokenSource: what a client proves with who it is, in each call.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "broker/access/connection_string.h"
#include "storage/base/time.h"

namespace wharf::client {

// Any thread; cheap.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  virtual std::string Token() = 0;
};

// How long a token holds that is made here. A call gets one that holds for half of it, at least.
inline constexpr Duration kTokenLife = std::chrono::hours(1);

// With a key: tokens made when they are needed, for the entity path of the connection string or the
// namespace; with a token: that one; with neither: null. `wall` tells the time.
std::shared_ptr<TokenSource> TokensOf(const access::ConnectionString& connection,
                                      std::function<Timestamp()> wall);

}  // namespace wharf::client
