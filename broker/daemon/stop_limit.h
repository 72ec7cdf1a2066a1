// StopLimit: a stop that takes too long ends the process all the same.
//
// While it exists, a thread watches the time. A disk that does not answer can hold up every orderly
// end; what was acknowledged is safe without one. Made by the Daemon.
#pragma once

#include <condition_variable>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

class StopLimit {
 public:
  explicit StopLimit(Duration limit);
  // In time.
  ~StopLimit();

 private:
  void Watch();

  const Duration limit_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
