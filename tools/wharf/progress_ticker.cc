#include "tools/wharf/progress_ticker.h"

#include <chrono>
#include <utility>

#include <unistd.h>

#include "tools/wharf/progress_bar.h"

namespace wharf::tool {
namespace {

constexpr std::chrono::milliseconds kPeriod(100);

}  // namespace

ProgressTicker::ProgressTicker(std::string what, std::optional<std::uint64_t> total,
                               std::function<std::uint64_t()> done)
    : what_(std::move(what)), total_(total), done_(std::move(done)) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { Draw(); });
}

ProgressTicker::~ProgressTicker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void ProgressTicker::Draw() {
  ProgressBar bar(total_, what_);
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, kPeriod, [this] { return is_over_; })) bar.Update(done_());
}

}  // namespace wharf::tool
