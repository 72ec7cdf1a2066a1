#include "storage/base/ticker.h"

#include <chrono>
#include <utility>

namespace wharf {

Ticker::Ticker(Duration pace, std::function<void()> tick)
    : pace_(pace), tick_(std::move(tick)), thread_([this] { Run(); }) {}

Ticker::~Ticker() { Stop(); }

void Ticker::Stop() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  stop_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Ticker::Run() {
  do tick_();
  while (Wait());
}

bool Ticker::Wait() {
  const auto until = std::chrono::steady_clock::now() + pace_;
  MutexLock lock(mutex_);
  while (!is_stopping_) {
    if (stop_.wait_until(mutex_, until) == std::cv_status::timeout) break;
  }
  return !is_stopping_;
}

}  // namespace wharf
