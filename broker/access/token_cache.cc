#include "broker/access/token_cache.h"

#include <utility>

namespace wharf::access {

PermitPtr TokenCache::Find(std::string_view token) {
  MutexLock lock(mutex_);
  if (const auto found = young_.find(absl::string_view(token.data(), token.size()));
      found != young_.end())
    return found->second;
  const auto found = old_.find(absl::string_view(token.data(), token.size()));
  if (found == old_.end()) return nullptr;
  PermitPtr permit = found->second;
  Keep(std::string(token), permit);
  return permit;
}

void TokenCache::Add(std::string_view token, PermitPtr permit) {
  MutexLock lock(mutex_);
  Keep(std::string(token), std::move(permit));
}

void TokenCache::Keep(std::string token, PermitPtr permit) {
  const std::size_t bytes = token.size();
  const bool is_full =
      young_.size() >= limits_.tokens / 2 || young_bytes_ + bytes > limits_.bytes / 2;
  if (is_full) {
    old_ = std::exchange(young_, {});
    young_bytes_ = 0;
  }
  if (young_.insert_or_assign(std::move(token), std::move(permit)).second) young_bytes_ += bytes;
}

}  // namespace wharf::access
