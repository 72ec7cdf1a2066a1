// TokenCache: tokens that were proven a while ago, so that their signatures are not made again.
//
// What it says was true once: whether it still is, the book says. Only tokens that were good are
// kept, and those used last stay; bounded in number and in bytes. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "broker/access/permit.h"
#include "storage/base/mutex.h"

namespace wharf::access {

class TokenCache {
 public:
  struct Limits {
    std::size_t tokens = 4096;
    std::size_t bytes = std::size_t{2} << 20;
  };

  explicit TokenCache(const Limits& limits) : limits_(limits) {}

  // Null: it is not known.
  PermitPtr Find(std::string_view token);
  void Add(std::string_view token, PermitPtr permit);

 private:
  using Tokens = absl::flat_hash_map<std::string, PermitPtr>;

  void Keep(std::string token, PermitPtr permit) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Limits limits_;
  Mutex mutex_;
  // Half of what may be kept each: when the young ones are as many, the old ones go.
  Tokens young_ ABSL_GUARDED_BY(mutex_);
  std::size_t young_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  Tokens old_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::access
