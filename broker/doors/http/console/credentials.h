// Credentials: what a request to the console brings that says who asks. The first of: the field
// Authorization, with a session (`Session ID`) or a token as over REST; over TLS the cookie of a
// session; the certificate of the client. Plain values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/http/exchange.h"
#include "broker/doors/http/host_check.h"
#include "storage/base/status.h"

namespace wharf::console {

// Its prefix makes browsers keep it to this host and path, and to TLS.
inline constexpr std::string_view kSessionCookie = "__Host-wharf-session";

struct Credentials {
  enum class Kind : std::uint8_t { kNone, kToken, kSession, kCertificate };

  Kind kind = Kind::kNone;
  // The token, the id of the session, or the subject of the certificate.
  std::string text{};
  // It came in Authorization, where a browser puts nothing of itself.
  bool is_explicit = false;
};
Credentials CredentialsOf(const HttpRequest& head);
// Of a WebSocket, for which a page can set no field: where there is no Authorization, a session may
// stand among the sub-protocols, as `wharf.session.ID`.
Credentials CredentialsOf(const HttpRequest& head, const std::vector<std::string>& protocols);

// Whether it cannot come of a page that is not the console's own. What changes something says so
// with the field X-Wharf-Request, which no form and no link can send, and comes from no other
// origin. Of other requests, and of those that a browser could make with what it has, the host must
// be ours. `is_open`: nobody has to prove anything.
Status CheckPage(const HttpRequest& head, const Credentials& credentials, bool is_open,
                 const HostCheck& hosts);

// Values of Set-Cookie.
std::string CookieOf(std::string_view session);
std::string CookieThatEnds();

}  // namespace wharf::console
