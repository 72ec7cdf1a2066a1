// GuardGate: where a door that is there before the broker finds who may do what in it.
//
// Closed before the broker is there and when it goes. Any thread.
#pragma once

#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "broker/access/guard.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

class GuardGate {
 public:
  // Null: nobody has to prove anything.
  void Open(access::Guard* guard) {
    MutexLock lock(mutex_);
    guard_ = guard;
  }
  // Nobody asks it any more when this returns.
  void Close() {
    MutexLock lock(mutex_);
    guard_.reset();
  }

  // What `ask` answers, which must not wait; nothing if there is no broker.
  std::optional<Status> Ask(absl::FunctionRef<Status(access::Guard*)> ask) const {
    MutexLock lock(mutex_);
    return guard_ ? std::optional(ask(*guard_)) : std::nullopt;
  }

 private:
  mutable Mutex mutex_;
  std::optional<access::Guard*> guard_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
