// CopyPace: how fast files of a backup are copied and read, and whether that goes on.
//
// Whoever copies asks after each piece, and waits there for its share of a second; whoever ends the
// work says so on any thread, and nobody waits any more.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class CopyPace {
 public:
  // 0: as fast as it goes.
  explicit CopyPace(std::uint64_t bytes_per_second) : bytes_per_second_(bytes_per_second) {}

  // So many bytes were copied: OK when the next may be, or why none may.
  Status Spend(std::uint64_t bytes);
  // The work ends for this reason; the first one counts.
  void End(const Status& why);
  // Work begins: none has ended.
  void Begin();

 private:
  const std::uint64_t bytes_per_second_;
  Mutex mutex_;
  std::condition_variable_any ended_;
  // OK: it goes on.
  Status why_ ABSL_GUARDED_BY(mutex_);
  // When what was copied so far would have been at this rate.
  Duration due_ ABSL_GUARDED_BY(mutex_){};
};

}  // namespace wharf
