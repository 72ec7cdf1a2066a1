#include "broker/access/resource.h"

#include <algorithm>

#include "broker/access/ascii_text.h"

namespace wharf::access {
namespace {

std::string_view WithoutSchemeAndHost(std::string_view uri) {
  const std::size_t scheme = uri.find("://");
  if (scheme == std::string_view::npos) return uri;
  const std::size_t slash = uri.find_first_of("/\\", scheme + 3);
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
