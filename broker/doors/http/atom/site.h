// Site: how a client calls this broker and what it speaks: what stands in the links of an answer.
// A plain value.
#pragma once

#include <string>
#include <string_view>

namespace wharf::atom {

inline constexpr std::string_view kApiVersion = "2021-05";

struct Site {
  // "https://host:port", with the port if the client wrote one.
  std::string origin{};
  // What the client said, or the newest that clients know.
  std::string api_version{kApiVersion};

  std::string_view host() const {
    const std::size_t scheme = origin.find("://");
    return scheme == std::string::npos ? std::string_view(origin)
                                       : std::string_view(origin).substr(scheme + 3);
  }
  // "https://host/orders?api-version=2021-05".
  std::string UrlOf(std::string_view path) const {
    return origin + '/' + std::string(path) + "?api-version=" + api_version;
  }
};

}  // namespace wharf::atom
