// Eventually: waits for what other threads do, where nobody is told of it.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace wharf {

// What takes longer does not come, also on a machine that has much else to do.
inline constexpr std::chrono::seconds kAwaitedMax{60};

// Looks again and again; false: not in time.
inline bool Eventually(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kAwaitedMax;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace wharf
