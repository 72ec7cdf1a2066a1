// Cleanup: what a measurement has made is gone when it is over, also when it is interrupted.
//
// On Ctrl-C and SIGTERM a thread of its own names it, deletes it and ends the process with
// the exit code 130; it waits for no measurement, and for the broker no longer than a call
// takes. The second signal ends the process at once: what is left then was named by the first.
// Made and used by the main thread, one at a time.
#pragma once

#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "tools/wharf/program.h"
#include "tools/wharf/terminal/interrupt_watcher.h"

namespace wharf::tool {

class Cleanup {
 public:
  // `thing` is what it is called, "the queue 'bench-1dab65db'"; `remove` is called once at most, by
  // either thread.
  Cleanup(Program& program, std::string thing, std::function<Status()> remove);
  // Removes what was made, unless it shall be kept.
  ~Cleanup();

  // An interrupt waits for the end of it, so that nothing is made behind its back.
  Status Make(const std::function<Status()>& make);
  void Keep();
  // Does not return after an interrupt: call before the outcome of a measurement is told, which
  // then is that its queue has gone.
  void WaitIfInterrupted();

 private:
  [[noreturn]] void OnInterrupt();
  void Remove() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Program& program_;
  const std::string thing_;
  const std::function<Status()> remove_;
  // Held for good by an interrupt.
  Mutex mutex_;
  bool is_made_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_kept_ ABSL_GUARDED_BY(mutex_) = false;

  InterruptWatcher watcher_;  // Last: its thread uses the rest.
};

}  // namespace wharf::tool
