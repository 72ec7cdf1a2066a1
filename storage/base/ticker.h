// Ticker: calls a function at a fixed pace, on a thread of its own, until it is stopped.
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

class Ticker {
 public:
  // The first call is at once; the next comes `pace` after the one before ended.
  Ticker(Duration pace, std::function<void()> tick);
  ~Ticker();
  // When it returns, the function runs no more.
  void Stop();

 private:
  void Run();
  // Whether to go on.
  bool Wait();

  const Duration pace_;
  const std::function<void()> tick_;
  Mutex mutex_;
  std::condition_variable_any stop_;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
