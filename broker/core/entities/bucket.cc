#include "broker/core/entities/bucket.h"

#include <cstdint>

#include "broker/core/entities/names.h"
#include "storage/base/fnv1a.h"

namespace wharf {
namespace {

// Folded to 8 bits as the authors of the hash advise.
Bucket FoldedHash(std::string_view text) {
  std::uint64_t hash = Fnv1a(text);
  for (const int half : {32, 16, 8}) hash ^= hash >> half;
  return static_cast<Bucket>(hash);
}

}  // namespace

Bucket BucketOfPath(std::string_view path) {
  return FoldedHash(FoldPath(SplitSubscriptionPath(path).topic));
}

Bucket BucketOf(const TransactionId& id) { return FoldedHash(id); }

}  // namespace wharf
