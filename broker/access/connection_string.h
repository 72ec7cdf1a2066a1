// ConnectionString: where a broker is, and what proves something to it, in one line of text:
//
//   Endpoint=sb://host[:port]/;SharedAccessKeyName=...;SharedAccessKey=...[;EntityPath=...]
//   Endpoint=sb://host[:port]/;SharedAccessSignature=SharedAccessSignature sr=...
//
// and UseDevelopmentEmulator=true for a broker without TLS. It is a secret: no sentence here says
// what stands in one. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::access {

inline constexpr std::size_t kConnectionStringBytesMax = 8192;

struct ConnectionString {
  // "sb://host:port/"; never empty.
  std::string endpoint{};
  // Both or none.
  std::string key_name{};
  std::string key{};
  // Instead of a key: a token.
  std::string signature{};
  // Empty: the namespace.
  std::string entity_path{};
  bool uses_development_emulator = false;

  bool has_secret() const { return !key.empty() || !signature.empty(); }
  // "host" or "host:port".
  std::string Authority() const;
  // What a token for it is for.
  std::string Uri() const;

  friend bool operator==(const ConnectionString&, const ConnectionString&) = default;
};

// Names in any case, fields in any order, blanks around them, and a ';' at the end.
Result<ConnectionString> ParseConnectionString(std::string_view text);
std::string ToString(const ConnectionString& connection);

}  // namespace wharf::access
