#include "broker/doors/http/atom/target_uri.h"

#include <cctype>

#include "broker/doors/http/atom/xml_tree.h"

namespace wharf::atom {
namespace {

int HexOf(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const int letter = std::tolower(static_cast<unsigned char>(digit));
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

}  // namespace

std::string EntityOfUri(std::string_view uri) {
  uri = Trimmed(uri);
  const std::size_t scheme = uri.find("://");
  const bool is_uri = scheme != std::string_view::npos;
  if (is_uri) {
    uri.remove_prefix(scheme + 3);
    const std::size_t path = uri.find('/');
    uri = path == std::string_view::npos ? std::string_view() : uri.substr(path);
    uri = uri.substr(0, uri.find_first_of("?#"));
  }
  while (uri.starts_with('/')) uri.remove_prefix(1);
  while (uri.ends_with('/')) uri.remove_suffix(1);
  std::string name;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const bool is_escape = is_uri && uri[i] == '%' && i + 2 < uri.size() &&
                           HexOf(uri[i + 1]) >= 0 && HexOf(uri[i + 2]) >= 0;
    name += is_escape ? static_cast<char>(HexOf(uri[i + 1]) * 16 + HexOf(uri[i + 2])) : uri[i];
    if (is_escape) i += 2;
  }
  return name;
}

std::string UriOfEntity(std::string_view host, std::string_view name) {
  return "sb://" + std::string(host) + '/' + std::string(name);
}

}  // namespace wharf::atom
