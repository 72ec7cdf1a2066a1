// HttpCounts: how many requests of each kind were answered in each way, since the door began. Any
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wharf {

class HttpCounts {
 public:
  // The first digit of a status, from 2 to 5.
  static constexpr std::size_t kClasses = 4;
  // As many kinds as any door has.
  static constexpr std::size_t kKindsMax = 16;

  void Note(std::size_t kind, unsigned status) {
    if (kind >= kKindsMax || status < 200 || status >= 600) return;
    answered_[kind][status / 100 - 2].fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t Read(std::size_t kind, std::size_t status_class) const {
    return answered_[kind][status_class].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::array<std::atomic<std::uint64_t>, kClasses>, kKindsMax> answered_{};
};

}  // namespace wharf
