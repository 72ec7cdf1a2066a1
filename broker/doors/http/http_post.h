// HttpPost: one request to somebody else's HTTP server, over a connection of its own.
//
// Waits on the caller's thread, which is never one of the broker's own; today the exporter's of
// spans, by main.cc.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// Whom a server must be vouched for by that is spoken to under TLS.
using HttpTrust = std::shared_ptr<boost::asio::ssl::context>;
// By an authority of this file, in PEM; without a file by one that this machine believes.
Result<HttpTrust> TrustIn(const std::string& authorities);

struct HttpPlace {
  // A name, or an address without brackets.
  std::string host;
  std::string port;
  // What is asked for: a path and what is behind it.
  std::string target;
  // Null: what is said there is not encrypted.
  HttpTrust trust{};
};

// Ok if it is answered with a status of 2xx within `patience`, and before `hurry`. Names are looked
// up by the system, which may take longer where it gets no answer itself.
Status PostJson(const HttpPlace& place, std::string json, Duration patience,
                const std::stop_token& hurry);

}  // namespace wharf
