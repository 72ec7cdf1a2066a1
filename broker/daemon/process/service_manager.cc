#include "broker/daemon/process/service_manager.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include <systemd/sd-daemon.h>

namespace wharf {

void TellReady(const std::string& status) { sd_notifyf(0, "READY=1\nSTATUS=%s", status.c_str()); }

void TellStopping() { sd_notify(0, "STOPPING=1\nSTATUS=Answering what was taken"); }

SignsOfLife::SignsOfLife() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return;
  ticker_.emplace(std::chrono::microseconds(microseconds / 2), [this] { Tell(); });
}

void SignsOfLife::Tell() {
  MutexLock lock(mutex_);
  if (!is_alive_ || is_alive_()) sd_notify(0, "WATCHDOG=1");
}

void SignsOfLife::Ask(std::function<bool()> is_alive) {
  MutexLock lock(mutex_);
  is_alive_ = std::move(is_alive);
}

SignsOfLife::Subject::Subject(SignsOfLife& signs, std::function<bool()> is_alive) : signs_(signs) {
  signs_.Ask(std::move(is_alive));
}

SignsOfLife::Subject::~Subject() { signs_.Ask(nullptr); }

}  // namespace wharf
