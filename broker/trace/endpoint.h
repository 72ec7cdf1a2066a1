// Endpoint: where a receiver of OTLP is, as `trace-otlp-endpoint` says it.
//
//   endpoint = "http" [ "s" ] "://" ( host / "[" address "]" ) ":" port [ path ]
//
// Used by the table of keys and by main.cc. A pure function.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::trace {

struct Endpoint {
  // Whether what is said there is encrypted.
  bool has_tls = false;
  // Without brackets.
  std::string host;
  std::string port;
  // The path and what is behind it; without one it is that of OTLP.
  std::string target;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// ArgumentError with the reason for everything else.
Result<Endpoint> ParseEndpoint(std::string_view text);

}  // namespace wharf::trace
