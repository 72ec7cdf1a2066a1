#include "broker/access/resource.h"

#include <algorithm>

#include "broker/access/ascii_text.h"

namespace wharf::access {
namespace {

// No name of an entity has a ':' in it.
bool IsHostWithPort(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view port = text.substr(colon + 1);
  return !port.empty() && port.size() <= 5 &&
         port.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view WithoutSchemeAndHost(std::string_view uri) {
  const std::size_t scheme = uri.find("://");
  const bool has_scheme = scheme != std::string_view::npos;
  const std::size_t slash = uri.find_first_of("/\\", has_scheme ? scheme + 3 : 0);
  if (!has_scheme && !IsHostWithPort(uri.substr(0, slash))) return uri;
  return slash == std::string_view::npos ? std::string_view() : uri.substr(slash);
}

}  // namespace

// What is a query or a host is found before letters are folded, as is usual for URIs.
std::string ResourceOfUri(std::string_view uri) {
  std::string_view path = uri.substr(0, uri.find_first_of("?#"));
  path = WithoutSchemeAndHost(path);
  std::string resource = ToLowerCase(path);
  std::replace(resource.begin(), resource.end(), '\\', '/');
  const std::size_t begin = resource.find_first_not_of('/');
  if (begin == std::string::npos) return {};
  return resource.substr(begin, resource.find_last_not_of('/') - begin + 1);
}

bool Covers(std::string_view resource, std::string_view path) {
  if (resource.empty()) return true;
  if (!path.starts_with(resource)) return false;
  return path.size() == resource.size() || path[resource.size()] == '/';
}

std::vector<std::string_view> WithAncestors(std::string_view resource) {
  std::vector<std::string_view> all;
  while (!resource.empty()) {
    all.push_back(resource);
    const std::size_t slash = resource.rfind('/');
    resource = slash == std::string_view::npos ? std::string_view() : resource.substr(0, slash);
  }
  all.emplace_back();
  return all;
}

}  // namespace wharf::access
