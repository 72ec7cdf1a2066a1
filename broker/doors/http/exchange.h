// Exchange: what is asked over HTTP and what is answered, without the bytes. Plain values: made by
// a connection, answered by an HttpService.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "storage/base/status.h"

namespace wharf {

// Headers, in their order; a name keeps the case in which it was written.
using HttpFields = std::vector<std::pair<std::string, std::string>>;
// The first of that name, in any case; null: there is none.
const std::string* FindField(const HttpFields& fields, std::string_view name);

struct HttpRequest {
  std::string method{};
  // Without what stands behind the question mark, and that; as they were sent, nothing is decoded.
  std::string path{};
  std::string query{};
  // As they were sent; empty if they were not.
  std::string host{};
  std::string origin{};
  std::string accept{};
  std::string authorization{};
  // All of them.
  HttpFields fields{};
  // The subject of the client's certificate; empty: it has none.
  std::string subject{};
  // Where it comes from, for the log.
  std::string peer{};
  // "https" where it is encrypted, else "http".
  std::string_view scheme = "http";
  // It came in where not everybody can (common/doorway.h).
  bool is_of_known_client = true;
  // Ends its connection, whatever is under way; any thread, also when it is over. Must not wait.
  std::function<void()> cut_off{};
};

// The next piece of a body; an empty one is its end. Called on a thread of HTTP, until it said so
// or nobody reads any more.
using HttpPieces = absl::AnyInvocable<std::string()>;
// The same of a body whose pieces come from elsewhere: `give` is called once for each that is asked
// for, on any thread, now or later. After an error the answer is broken off.
using HttpGive = absl::AnyInvocable<void(Result<std::string>) &&>;
using HttpSource = absl::AnyInvocable<void(HttpGive give)>;

struct HttpResponse {
  unsigned status = 200;
  // Empty: it has none.
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  // If there are any, they come behind the body, which may then be empty.
  HttpPieces pieces{};
  // Instead of pieces, and how much comes of it together.
  HttpSource source{};
  std::uint64_t source_bytes = 0;
  // Beside the type, the length and what is said of the connection. Whoever makes them answers for
  // it that they can stand there.
  HttpFields fields{};
  // Called when all of it is with the transport, on a thread of HTTP; never, if that will not be,
  // and then it is dropped.
  absl::AnyInvocable<void() &&> written{};
};

// On a thread of HTTP; must not wait for long.
using HttpHandler = std::function<HttpResponse(const HttpRequest& request)>;

}  // namespace wharf
