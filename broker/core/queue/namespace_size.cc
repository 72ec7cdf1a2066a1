#include "broker/core/queue/namespace_size.h"

#include <fmt/core.h>

namespace wharf {

// What would be stored may be longer than any limit, but not so long that it wraps around.
Status NamespaceSize::CheckRoom(std::int64_t bytes_more) const {
  const auto bytes = static_cast<std::uint64_t>(bytes_);
  const std::uint64_t size = bytes + static_cast<std::uint64_t>(bytes_more);
  if (bytes_max_ == 0 || (bytes < bytes_max_ && size <= bytes_max_)) return {};
  return {ErrorCode::kQuotaExceeded,
          fmt::format("The maximum namespace size has been reached or exceeded. Size of namespace "
                      "in bytes:{}, Max namespace size in bytes:{}",
                      size, bytes_max_)};
}

}  // namespace wharf
