// Service manager: systemd, or whoever started wharfd and wants to know when it serves, and that it
// still does. Used by main.cc.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "storage/base/ticker.h"

namespace wharf {

// Clients may come from now on; `status` is shown by `systemctl status`. Does nothing if nobody
// asked ($NOTIFY_SOCKET), as the next one.
void TellReady(const std::string& status);
void TellStopping();

// Tells who asked for it ($WATCHDOG_USEC, which systemd makes of WatchdogSec) that the broker
// lives, twice in the time after which it would be started anew. A thread of its own asks, which a
// broker that hangs does not stop: it says nothing then.
class SignsOfLife {
 public:
  explicit SignsOfLife(std::function<bool()> is_alive);

 private:
  // None: nobody asked.
  std::optional<Ticker> ticker_;
};

}  // namespace wharf
