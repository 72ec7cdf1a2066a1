#include "tools/client/session_keeper.h"

#include <algorithm>

#include <google/protobuf/util/time_util.h>

namespace wharf::client {
namespace {

using std::chrono::steady_clock;

// However short the locks are, renewals must not fill the connection...
constexpr std::chrono::milliseconds kIntervalMin(10);
constexpr std::chrono::milliseconds kRetryMin(1);
// ...and however long, one that failed is soon tried again.
constexpr std::chrono::seconds kRetryMax(1);
// However short the locks are, the broker has some time to answer.
constexpr std::chrono::seconds kRenewalMin(1);

// Until a renewal that failed is tried again: a few times before the lock is over.
std::chrono::microseconds RetryAfter(std::chrono::microseconds interval) {
  return std::clamp<std::chrono::microseconds>(interval / 4, kRetryMin, kRetryMax);
}

// How long one renewal may hold up the others, and its own next try.
std::chrono::microseconds AnswerWithin(std::chrono::microseconds interval) {
  return std::max<std::chrono::microseconds>(interval / 2, kRenewalMin);
}

}  // namespace

SessionKeeper::SessionKeeper(Sessions& sessions, std::string entity_path)
    : sessions_(sessions), entity_path_(std::move(entity_path)), thread_([this] { Run(); }) {}

SessionKeeper::~SessionKeeper() {
  {
    MutexLock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void SessionKeeper::Keep(const v1::AcceptedSession& session) {
  using google::protobuf::util::TimeUtil;
  const std::chrono::microseconds lock_duration(
      TimeUtil::DurationToMicroseconds(session.lock_duration()));
  const auto interval = std::max<std::chrono::microseconds>(lock_duration / 2, kIntervalMin);
  MutexLock lock(mutex_);
  Schedule(session.session_lock_token(), {interval, steady_clock::now() + interval});
  changed_.notify_all();
}

void SessionKeeper::Forget(const std::string& session_lock_token) {
  MutexLock lock(mutex_);
  Drop(session_lock_token);
}

void SessionKeeper::Schedule(const std::string& token, Held held) {
  Drop(token);
  due_.emplace(held.renew_at, token);
  held_.emplace(token, held);
}

void SessionKeeper::Drop(const std::string& token) {
  const auto found = held_.find(token);
  if (found == held_.end()) return;
  due_.erase({found->second.renew_at, token});
  held_.erase(found);
}

void SessionKeeper::Run() {
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (due_.empty()) {
      changed_.wait(mutex_);
      continue;
    }
    const auto [renew_at, token] = *due_.begin();
    if (steady_clock::now() < renew_at) {
      changed_.wait_until(mutex_, renew_at);
    } else {
      Renew(token);
    }
  }
}

void SessionKeeper::Renew(const std::string& token) {
  const auto interval = held_.at(token).interval;
  mutex_.unlock();
  const Status renewed =
      sessions_.RenewSessionLock(entity_path_, token, AnswerWithin(interval)).status();
  mutex_.lock();
  NoteRenewed(token, renewed);
}

// It may have been forgotten meanwhile.
void SessionKeeper::NoteRenewed(const std::string& token, const Status& renewed) {
  const auto found = held_.find(token);
  if (found == held_.end()) return;
  if (!renewed.ok() && !IsTransient(renewed.code())) return Drop(token);
  const auto interval = found->second.interval;
  const auto pause = renewed.ok() ? interval : RetryAfter(interval);
  Schedule(token, {interval, steady_clock::now() + pause});
}

}  // namespace wharf::client
