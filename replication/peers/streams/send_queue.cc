#include "replication/peers/streams/send_queue.h"

#include <utility>

namespace wharf {
namespace {

// A queue of empty messages takes memory, too.
constexpr std::size_t kMessageBytes = 64;

std::size_t WeightOf(const std::string& message) { return message.size() + kMessageBytes; }

}  // namespace

SendQueue::Pushed SendQueue::Push(std::string message) {
  const std::size_t weight = WeightOf(message);
  MutexLock lock(mutex_);
  if (!is_open_) return Pushed::kDropped;
  if (!messages_.empty() && bytes_ + weight > bytes_max_) {
    ++dropped_;
    return Pushed::kDropped;
  }
  bytes_ += weight;
  messages_.push_back(std::move(message));
  return std::exchange(is_waited_for_, false) ? Pushed::kWakeStream : Pushed::kQueued;
}

void SendQueue::Open() {
  MutexLock lock(mutex_);
  is_open_ = true;
  is_waited_for_ = true;
}

void SendQueue::Close() {
  std::deque<std::string> thrown_away;  // Freed outside of the lock.
  MutexLock lock(mutex_);
  is_open_ = false;
  bytes_ = 0;
  thrown_away.swap(messages_);
}

std::optional<std::string> SendQueue::Pop() {
  MutexLock lock(mutex_);
  if (messages_.empty()) {
    is_waited_for_ = true;
    return std::nullopt;
  }
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  bytes_ -= WeightOf(message);
  return message;
}

std::size_t SendQueue::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

std::uint64_t SendQueue::dropped() const {
  MutexLock lock(mutex_);
  return dropped_;
}

}  // namespace wharf
