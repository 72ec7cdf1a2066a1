#include "broker/core/entities/bucket.h"

#include <cstdint>

#include "broker/core/entities/names.h"

namespace wharf {
namespace {

// FNV-1a of 64 bits, folded to 8 as its authors advise.
Bucket FoldedHash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) {
    hash ^= static_cast<std::uint8_t>(byte);
    hash *= 0x100000001b3;
  }
  hash ^= hash >> 32;
  hash ^= hash >> 16;
  hash ^= hash >> 8;
  return static_cast<Bucket>(hash);
}

}  // namespace

Bucket BucketOfPath(std::string_view path) {
  return FoldedHash(FoldPath(SplitSubscriptionPath(path).topic));
}

Bucket BucketOf(const TransactionId& id) { return FoldedHash(id); }

}  // namespace wharf
