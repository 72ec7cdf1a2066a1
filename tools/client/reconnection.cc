#include "tools/client/reconnection.h"

#include <algorithm>
#include <utility>

#include "tools/client/client.h"

namespace wharf::client {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPauseMin(100);
constexpr std::chrono::milliseconds kPauseMax(5000);
// Where a broker answers, and says that another one leads.
constexpr std::chrono::milliseconds kElectionPauseMax(500);
// For one try.
constexpr std::chrono::seconds kConnectPatience(2);

// A token that is made for a stream holds for far longer.
constexpr std::chrono::minutes kLivedMin(1);

Duration Longer(Duration patience, Duration other) {
  return patience == kUnlimited ? kUnlimited : std::max(patience, other);
}

}  // namespace

Reconnection::Reconnection(Client& client, ReconnectOptions options)
    : client_(client), options_(std::move(options)) {}

bool Reconnection::IsElsewhere(const Status& status) {
  return status.code() == ErrorCode::kPartitionNotOwned;
}

bool Reconnection::IsLost(const Status& status) {
  return status.code() == ErrorCode::kServiceCommunicationProblem || IsElsewhere(status);
}

bool Reconnection::IsLapsed(const Status& status, steady_clock::time_point opened_at) {
  return status.code() == ErrorCode::kUnauthorized && steady_clock::now() - opened_at >= kLivedMin;
}

Result<bool> Reconnection::TryAgain(const Status& reason, Duration wait) {
  MutexLock lock(mutex_);
  if (!is_wanted(reason)) return reason;
  if (!lost_at_) Begin(reason);
  pause_max_ = IsElsewhere(reason) ? kElectionPauseMax : kPauseMax;
  patience_ = IsElsewhere(reason) ? Longer(options_.patience, kLeaderPatience) : options_.patience;
  if (IsOver()) return reason;
  WaitForNextTry(wait);
  if (IsOver()) return reason;
  if (steady_clock::now() < next_try_) return false;
  return Try();
}

bool Reconnection::Try() {
  mutex_.unlock();
  const bool is_back = client_.Connect(kConnectPatience).ok();
  mutex_.lock();
  pause_ = std::min(pause_ * 2, pause_max_);
  next_try_ = steady_clock::now() + pause_;
  if (is_back) NoteBack();
  return is_back;
}

void Reconnection::Begin(const Status& reason) {
  lost_at_ = steady_clock::now();
  // Who is sent to another one has lost nothing.
  is_back_told_ = IsElsewhere(reason);
  pause_ = kPauseMin;
  next_try_ = IsElsewhere(reason) ? *lost_at_ : *lost_at_ + pause_;
  mutex_.unlock();
  if (options_.on_lost && !IsElsewhere(reason)) options_.on_lost(reason);
  mutex_.lock();
}

bool Reconnection::IsOver() const {
  if (is_interrupted_) return true;
  return patience_ != kUnlimited && steady_clock::now() - *lost_at_ >= patience_;
}

void Reconnection::WaitForNextTry(Duration wait) {
  const Time now = steady_clock::now();
  const Time until = wait == kUnlimited ? next_try_ : std::min(next_try_, now + wait);
  while (!is_interrupted_) {
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) break;
  }
}

// The broker may be there and yet refuse what it is asked: that is told once.
void Reconnection::NoteBack() {
  if (std::exchange(is_back_told_, true) || !options_.on_back) return;
  mutex_.unlock();
  options_.on_back();
  mutex_.lock();
}

void Reconnection::Succeeded() {
  MutexLock lock(mutex_);
  lost_at_.reset();
}

void Reconnection::Interrupt() {
  MutexLock lock(mutex_);
  is_interrupted_ = true;
  changed_.notify_all();
}

}  // namespace wharf::client
