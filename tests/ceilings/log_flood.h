// LogFlood: appends messages to a commit log as fast as it takes them, without a broker: batches of
// a few, as turns are, and so many messages at most that are not answered.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "storage/base/mutex.h"
#include "storage/commit_log.h"

namespace wharf {

struct FloodPlan {
  // Of a batch.
  std::uint64_t group = 256;
  std::uint64_t window = 1024;
  std::size_t size = 1024;
  std::uint64_t messages = 300000;
};

class LogFlood {
 public:
  LogFlood(CommitLog& log, TableId table, const FloodPlan& plan)
      : log_(log), table_(table), plan_(plan), body_(plan.size, 'x') {}

  // Until all are answered; the first failure ends it.
  Status Run() {
    for (std::uint64_t sent = 0; sent < plan_.messages;) {
      const std::uint64_t count = std::min(plan_.group, plan_.messages - sent);
      if (!AwaitRoom(count)) break;
      log_.Append(BatchOf(sent, count), [this, count](const Result<CommitIndex>& committed) {
        MutexLock lock(mutex_);
        under_way_ -= count;
        if (!committed.ok()) failed_ = committed.status();
        answered_.notify_one();
      });
      sent += count;
    }
    MutexLock lock(mutex_);
    while (under_way_ > 0) answered_.wait(mutex_);
    return failed_;
  }

 private:
  bool AwaitRoom(std::uint64_t count) {
    MutexLock lock(mutex_);
    while (failed_.ok() && under_way_ > 0 && under_way_ + count > plan_.window) {
      answered_.wait(mutex_);
    }
    under_way_ += failed_.ok() ? count : 0;
    return failed_.ok();
  }
  WriteBatch BatchOf(std::uint64_t first, std::uint64_t count) const {
    WriteBatch batch;
    batch.Reserve(count * (plan_.size + kAroundBytes));
    for (std::uint64_t number = first; number < first + count; ++number) {
      std::string key(sizeof number, '\0');
      for (std::size_t i = 0; i < key.size(); ++i) {
        key[i] = static_cast<char>(number >> 8 * (key.size() - 1 - i));
      }
      batch.Put(table_, key, body_);
    }
    return batch;
  }

  static constexpr std::size_t kAroundBytes = 32;

  CommitLog& log_;
  const TableId table_;
  const FloodPlan plan_;
  const std::string body_;
  Mutex mutex_;
  std::condition_variable_any answered_;
  std::uint64_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  Status failed_ ABSL_GUARDED_BY(mutex_);
};

// Measures it, and prints one line of JSON.
inline Status MeasureFlood(const char* what, CommitLog& log, TableId table, const FloodPlan& plan) {
  LogFlood flood(log, table, plan);
  const CommitLog::Stats before = log.stats();
  const auto began = std::chrono::steady_clock::now();
  Status status = flood.Run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!status.ok()) return status;
  const std::uint64_t groups = std::max<std::uint64_t>(1, log.stats().groups - before.groups);
  fmt::print(
      "{{\"peer\": \"{}\", \"mode\": \"send\", \"window\": {}, \"size\": {}, \"messages\": {}, "
      "\"messages_per_fsync\": {}, \"seconds\": {:.3f}, \"messages_per_second\": {:.0f}}}\n",
      what, plan.window, plan.size, plan.messages, plan.messages / groups, took.count(),
      static_cast<double>(plan.messages) / took.count());
  return {};
}

}  // namespace wharf
