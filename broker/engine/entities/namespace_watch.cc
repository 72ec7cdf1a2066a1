#include "broker/engine/entities/namespace_watch.h"

#include <algorithm>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

// Which messages come and go about a bound shall not be told again and again.
bool IsNear(std::uint64_t bytes, std::uint64_t bytes_max, bool was_near) {
  const std::uint64_t free = bytes_max - std::min(bytes, bytes_max);
  return bytes_max > 0 && free <= bytes_max / (was_near ? 5 : 10);
}

}  // namespace

void NamespaceWatch::Note(const NamespaceSize& size) {
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(size.bytes(), 0));
  const std::uint64_t bytes_max = size.bytes_max();
  bytes_.store(bytes, std::memory_order_relaxed);
  bytes_max_.store(bytes_max, std::memory_order_relaxed);
  const bool was_near = is_near_.load(std::memory_order_relaxed);
  const bool is_near = IsNear(bytes, bytes_max, was_near);
  if (is_near == was_near) return;
  is_near_.store(is_near, std::memory_order_relaxed);
  if (!is_near) return;
  spdlog::warn("all entities together have {} of {} MB: beyond that sends are refused",
               bytes / kMegabyte, bytes_max / kMegabyte);
}

}  // namespace wharf
