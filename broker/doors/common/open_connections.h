// OpenConnections: how many connections of a door are open, over all its listeners, and whether one
// more may come.
//
// Who takes a connection over does not tell when it closes it, but the system does: it remembers
// which socket had a descriptor, and the system never names two by one cookie. So a count is a call
// of the system for each that was open when they were counted last. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "storage/base/mutex.h"

namespace wharf {

class OpenConnections {
 public:
  // As many may be open at a time (QUO-6).
  explicit OpenConnections(std::size_t count_max) : count_max_(count_max) {}

  // For those that come from now on; none that is open ends.
  void SetMax(std::size_t count_max);

  // A connection has come. False: it is one too many, and the caller closes it.
  bool Admit(int descriptor);

  // That are open now, whoever has them.
  std::size_t Count();
  // That were admitted, and that were not, since the door began.
  std::uint64_t admitted() const { return admitted_.load(std::memory_order_relaxed); }
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  void DropClosed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<std::uint64_t> admitted_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  Mutex mutex_;
  std::size_t count_max_ ABSL_GUARDED_BY(mutex_);
  // Of those that were open when they were counted last, by their descriptors, which bound them.
  absl::flat_hash_map<int, std::uint64_t> cookies_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
