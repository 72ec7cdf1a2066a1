// Sampler: asks the broker again and again, on a thread of its own, so that who looks never waits
// for one that does not answer.
//
// Keeps the last sample and the one before it. Made by `wharf top`; what it brought is taken on the
// main thread, which a descriptor wakes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/client.h"
#include "tools/wharf/top/sample.h"

namespace wharf::tool {

class Sampler {
 public:
  // What one look brought.
  struct News {
    // Or why there is none.
    Result<TopSample> sample;
    // If they were wanted.
    std::optional<LocksSample> locks{};
  };

  Sampler(const client::Target& target, std::chrono::milliseconds interval);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Readable when there are news.
  int descriptor() const { return descriptor_; }
  // The last that were not taken; nothing if there are none.
  std::optional<News> Take();
  // Of this entity they are wanted from now on, at once; nothing: of none.
  void WantLocks(std::optional<std::string> path);

 private:
  void Run();
  News Look(const std::optional<std::string>& locks_of);
  // False: it ends.
  bool WaitForNext(std::chrono::steady_clock::time_point at);

  client::Client client_;
  const std::chrono::milliseconds interval_;
  const int descriptor_;
  std::atomic<bool> is_ended_ = false;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<News> news_ ABSL_GUARDED_BY(mutex_);
  std::optional<std::string> locks_of_ ABSL_GUARDED_BY(mutex_);
  bool is_hurried_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace wharf::tool
