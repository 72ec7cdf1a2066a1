// ManualExecutor: runs what is posted when the test says so, on the test's thread.
//
// Several of them share a ManualWork: then a seed decides whose work comes first, as threads would.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "storage/base/executor.h"
#include "storage/base/random.h"

namespace wharf {

// Any thread may post; one thread runs.
class ManualWork {
 public:
  // `meanwhile`: a step of what else goes on, on the same thread, while something is waited for.
  explicit ManualWork(std::uint64_t seed, std::function<void()> meanwhile = nullptr)
      : random_(seed), meanwhile_(std::move(meanwhile)) {}

  void Post(std::size_t lane, Work work) {
    std::lock_guard lock(mutex_);
    if (lanes_.size() <= lane) lanes_.resize(lane + 1);
    lanes_[lane].push_back(std::move(work));
    posted_.notify_one();
  }

  bool is_idle() {
    std::lock_guard lock(mutex_);
    return !HasWork();
  }

  bool is_idle(std::size_t lane) {
    std::lock_guard lock(mutex_);
    return lanes_.size() <= lane || lanes_[lane].empty();
  }

  // One piece of it; false if nothing is posted.
  bool RunOne() {
    auto work = Take();
    if (work) std::move (*work)();
    return work.has_value();
  }

  // Until nothing is posted.
  void RunAll() {
    while (RunOne()) continue;
  }

  // Until `is_done`, waiting for other threads to post, or for what goes on meanwhile.
  template <typename Predicate>
  void RunUntil(Predicate is_done) {
    while (!is_done()) {
      if (RunOne()) continue;
      if (meanwhile_) {
        meanwhile_();
        continue;
      }
      std::unique_lock lock(mutex_);
      posted_.wait(lock, [this] { return HasWork(); });
    }
  }

  // Forgets what was posted, as a crash does.
  void Clear() {
    std::lock_guard lock(mutex_);
    lanes_.clear();
  }

 private:
  bool HasWork() const {
    for (const auto& lane : lanes_) {
      if (!lane.empty()) return true;
    }
    return false;
  }

  std::optional<Work> Take() {
    std::lock_guard lock(mutex_);
    std::vector<std::deque<Work>*> ready;
    for (auto& lane : lanes_) {
      if (!lane.empty()) ready.push_back(&lane);
    }
    if (ready.empty()) return std::nullopt;
    std::deque<Work>& lane = *ready[random_.Next() % ready.size()];
    Work work = std::move(lane.front());
    lane.pop_front();
    return work;
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  SeededRandom random_;
  const std::function<void()> meanwhile_;
  std::vector<std::deque<Work>> lanes_;
};

class ManualExecutor final : public Executor {
 public:
  ManualExecutor(ManualWork& work, std::size_t lane) : work_(work), lane_(lane) {}
  void Post(Work work) override { work_.Post(lane_, std::move(work)); }
  bool is_idle() const { return work_.is_idle(lane_); }

 private:
  ManualWork& work_;
  const std::size_t lane_;
};

// ManualThreads: several lanes that take work by turns, so that what is posted later may run
// earlier.
class ManualThreads final : public Executor {
 public:
  // The lanes from `first` on.
  ManualThreads(ManualWork& work, std::size_t first, std::size_t count)
      : work_(work), first_(first), count_(count) {}
  void Post(Work work) override { work_.Post(first_ + next_++ % count_, std::move(work)); }

 private:
  ManualWork& work_;
  const std::size_t first_;
  const std::size_t count_;
  std::size_t next_ = 0;
};

}  // namespace wharf
