// TurnWatch: how long turns take, and for how long one is at work already.
//
// Told on the shard's thread; any thread may ask.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "storage/base/latency.h"
#include "storage/base/time.h"

namespace wharf {

class TurnWatch {
 public:
  // Tells the time; whose does not matter, as long as it does not go back.
  using Now = std::function<Duration()>;

  explicit TurnWatch(Now now) : now_(std::move(now)) {}

  // The shard works for as long as this exists.
  class Work {
   public:
    explicit Work(TurnWatch& watch) : watch_(watch), began_(watch.now_()) {
      watch_.began_.store(began_.count(), std::memory_order_relaxed);
    }
    ~Work() {
      watch_.began_.store(kIdle, std::memory_order_relaxed);
      watch_.lengths_.Note(watch_.now_() - began_);
    }
    Duration began() const { return began_; }

    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    TurnWatch& watch_;
    const Duration began_;
  };

  // Zero: the shard waits for work.
  Duration age() const {
    const Duration::rep began = began_.load(std::memory_order_relaxed);
    return began == kIdle ? Duration(0) : now_() - Duration(began);
  }
  Latency::Snapshot lengths() const { return lengths_.Read(); }

 private:
  static constexpr Duration::rep kIdle = -1;

  const Now now_;
  std::atomic<Duration::rep> began_ = kIdle;
  Latency lengths_;
};

}  // namespace wharf
