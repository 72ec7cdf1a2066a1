// HeldBytes: what one holder has in memory, added to what all of its kind have together.
//
// Gives back what is left when it goes. Used by one thread at a time; the total by any.
#pragma once

#include <atomic>
#include <cstdint>

namespace wharf {

class HeldBytes {
 public:
  using Total = std::atomic<std::int64_t>;

  // Outlives it.
  explicit HeldBytes(Total& total) : total_(total) {}
  ~HeldBytes() { Set(0); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;

  // From now on it holds so many; or so many more, or fewer.
  void Set(std::int64_t bytes) { Add(bytes - bytes_); }
  void Add(std::int64_t bytes) {
    if (bytes == 0) return;
    bytes_ += bytes;
    total_.fetch_add(bytes, std::memory_order_relaxed);
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  Total& total_;
  std::int64_t bytes_ = 0;
};

}  // namespace wharf
