// StatisticsGate: where those who watch find the statistics of the broker that there is now.
//
// Closed before the broker is there and when it goes. Any thread.
#pragma once

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "broker/requests/broker_statistics.h"
#include "storage/base/mutex.h"

namespace wharf {

class StatisticsGate {
 public:
  void Open(StatisticsSource source) {
    MutexLock lock(mutex_);
    source_ = std::move(source);
  }
  // Nobody asks it any more when this returns.
  void Close() { Open(nullptr); }

  std::optional<BrokerStatistics> Read() const {
    MutexLock lock(mutex_);
    return source_ ? std::optional(source_()) : std::nullopt;
  }

 private:
  mutable Mutex mutex_;
  StatisticsSource source_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
