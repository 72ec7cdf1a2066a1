#include "tools/crash/runs/standstill.h"

#include <algorithm>
#include <utility>

namespace wharf::crash {

Standstill::Standstill(Now now) : now_(std::move(now)), looks_(kSleep, [this] { Look(); }) {
  MutexLock lock(mutex_);
  silence_.Begin(now_());
}

// The first look may come before the beginning is noted, and is forgotten then.
void Standstill::Look() {
  MutexLock lock(mutex_);
  silence_.NoteAcknowledged(now_());
}

Duration Standstill::TakeLongest() {
  MutexLock lock(mutex_);
  const Silence::Time now = now_();
  const Duration longest = silence_.Longest(now);
  silence_.Begin(now);
  return std::max(longest - kSleep, Duration(0));
}

}  // namespace wharf::crash
