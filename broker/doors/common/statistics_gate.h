// StatisticsGate: where those who watch find the statistics of the broker that there is now, of the
// console, and of the cluster that this node belongs to.
//
// Closed before they are there and when they go. Any thread.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "broker/doors/common/console_statistics.h"
#include "broker/requests/broker_statistics.h"
#include "broker/requests/cluster_control.h"
#include "storage/base/mutex.h"

namespace wharf {

class StatisticsGate {
 public:
  // Must not wait. Nothing: nobody has looked yet.
  using ClusterSource = std::function<std::optional<ClusterStatus>()>;

  void Open(StatisticsSource source) {
    MutexLock lock(mutex_);
    source_ = std::move(source);
  }
  // Nobody asks it any more when this returns.
  void Close() { Open(nullptr); }
  // Null: nobody asks the one before any more when this returns.
  void OpenCluster(ClusterSource source) {
    MutexLock lock(mutex_);
    cluster_ = std::move(source);
  }
  // The same of the console.
  void OpenConsole(std::function<ConsoleStatistics()> source) {
    MutexLock lock(mutex_);
    console_ = std::move(source);
  }

  std::optional<BrokerStatistics> Read() const {
    MutexLock lock(mutex_);
    return source_ ? std::optional(source_()) : std::nullopt;
  }

  // Nothing: the broker runs by itself, or is not there.
  std::optional<ClusterStatus> ReadCluster() const {
    MutexLock lock(mutex_);
    return cluster_ ? cluster_() : std::nullopt;
  }
  // Nothing: it is not listened for, or not there.
  std::optional<ConsoleStatistics> ReadConsole() const {
    MutexLock lock(mutex_);
    return console_ ? std::optional(console_()) : std::nullopt;
  }

 private:
  mutable Mutex mutex_;
  StatisticsSource source_ ABSL_GUARDED_BY(mutex_);
  ClusterSource cluster_ ABSL_GUARDED_BY(mutex_);
  std::function<ConsoleStatistics()> console_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
