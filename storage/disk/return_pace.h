// ReturnPace: how much may be read and written to give space back, look by look.
//
// A bucket: each look fills in its share of a second, and what is left over is good for one second.
// A step may take more than there is, because nobody knows before what it takes; then the next one
// waits for longer. Filled by the thread that looks, emptied by the lazy one.
#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {

class ReturnPace {
 public:
  struct Limits {
    // Read and written; 0: no step begins.
    std::uint64_t bytes_per_second = 64 << 20;
    int looks_per_second = 4;
    // Looks after a step that found nothing to do.
    int looks_between = 10;
  };

  explicit ReturnPace(const Limits& limits);

  // While the disk is short of space, twice its share counts.
  void AddLook(bool is_scarce);
  void Spend(std::uint64_t bytes);
  bool may_step() const;

 private:
  const std::int64_t bytes_per_second_;
  const std::int64_t bytes_per_look_;
  mutable Mutex mutex_;
  std::int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf
