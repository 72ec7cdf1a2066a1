#include "tools/crash/runs/killable_daemon.h"

#include <chrono>
#include <csignal>

namespace wharf::crash {
namespace {

constexpr Duration kStartPatience = std::chrono::seconds(60);
constexpr Duration kStopPatience = std::chrono::seconds(30);

}  // namespace

Status KillableDaemon::Start() {
  WHARF_RETURN_IF_ERROR(daemon_.Spawn());
  return daemon_.WaitUntilReady(kStartPatience);
}

void KillableDaemon::Kill() { daemon_.Signal(SIGKILL); }

Status KillableDaemon::GoOn() {
  Kill();
  WHARF_RETURN_IF_ERROR(daemon_.WaitUntilEnded(kStopPatience).status());
  return Start();
}

Status KillableDaemon::Stop() {
  daemon_.Signal(SIGTERM);
  const Result<bool> ended = daemon_.WaitUntilEnded(kStopPatience);
  if (!ended.ok()) return ended.status();
  if (*ended) return {};
  return {ErrorCode::kGeneralError, "wharfd failed when asked to end:\n" + daemon_.last_words()};
}

}  // namespace wharf::crash
