// Eventually: waits for what other threads do, where nobody is told of it.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace wharf {

// What takes longer does not come, also on a machine that has much else to do.
inline constexpr std::chrono::seconds kAwaitedMax{60};

// Between two looks: looking without a pause takes the processor from what is waited for.
inline constexpr std::chrono::milliseconds kLookAgainAfter{1};

// Looks again and again; false: not in time.
inline bool Eventually(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kAwaitedMax;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kLookAgainAfter);
  }
  return true;
}

}  // namespace wharf
