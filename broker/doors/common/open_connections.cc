#include "broker/doors/common/open_connections.h"

#include <sys/socket.h>

namespace wharf {
namespace {

// What the system calls a socket, and never another one; 0: there is none.
std::uint64_t CookieOf(int descriptor) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

}  // namespace

void OpenConnections::SetMax(std::size_t count_max) {
  MutexLock lock(mutex_);
  count_max_ = count_max;
}

// One that had this descriptor before is gone. They are counted only when there seem to be too
// many: five thousand take about a millisecond.
bool OpenConnections::Admit(int descriptor) {
  const std::uint64_t cookie = CookieOf(descriptor);
  MutexLock lock(mutex_);
  cookies_.erase(descriptor);
  if (cookies_.size() >= count_max_) DropClosed();
  if (cookies_.size() >= count_max_) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  cookies_.emplace(descriptor, cookie);
  admitted_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

std::size_t OpenConnections::Count() {
  MutexLock lock(mutex_);
  DropClosed();
  return cookies_.size();
}

void OpenConnections::DropClosed() {
  absl::erase_if(cookies_, [](const auto& one) {
    return one.second == 0 || CookieOf(one.first) != one.second;
  });
}

}  // namespace wharf
