// GuardGate: where a door that is there before the broker finds who may do what in it.
//
// Closed before the broker is there and when it goes. Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "broker/access/guard.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

class GuardGate {
 public:
  // Whom to believe where there are no rules, and so nobody can prove anything.
  enum class WithoutRules : std::uint8_t { kNobody, kThisMachine };
  struct Entry {
    // Null: nobody has to prove anything.
    access::Guard* guard = nullptr;
    WithoutRules without_rules = WithoutRules::kNobody;
  };

  void Open(access::Guard* guard, WithoutRules without_rules = WithoutRules::kNobody) {
    MutexLock lock(mutex_);
    entry_ = Entry{guard, without_rules};
  }
  // Nobody asks it any more when this returns.
  void Close() {
    MutexLock lock(mutex_);
    entry_.reset();
  }

  // What `ask` answers, which must not wait; nothing if there is no broker.
  std::optional<Status> Ask(absl::FunctionRef<Status(const Entry& entry)> ask) const {
    MutexLock lock(mutex_);
    return entry_ ? std::optional(ask(*entry_)) : std::nullopt;
  }

 private:
  mutable Mutex mutex_;
  std::optional<Entry> entry_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
