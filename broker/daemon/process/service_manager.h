// Service manager: systemd, or whoever started wharfd and wants to know when it serves, and that it
// still does. Used by main.cc.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/ticker.h"

namespace wharf {

// Clients may come from now on; `status` is shown by `systemctl status`. Does nothing if nobody
// asked ($NOTIFY_SOCKET), as the next one.
void TellReady(const std::string& status);
void TellStopping();

// Tells who asked for it ($WATCHDOG_USEC, which systemd makes of WatchdogSec) that the process
// lives, twice in the time after which it would be started anew: always while there is no broker,
// and else if that says so. A thread of its own asks, which a broker that hangs does not stop.
class SignsOfLife {
 public:
  SignsOfLife();

  // The broker, as long as it is there.
  class Subject {
   public:
    Subject(SignsOfLife& signs, std::function<bool()> is_alive);
    ~Subject();

   private:
    SignsOfLife& signs_;
  };

 private:
  void Tell();
  void Ask(std::function<bool()> is_alive);

  Mutex mutex_;
  // Empty: there is no broker.
  std::function<bool()> is_alive_ ABSL_GUARDED_BY(mutex_);
  // None: nobody asked. Last, so that it stops first.
  std::optional<Ticker> ticker_;
};

}  // namespace wharf
