// NamespaceSize: how many bytes all entities hold together, and whether they may hold more.
//
// Each lane adds what it counts itself, so it is always right without being asked for. Owned by the
// Catalog, used on the shard's thread.
#pragma once

#include <cstdint>

#include "storage/base/status.h"

namespace wharf {

class NamespaceSize {
 public:
  // `bytes_max` outlives it and may change; 0: there is no limit.
  explicit NamespaceSize(const std::uint64_t& bytes_max) : bytes_max_(bytes_max) {}

  // Negative: they went.
  void Count(std::int64_t bytes) { bytes_ += bytes; }
  std::int64_t bytes() const { return bytes_; }
  // 0: there is no limit.
  std::uint64_t bytes_max() const { return bytes_max_; }

  // QuotaExceeded if it is full, or `bytes_more` are too many (QUO-4).
  Status CheckRoom(std::int64_t bytes_more) const;

 private:
  const std::uint64_t& bytes_max_;
  std::int64_t bytes_ = 0;
};

}  // namespace wharf
