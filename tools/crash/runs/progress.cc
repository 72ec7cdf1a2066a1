#include "tools/crash/runs/progress.h"

#include <chrono>
#include <utility>

namespace wharf::crash {

void Progress::Arm(std::uint64_t count, std::function<void()> strike) {
  MutexLock lock(mutex_);
  acknowledged_ = 0;
  strike_at_ = count;
  strike_ = std::move(strike);
  has_struck_ = false;
  is_over_ = false;
}

bool Progress::WaitForStrike(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (!has_struck_) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return has_struck_;
}

void Progress::Stop() {
  MutexLock lock(mutex_);
  is_over_ = true;
  strike_ = nullptr;
  changed_.notify_all();
}

void Progress::NoteAcknowledged(std::uint64_t count) {
  MutexLock lock(mutex_);
  acknowledged_ += count;
  silence_.NoteAcknowledged(std::chrono::steady_clock::now());
  if (strike_ && acknowledged_ >= strike_at_) {
    std::exchange(strike_, nullptr)();
    has_struck_ = true;
    silence_.Begin(std::chrono::steady_clock::now());
  }
  changed_.notify_all();
}

void Progress::SetBacklog(std::uint64_t count) {
  MutexLock lock(mutex_);
  backlog_ = static_cast<std::int64_t>(count);
}

void Progress::NoteArrived(std::uint64_t count) {
  MutexLock lock(mutex_);
  backlog_ += static_cast<std::int64_t>(count);
}

void Progress::NoteGone(std::uint64_t count) {
  MutexLock lock(mutex_);
  backlog_ -= static_cast<std::int64_t>(count);
  changed_.notify_all();
}

bool Progress::WaitForRoom(std::uint64_t backlog_max) {
  MutexLock lock(mutex_);
  while (!is_over_ && backlog_ >= RoomFor(backlog_max)) changed_.wait(mutex_);
  return !is_over_;
}

std::int64_t Progress::RoomFor(std::uint64_t backlog_max) const {
  return static_cast<std::int64_t>(backlog_max * (has_struck_ ? kStruckFactor : 1));
}

bool Progress::WaitForMore(std::uint64_t count) {
  MutexLock lock(mutex_);
  const std::uint64_t goal = acknowledged_ + count;
  while (!is_over_ && acknowledged_ < goal) changed_.wait(mutex_);
  return !is_over_;
}

void Progress::AwaitMore(std::uint64_t count, Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  const std::uint64_t goal = acknowledged_ + count;
  while (!is_over_ && acknowledged_ < goal) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) return;
  }
}

bool Progress::is_over() {
  MutexLock lock(mutex_);
  return is_over_;
}

Duration Progress::LongestSilence() {
  MutexLock lock(mutex_);
  return silence_.Longest(std::chrono::steady_clock::now());
}

std::uint64_t Progress::acknowledged() {
  MutexLock lock(mutex_);
  return acknowledged_;
}

}  // namespace wharf::crash
