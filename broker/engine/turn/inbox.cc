#include "broker/engine/turn/inbox.h"

#include <algorithm>

namespace wharf {

bool Inbox::Push(Task task, std::size_t weight) {
  MutexLock lock(mutex_);
  const bool was_empty = waiting_.empty();
  waiting_.push_back({std::move(task), weight});
  return was_empty;
}

std::vector<Task> Inbox::Take(std::size_t weight_max) {
  MutexLock lock(mutex_);
  std::vector<Task> taken;
  std::size_t count = 0;
  for (std::size_t weight = 0; count < waiting_.size(); ++count) {
    weight += std::max<std::size_t>(waiting_[count].weight, 1);
    if (count > 0 && weight > weight_max) break;
    taken.push_back(std::move(waiting_[count].task));
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  return taken;
}

bool Inbox::empty() const {
  MutexLock lock(mutex_);
  return waiting_.empty();
}

}  // namespace wharf
