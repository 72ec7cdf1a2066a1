// ProgressTicker: a progress bar for work that other threads do.
//
// On a terminal a thread of its own asks ten times a second how far the work is and draws it, so
// that the work waits for nobody; elsewhere there is no thread and nobody asks. Made by the thread
// that waits for the end of the work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf::tool {

class ProgressTicker {
 public:
  // `done` is called by the thread, until this is destroyed. Without a total the bar shows numbers.
  ProgressTicker(std::string what, std::optional<std::uint64_t> total,
                 std::function<std::uint64_t()> done);
  ~ProgressTicker();
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;

 private:
  void Draw();
  // Until it is over, but no longer than a period; whether it is.
  bool Wait();

  const std::string what_;
  const std::optional<std::uint64_t> total_;
  const std::function<std::uint64_t()> done_;
  Mutex mutex_;
  std::condition_variable_any over_;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace wharf::tool
