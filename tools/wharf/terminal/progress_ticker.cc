#include "tools/wharf/terminal/progress_ticker.h"

#include <chrono>
#include <utility>

#include <unistd.h>

#include "tools/wharf/terminal/progress_bar.h"

namespace wharf::tool {
namespace {

constexpr std::chrono::milliseconds kTick(100);

}  // namespace

ProgressTicker::ProgressTicker(std::string what, std::optional<std::uint64_t> total,
                               std::function<std::uint64_t()> done)
    : what_(std::move(what)), total_(total), done_(std::move(done)) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { Draw(); });
}

ProgressTicker::~ProgressTicker() {
  if (!thread_.joinable()) return;
  {
    MutexLock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void ProgressTicker::Draw() {
  ProgressBar bar(total_, what_);
  while (!Wait()) bar.Update(done_());
}

bool ProgressTicker::Wait() {
  const auto until = std::chrono::steady_clock::now() + kTick;
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (over_.wait_until(mutex_, until) == std::cv_status::timeout) break;
  }
  return is_over_;
}

}  // namespace wharf::tool
