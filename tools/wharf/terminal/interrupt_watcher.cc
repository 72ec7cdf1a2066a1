#include "tools/wharf/terminal/interrupt_watcher.h"

#include <csignal>
#include <utility>

#include <unistd.h>

#include "tools/wharf/terminal/output.h"

namespace wharf::tool {
namespace {

constexpr char kInterrupted = 'i';
constexpr char kQuit = 'q';

// Where the signal handler writes: it may do little else.
volatile std::sig_atomic_t handler_fd = -1;

void OnSignal(int /*signal*/) {
  [[maybe_unused]] const ssize_t written = write(handler_fd, &kInterrupted, 1);
}

void Handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = handler == SIG_DFL ? 0 : SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptWatcher::InterruptWatcher(std::function<void()> on_interrupt)
    : on_interrupt_(std::move(on_interrupt)) {
  if (pipe(pipe_) != 0) {
    // Without a pipe signals just end the process.
    Output(stderr).Print("wharf: no pipe for signals; Ctrl-C will leave messages locked\n");
    pipe_[0] = pipe_[1] = -1;
    return;
  }
  handler_fd = pipe_[1];
  thread_ = std::thread([this] { Watch(); });
  Handle(OnSignal);
}

InterruptWatcher::~InterruptWatcher() {
  if (!thread_.joinable()) return;
  Handle(SIG_DFL);
  [[maybe_unused]] const ssize_t written = write(pipe_[1], &kQuit, 1);
  thread_.join();
  close(pipe_[0]);
  close(pipe_[1]);
}

void InterruptWatcher::Watch() {
  char sign = 0;
  while (read(pipe_[0], &sign, 1) == 1 && sign == kInterrupted) on_interrupt_();
}

}  // namespace wharf::tool
