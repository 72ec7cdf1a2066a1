// HeldLocks: locks that outlive those who got them, to be settled later, often in the daemon's next
// life. Any thread may use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/crash/history/history.h"
#include "tools/crash/runs/dice.h"

namespace wharf::crash {

struct HeldLock {
  Source source;
  std::string token;
};

class HeldLocks {
 public:
  void Hold(HeldLock lock);
  void Hold(const Source& source, const std::vector<std::string>& tokens);
  // Any of them.
  std::optional<HeldLock> Take(Dice& dice);
  std::vector<HeldLock> TakeAll();

 private:
  Mutex mutex_;
  std::vector<HeldLock> locks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::crash
