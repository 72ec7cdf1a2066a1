// Exchange: what is asked over HTTP and what is answered, without the bytes. Plain values: made by
// a connection, answered by the handlers that a Router knows.
#pragma once

#include <functional>
#include <string>

#include "absl/functional/any_invocable.h"

namespace wharf {

struct HttpRequest {
  std::string method{};
  // Without what stands behind the question mark; as it was sent, nothing is decoded.
  std::string path{};
  // As they were sent; empty if they were not.
  std::string accept{};
  std::string authorization{};
  // The subject of the client's certificate; empty: it has none.
  std::string subject{};
  // Where it comes from, for the log.
  std::string peer{};
  // It came in where not everybody can (common/doorway.h).
  bool is_of_known_client = true;
  // Ends its connection, whatever is under way; any thread, also when it is over. Must not wait.
  std::function<void()> cut_off{};
};

// The next piece of a body; an empty one is its end. Called on a thread of HTTP, until it said so
// or nobody reads any more.
using HttpPieces = absl::AnyInvocable<std::string()>;

struct HttpResponse {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  // If there are any, they come behind the body, which may then be empty.
  HttpPieces pieces{};
};

// On a thread of HTTP; must not wait for long.
using HttpHandler = std::function<HttpResponse(const HttpRequest& request)>;

}  // namespace wharf
