// Resource: what a token or a rule speaks of: the namespace, or an entity and all that is below it
// (SEC-6).
//
// A resource is the folded path of an entity, with '/' between segments, or empty for the
// namespace. Subscriptions and dead-letter queues are below their entity.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wharf::access {

// The resource of a URI: without scheme, host, port, query and outer '/', in lower case. A text
// without a scheme is a path, unless a host with its port begins it, as from JavaScript's client.
std::string ResourceOfUri(std::string_view uri);

// Whole segments only: "a" covers "a/b" and not "ab".
bool Covers(std::string_view resource, std::string_view path);

// The resource, what it is below of, and the namespace: the nearest first.
std::vector<std::string_view> WithAncestors(std::string_view resource);

}  // namespace wharf::access
