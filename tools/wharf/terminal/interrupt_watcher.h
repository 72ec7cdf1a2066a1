// InterruptWatcher: Ctrl-C and SIGTERM as a call on an ordinary thread, so that work can end in
// order.
//
// The second signal ends the process as usual. At most one exists at a time; made on the main
// thread.
#pragma once

#include <functional>
#include <thread>

namespace wharf::tool {

class InterruptWatcher {
 public:
  explicit InterruptWatcher(std::function<void()> on_interrupt);
  // Signals have their usual effect again.
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

 private:
  void Watch();

  const std::function<void()> on_interrupt_;
  int pipe_[2];
  std::thread thread_;
};

}  // namespace wharf::tool
