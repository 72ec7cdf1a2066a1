// Target: what the first line of a request names: a path without its escapes, and what stands
// behind the question mark. A plain value; what it is read from was written by anybody.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/base/status.h"

namespace wharf {

// A longer path is refused unread: no address of ours has so many bytes, escaped.
inline constexpr std::size_t kTargetBytesMax = 4096;

struct Target {
  // Between its outer '/', which are not there. A '/' that was escaped is one.
  std::string path{};
  // Names and values, in their order.
  std::vector<std::pair<std::string, std::string>> query{};

  // The first of that name, in any case; null: there is none.
  const std::string* Find(std::string_view name) const;
};

// ArgumentError with the reason: an escape that is none, a character that controls, too much of it.
Result<Target> ParseTarget(std::string_view path, std::string_view query);

// A path so that it can stand in a URI: all but unreserved characters and '/' are escaped.
std::string EscapedPath(std::string_view path);
// The same of one segment, where '/' is escaped, too.
std::string EscapedSegment(std::string_view segment);

}  // namespace wharf
