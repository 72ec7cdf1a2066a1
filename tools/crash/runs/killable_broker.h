// KillableBroker: a broker of one node or of several, as a run sees it that kills whoever serves,
// and goes on with whoever serves next.
//
// Used on the run's thread, but for Kill.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf::crash {

class KillableBroker {
 public:
  virtual ~KillableBroker() = default;

  // Once: until it serves.
  virtual Status Start() = 0;
  // Who serves dies. Any thread; must not wait.
  virtual void Kill() = 0;
  // Kills, if nobody did; then until it serves again, and all of it runs.
  virtual Status GoOn() = 0;
  virtual Status Stop() = 0;
  // Where its clients ask.
  virtual std::string address() = 0;
};

}  // namespace wharf::crash
