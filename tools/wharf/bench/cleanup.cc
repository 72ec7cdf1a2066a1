#include "tools/wharf/bench/cleanup.h"

#include <cstdlib>
#include <utility>

namespace wharf::tool {
namespace {

// As a shell has it: 128 and the number of SIGINT.
constexpr int kInterruptedExitCode = 130;

}  // namespace

Cleanup::Cleanup(Program& program, std::string thing, std::function<Status()> remove)
    : program_(program),
      thing_(std::move(thing)),
      remove_(std::move(remove)),
      watcher_([this] { OnInterrupt(); }) {}

Cleanup::~Cleanup() {
  MutexLock lock(mutex_);
  Remove();
}

// If it failed, a part of it may be there.
Status Cleanup::Make(const std::function<Status()>& make) {
  MutexLock lock(mutex_);
  Status made = make();
  is_made_ = made.ok() || made.outcome() == Outcome::kUnknown;
  return made;
}

void Cleanup::Keep() {
  MutexLock lock(mutex_);
  is_kept_ = true;
}

void Cleanup::WaitIfInterrupted() { MutexLock lock(mutex_); }

void Cleanup::OnInterrupt() {
  mutex_.lock();
  if (is_made_ && is_kept_) program_.err.Print("wharf: {} is left\n", thing_);
  if (is_made_ && !is_kept_) {
    program_.err.Print("wharf: deleting {}; Ctrl-C again ends at once and leaves it\n", thing_);
    program_.err.Flush();
    Remove();
  }
  program_.out.Flush();
  program_.err.Flush();
  std::_Exit(kInterruptedExitCode);
}

void Cleanup::Remove() {
  if (!is_made_ || is_kept_) return;
  is_made_ = false;
  const Status removed = remove_();
  const bool is_gone = removed.ok() || removed.code() == ErrorCode::kMessagingEntityNotFound;
  if (!is_gone) program_.err.Print("wharf: {} is left: {}\n", thing_, removed.ToString());
}

}  // namespace wharf::tool
