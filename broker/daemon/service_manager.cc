#include "broker/daemon/service_manager.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include <systemd/sd-daemon.h>

namespace wharf {

void TellReady(const std::string& status) { sd_notifyf(0, "READY=1\nSTATUS=%s", status.c_str()); }

void TellStopping() { sd_notify(0, "STOPPING=1\nSTATUS=Answering what was taken"); }

SignsOfLife::SignsOfLife(std::function<bool()> is_alive) {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return;
  ticker_.emplace(std::chrono::microseconds(microseconds / 2), [is_alive = std::move(is_alive)] {
    if (is_alive()) sd_notify(0, "WATCHDOG=1");
  });
}

}  // namespace wharf
